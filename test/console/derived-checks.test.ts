import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ListedAssetStatus } from '../../daemon/interface/plant/asset-status.ts';
import { deriveChecks } from '../../daemon/console/views/overview/derived-checks.ts';

const UNIT = { name: 'unit 1', state: 'ANSWERING', isUsed: true, counters: {} } as const;
const PUMP: ListedAssetStatus = {
  asset: 'pump',
  channels: 5,
  driver: { pid: 'line', type: 'modbus', endpoint: 'x', state: 'CONNECTED', since: 1, counters: {} },
  units: [UNIT],
};

const derive = (changes: Partial<ListedAssetStatus>, kind: string) =>
  deriveChecks([{ ...PUMP, ...changes }]).filter(({ check }) => check === kind);

test('assets tell the channels of them that fail, as the checks of the gateway do', () => {
  const fail = (name: string, message: string) => ({ name, since: 7, statusCode: 'CODE', message });
  const first = [fail('flow', 'no such address'), fail('text', 'no text'), fail('level', 'no such address')];
  const [told] = derive({ failingChannels: { count: 5, since: 6, first } }, 'channel');
  assert.deepEqual(told, {
    check: 'channel',
    name: 'pump',
    state: 'WRONG',
    detail: 'flow, level: no such address; text: no text; and 2 more',
    finding: {
      code: 'CHANNELS_FAILING_AND_MORE',
      message: 'flow, level: no such address; text: no text; and 2 more',
      parameters: { more: 2 },
      causes: [
        { code: 'CODE', message: 'no such address', names: ['flow', 'level'] },
        { code: 'CODE', message: 'no text', names: ['text'] },
      ],
    },
    since: 6,
    channels: 5,
  });
  assert.deepEqual(derive({}, 'channel'), []);
});

test('assets tell the addresses at which their units are silent', () => {
  const silent = { address: 'HOLDING_REGISTERS 9', operation: 'READ', since: 5, nextAttemptAt: 9 } as const;
  const [told] = derive({ units: [{ ...UNIT, silentAddresses: [silent] }] }, 'unit');
  assert.deepEqual(
    [told?.state, told?.detail, told?.since],
    ['WRONG', 'no response at HOLDING_REGISTERS 9; other addresses respond', 5],
  );
  assert.equal(derive({}, 'unit')[0]?.state, 'GOOD');
});
