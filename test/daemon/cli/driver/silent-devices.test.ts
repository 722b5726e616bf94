import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { UnitStatus } from '../../../../daemon/interface/plant/asset-status.ts';
import { listSilent } from '../../../../daemon/cli/driver/silent-devices.ts';

const silentAddresses: UnitStatus['silentAddresses'] = [
  { address: 'HOLDING_REGISTERS 37', operation: 'READ', since: 0, nextAttemptAt: 2 },
  { address: 'COILS 5', operation: 'WRITE', since: 0, nextAttemptAt: 3 },
];
const OF_ALL = { isUsed: true, counters: {} };

test('listSilent names units that are suspended and the silent addresses of the others', () => {
  const units: readonly UnitStatus[] = [
    { ...OF_ALL, name: 'unit 1', state: 'ANSWERING', silentAddresses },
    { ...OF_ALL, name: 'unit 2', state: 'SUSPENDED', nextProbeAt: 1, silentAddresses },
    { ...OF_ALL, name: 'unit 3', state: 'ANSWERING' },
  ];
  assert.deepEqual(listSilent(units), [
    { name: 'unit 1 HOLDING_REGISTERS 37', nextAtMs: 2 },
    { name: 'unit 1 COILS 5 (write)', nextAtMs: 3 },
    { name: 'unit 2', nextAtMs: 1 },
  ]);
});
