import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ListedAssetStatus } from '../../daemon/interface/plant/asset-status.ts';
import { createFinding } from '../../daemon/interface/finding.ts';
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

test('derived checks have the sentences of the gateway', () => {
  const fail = (name: string, message: string) => ({ name, since: 7, statusCode: 'CODE', message });
  const first = [fail('flow', 'no such address'), fail('text', 'no text'), fail('level', 'no such address')];
  const causes = [
    { code: 'CODE', message: 'no such address', names: ['flow', 'level'] },
    { code: 'CODE', message: 'no text', names: ['text'] },
  ];
  const silence = { operation: 'READ', since: 5, nextAttemptAt: 9 } as const;
  const silentAddresses = [
    { ...silence, address: 'INPUTS 9' },
    { ...silence, address: 'COILS 7' },
  ];
  const lost = { lastError: 'no route', lastErrorCode: 'MODBUS_CONNECT_FAILED' };
  const lostCauses = [{ code: lost.lastErrorCode, message: lost.lastError }];
  const findingOf = (changes: Partial<ListedAssetStatus>, kind: string) => derive(changes, kind)[0]?.finding;
  assert.deepEqual(
    [
      findingOf({ failingChannels: { count: 5, since: 6, first } }, 'channel'),
      findingOf({ failingChannels: { count: 3, since: 6, first } }, 'channel'),
      findingOf({}, 'connection'),
      findingOf({ driver: { ...PUMP.driver, state: 'DISCONNECTED' } }, 'connection'),
      findingOf({ driver: { ...PUMP.driver, ...lost, state: 'BACKING_OFF' } }, 'connection'),
      findingOf({}, 'unit'),
      findingOf({ units: [{ ...UNIT, state: 'UNKNOWN' }] }, 'unit'),
      findingOf({ units: [{ ...UNIT, ...lost, state: 'SUSPENDED' }] }, 'unit'),
      findingOf({ units: [{ ...UNIT, silentAddresses }] }, 'unit'),
    ],
    [
      createFinding('CHANNELS_FAILING_AND_MORE', { more: 2 }, causes),
      createFinding('CHANNELS_FAILING', {}, causes),
      createFinding('CONNECTION_GOOD', {}),
      createFinding('CONNECTION_UNUSED', {}),
      createFinding('CONNECTION_LOST', {}, lostCauses),
      createFinding('UNIT_RESPONDING', {}),
      createFinding('UNIT_NOT_POLLED', {}),
      createFinding('UNIT_SUSPENDED', {}, lostCauses),
      createFinding('UNIT_PARTLY_SILENT', { addresses: ['INPUTS 9', 'COILS 7'] }),
    ],
  );
});
