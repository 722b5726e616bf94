import assert from 'node:assert/strict';

import type { Asset } from '../../../daemon/plant/asset/asset.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { startPymodbusServer } from '../../support/pymodbus-server.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const SERVERS = [
  ['pymodbus', startPymodbusServer],
  ['libmodbus', startLibmodbusServer],
] as const;

const register = (offset: number): object => ({
  unitId: 1,
  table: 'HOLDING_REGISTERS',
  offset,
  dataType: 'INT16',
});

const number = { type: 'READ_WRITE', valueType: 'DOUBLE' } as const;
const exponent = { ...number, valueType: 'INTEGER' } as const;
/** A SunSpec block: values and their scales. */
const CHANNELS = [
  { ...number, name: 'voltage', scaleFrom: { channel: 'voltageScale' }, address: register(20) },
  { ...number, name: 'current', scaleFrom: { address: register(27) }, address: register(22) },
  { ...number, name: 'far', scaleFrom: { address: register(900) }, address: register(23) },
  { ...exponent, name: 'voltageScale', address: register(26) },
  { ...exponent, name: 'currentScale', address: register(27) },
  { ...exponent, name: 'farScale', address: register(900) },
];

function countRequests(asset: Asset): number {
  return asset.connection.status().counters['requests'] ?? 0;
}

for (const [name, start] of SERVERS) {
  const { test } = testsThatNeed(name);

  test(`${name}: a scale is read in the request of its value, and written values are undone by it`, async (t) => {
    const server = await start();
    t.after(() => server.close());
    const registry = await openPlant(t, {
      drivers: [
        { pid: 'line', type: 'modbus', host: '127.0.0.1', port: server.port, maximumGap: 8 },
        { pid: 'exact', type: 'modbus', host: '127.0.0.1', port: server.port, maximumGap: 0 },
      ],
      assets: ['line', 'exact'].map((driver) => ({ pid: driver, driver, channels: CHANNELS })),
    });
    const asset = registry.get('line');
    const write = async (channel: string, value: number, valueType: 'DOUBLE' | 'INTEGER' = 'DOUBLE') =>
      (await asset.write([{ name: channel, valueType, value }]))[0];
    for (const [scale, value] of [
      ['voltageScale', -1],
      ['currentScale', -2],
      ['farScale', 1],
    ] as const) {
      assert.equal((await write(scale, value, 'INTEGER'))?.outcome, 'ACKNOWLEDGED');
    }
    const before = countRequests(asset);
    const { records } = await asset.read(['voltage', 'current']);
    assert.deepEqual(
      records.map(({ value }) => value),
      [2, 0.22],
    );
    assert.equal(countRequests(asset) - before, 1);
    // Far away or without a gap it takes a request of its own, once for all values that share it.
    await asset.read(['far']);
    assert.equal(countRequests(asset) - before, 3);
    const exact = registry.get('exact');
    await exact.read(['voltage']);
    assert.equal(countRequests(exact), 2);

    const beforeWrite = countRequests(asset);
    const written = await write('voltage', 231.54);
    assert.deepEqual([written?.outcome, written?.value, written?.requested], ['ACKNOWLEDGED', 231.5, 231.54]);
    assert.equal(countRequests(asset) - beforeWrite, 2);
    assert.equal((await asset.read(['voltage'])).records[0]?.value, 231.5);
    assert.equal((await write('far', 32_770))?.outcome, 'ACKNOWLEDGED');
    assert.equal((await write('far', 400_000))?.failure?.code, 'VALUE_OUT_OF_RANGE');

    await write('voltageScale', -32_768, 'INTEGER');
    const [record] = (await asset.read(['voltage'])).records;
    assert.equal(record?.failure?.code, 'VALUE_NOT_AVAILABLE');
    assert.match(record.failure.message, /"voltageScale"/);
    assert.equal((await write('voltage', 1))?.outcome, 'NOT_SENT');
  });
}
