import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeTest } from '../../../../daemon/cli/driver/driver-text.ts';

const failed = { pid: 'pump', endpoint: 'pump', outcome: 'FAILED', durationMs: 7 } as const;

for (const [advice, command] of [
  ['the device needs time; set connectDelayMs: 2000', '--connectDelayMs 2000'],
  ['if the device supports Modbus over UDP, set transport: udp', '--transport udp'],
  ['if this is the device, set identify.registration: hex:005002', '--identify.registration hex:005002'],
  ['if this is the device, set identify.address: 2001:db8::7', '--identify.address 2001:db8::7'],
  ['if this is the device, set identify.registration: $(reboot)', undefined],
] as const) {
  test(`the advice "${advice}" ${command === undefined ? 'gives no' : 'gives a'} command`, () => {
    const [, shown] = /^Command: +(.*)$/m.exec(describeTest({ ...failed, advice: [advice] }, 'pump')) ?? [];
    assert.equal(shown, command === undefined ? undefined : `penstock driver set pump ${command}`);
  });
}
