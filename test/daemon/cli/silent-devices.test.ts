import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listSilent } from '../../../daemon/cli/silent-devices.ts';

const silentAddresses = [
  { address: 'HOLDING_REGISTERS 37', operation: 'READ', nextAttemptAt: 2 },
  { address: 'COILS 5', operation: 'WRITE', nextAttemptAt: 3 },
];

test('listSilent names units that are suspended and the silent addresses of the others', () => {
  const units = [
    { name: 'unit 1', state: 'ANSWERING', silentAddresses },
    { name: 'unit 2', state: 'SUSPENDED', nextProbeAt: 1, silentAddresses },
    { name: 'unit 3', state: 'ANSWERING' },
  ];
  assert.deepEqual(listSilent(units), [
    { name: 'unit 1 HOLDING_REGISTERS 37', nextAtMs: 2 },
    { name: 'unit 1 COILS 5 (write)', nextAtMs: 3 },
    { name: 'unit 2', nextAtMs: 1 },
  ]);
});
