import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { needs } from '../../support/tests-that-need.ts';
import { addressSchema } from '../../../drivers/modbus/modbus-address.ts';

const address = (more: object): object => ({ table: 'HOLDING_REGISTERS', offset: 20, ...more });

test('a text with one character in each register is read and written', needs('libmodbus'), async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const text = { type: 'READ_WRITE', valueType: 'STRING' };
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: server.port }],
    assets: [
      {
        pid: 'display',
        driver: 'line',
        channels: [
          { ...text, name: 'wide', address: address({ dataType: 'STRING_REGISTERS', length: 5 }) },
          {
            ...text,
            name: 'swapped',
            address: address({ dataType: 'STRING_REGISTERS', length: 5, byteOrder: 'LITTLE_ENDIAN' }),
          },
          { ...text, name: 'registers', address: address({ dataType: 'INT16', count: 5 }) },
        ],
      },
    ],
  });
  const asset = registry.get('display');
  const write = async (name: string, value: string) =>
    (await asset.write([{ name, valueType: 'STRING', value }]))[0]?.outcome;
  const read = async (name: string) => (await asset.read([name])).records[0]?.value;
  assert.equal(await write('wide', 'Pump'), 'ACKNOWLEDGED');
  assert.deepEqual([await read('wide'), await read('registers')], ['Pump', '[80,117,109,112,0]']);
  assert.equal(await write('swapped', 'AB'), 'ACKNOWLEDGED');
  assert.deepEqual([await read('swapped'), await read('registers')], ['AB', '[16640,16896,0,0,0]']);
  assert.equal(await write('wide', 'longer'), 'NOT_SENT');
});

test('a text of one character in each register has at most 125 of them', () => {
  const dataType = 'STRING_REGISTERS';
  assert.ok(addressSchema.safeParse(address({ dataType, length: 125, encoding: 'latin1' })).success);
  assert.ok(!addressSchema.safeParse(address({ dataType, length: 126 })).success);
  assert.ok(!addressSchema.safeParse(address({ dataType })).success);
});
