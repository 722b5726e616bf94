import assert from 'node:assert/strict';

import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { addressSchema } from '../../../drivers/modbus/modbus-address.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { startPymodbusServer } from '../../support/pymodbus-server.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const SERVERS = [
  ['pymodbus', 'with function code 22', () => startPymodbusServer()],
  ['pymodbus', 'without function code 22', () => startPymodbusServer('tcp', 'maskless')],
  ['libmodbus', 'with function code 22', () => startLibmodbusServer()],
] as const;

const address = (offset: number, more: object): object => ({ table: 'HOLDING_REGISTERS', offset, ...more });
const INTEGER = { type: 'READ_WRITE', valueType: 'INTEGER' };
const LONG = { type: 'READ_WRITE', valueType: 'LONG' };
const CHANNELS = [
  { ...INTEGER, name: 'whole', address: address(40, { dataType: 'UINT16' }) },
  { ...INTEGER, name: 'mode', address: address(40, { dataType: 'UINT16', bits: { from: 4, count: 3 } }) },
  { ...INTEGER, name: 'trim', address: address(40, { dataType: 'INT16', bits: { from: 8, count: 4 } }) },
  { ...LONG, name: 'long', address: address(42, { dataType: 'UINT32' }) },
  { ...LONG, name: 'across', address: address(42, { dataType: 'UINT32', bits: { from: 12, count: 8 } }) },
  { ...LONG, name: 'high', address: address(42, { dataType: 'UINT32', bits: { from: 24, count: 8 } }) },
  {
    ...INTEGER,
    name: 'tenths',
    valueType: 'DOUBLE',
    valueScale: 0.1,
    address: address(40, { dataType: 'UINT16', bits: { from: 0, count: 4 } }),
  },
];

for (const [library, name, start] of SERVERS) {
  const { test } = testsThatNeed(library);

  test(`${library} ${name}: bits are read as a number, and a write leaves all others`, async (t) => {
    const server = await start();
    t.after(() => server.close());
    const registry = await openPlant(t, {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: server.port }],
      assets: [{ pid: 'unit', driver: 'line', channels: CHANNELS }],
    });
    const asset = registry.get('unit');
    const requests = (): number => asset.connection.status().counters['requests'] ?? 0;
    const read = async (channel: string): Promise<ChannelValue | undefined> =>
      (await asset.read([channel])).records[0]?.value;
    const write = async (channel: string, value: number | bigint) => {
      const valueType = typeof value === 'bigint' ? 'LONG' : channel === 'tenths' ? 'DOUBLE' : 'INTEGER';
      return (await asset.write([{ name: channel, valueType, value }]))[0];
    };
    await write('whole', 0xf5a7);
    assert.deepEqual(
      [await read('mode'), await read('trim'), await read('tenths')],
      [2, 5, 0.7000000000000001],
    );
    const mode = await write('mode', 5);
    assert.equal(mode?.outcome, 'ACKNOWLEDGED');
    assert.equal(await read('whole'), 0xf5d7);
    assert.equal((await write('trim', -8))?.outcome, 'ACKNOWLEDGED');
    assert.deepEqual([await read('whole'), await read('trim')], [0xf8d7, -8]);
    assert.equal((await write('tenths', 1.1))?.outcome, 'ACKNOWLEDGED');
    assert.equal(await read('whole'), 0xf8db);
    assert.equal((await write('mode', 8))?.failure?.code, 'VALUE_OUT_OF_RANGE');
    assert.equal((await write('trim', -9))?.failure?.code, 'VALUE_OUT_OF_RANGE');

    const before = requests();
    const together = await asset.write([
      { name: 'mode', valueType: 'INTEGER', value: 0 },
      { name: 'trim', valueType: 'INTEGER', value: 0 },
    ]);
    assert.deepEqual(
      together.map(({ outcome }) => outcome),
      ['ACKNOWLEDGED', 'ACKNOWLEDGED'],
    );
    assert.equal(requests() - before, name.startsWith('without') ? 2 : 1);
    assert.equal(await read('whole'), 0xf08b);

    await write('long', 0x1234_5678n);
    assert.equal(await read('across'), 0x45n);
    const across = await write('across', 0xabn);
    assert.equal(across?.outcome, 'ACKNOWLEDGED');
    assert.equal(across.before?.value, 0x45n, 'it was read right before');
    assert.equal(await read('long'), 0x123a_b678n);
    assert.equal((await write('high', 0xffn))?.outcome, 'ACKNOWLEDGED');
    assert.equal(await read('long'), 0xff3a_b678n);
    const counters = asset.connection.status().counters;
    assert.ok((counters['readModifyWrites'] ?? 0) >= 1);
  });
}

const { test } = testsThatNeed('libmodbus');

test('bitWrite holds for bits as well: REFUSE forbids them, MASK those of two registers', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const drivers = ['REFUSE', 'MASK'].map((bitWrite) => {
    return { pid: bitWrite, type: 'modbus', host: '127.0.0.1', port: server.port, bitWrite };
  });
  const assets = drivers.map(({ pid }) => ({ pid, driver: pid, channels: CHANNELS }));
  const registry = await openPlant(t, { drivers, assets });
  const write = async (pid: string, name: string, value: number | bigint) => {
    const valueType = typeof value === 'bigint' ? 'LONG' : 'INTEGER';
    const [record] = await registry.get(pid).write([{ name, valueType, value }]);
    return record?.failure?.code ?? record?.outcome;
  };
  assert.equal(await write('REFUSE', 'mode', 1), 'MODBUS_BIT_WRITE_REFUSED');
  assert.equal(await write('MASK', 'mode', 1), 'ACKNOWLEDGED');
  assert.equal(await write('MASK', 'high', 1n), 'ACKNOWLEDGED');
  assert.equal(await write('MASK', 'across', 1n), 'MODBUS_BIT_WRITE_REFUSED');
});

const WRONG: readonly (readonly [more: object, message: RegExp])[] = [
  [{ dataType: 'UINT16', bits: { from: 14, count: 3 } }, /the last bit would be 16; UINT16 has bits 0 to 15/],
  [{ dataType: 'UINT32', bits: { from: 31, count: 2 } }, /the last bit would be 32/],
  [
    { dataType: 'FLOAT32', bits: { from: 0, count: 2 } },
    /only INT16, UINT16, INT32, UINT32 have them, not FLOAT32/,
  ],
  [{ dataType: 'UINT16', count: 2, bits: { from: 0, count: 2 } }, /expected no count/],
  [{ table: 'COILS', bits: { from: 0, count: 2 } }, /not BOOLEAN/],
];

for (const [more, message] of WRONG) {
  test(`an address with ${JSON.stringify(more)} is refused`, () => {
    const { error } = addressSchema.safeParse({ table: 'HOLDING_REGISTERS', offset: 0, ...more });
    assert.match(error?.message ?? '', message);
  });
}
