import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startModbusServer } from '../../../../daemon/simulator/modbus-server.ts';
import { openModbusScan } from './scan-bench.ts';
import { createCommonModel, createSunspecMap } from './sunspec-memory.ts';
import type { Model } from './sunspec-memory.ts';

/** Returns a model whose registers hold 0 but for some, by offset from its number. */
function createModel(number: number, length: number, registers: Readonly<Record<number, number>>): Model {
  return [number, Array.from({ length }, (_, index) => registers[index + 2] ?? 0)];
}

test('repetitions in SunSpec models become parameters, as far as the unit reports them', async (t) => {
  const memory = createSunspecMap(40_000, [
    createCommonModel('ACME', 'Sun 5000', 'SN-7'),
    createModel(160, 88, { 8: 4 }),
    createModel(705, 60, { 5: 4, 6: 3 }),
    createModel(708, 60, { 5: 0xffff, 6: 1000 }),
    createModel(711, 20, { 5: 2 }),
    createModel(713, 7, {}),
  ]);
  const server = await startModbusServer({
    host: '127.0.0.1',
    port: 0,
    memory: {
      read: (unitId, table, offset) =>
        unitId === 1 && table === 'HOLDING_REGISTERS' ? memory.get(offset) : undefined,
      write: () => false,
    },
  });
  t.after(() => server.close());
  const described = new Map(
    [160, 705, 708, 711, 713].map((number) => [`SunSpec model ${number}`, `m${number}`]),
  );
  const { scan } = await openModbusScan(t, {}, described);
  const { assets } = await scan(
    { host: '127.0.0.1', port: server.port },
    { options: { units: '1', ranges: false } },
  );
  assert.deepEqual(
    assets.map(({ template, parameters }) => [template, parameters]),
    [
      ['m160', { unitId: 1, modelAt: 40_070, inputs: 4 }],
      ['m705', { unitId: 1, modelAt: 40_160, points: 4, curves: 3 }],
      ['m708', { unitId: 1, modelAt: 40_222, curves: 16 }],
      ['m711', { unitId: 1, modelAt: 40_284, curves: 2 }],
      ['m713', { unitId: 1, modelAt: 40_306 }],
    ],
  );
});
