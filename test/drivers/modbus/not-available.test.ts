import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkPlant } from '../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { rawNumberOf } from '../../../drivers/modbus/check-channel.ts';
import { addressSchema } from '../../../drivers/modbus/modbus-address.ts';
import { createDriverFactories } from '../../../drivers/index.ts';

const of = (more: object): unknown =>
  rawNumberOf(addressSchema.parse({ table: 'HOLDING_REGISTERS', offset: 1, ...more }));

test('the raw number of registers follows from their data type', () => {
  assert.deepEqual(of({ dataType: 'INT8' }), { kind: 'SIGNED', bits: 8 });
  assert.deepEqual(of({ dataType: 'UINT64' }), { kind: 'UNSIGNED', bits: 64 });
  assert.deepEqual(of({ dataType: 'FLOAT32', count: 3 }), { kind: 'FLOAT', bits: 32 });
  assert.deepEqual(of({ dataType: 'UINT16', bits: { from: 4, count: 3 } }), { kind: 'UNSIGNED', bits: 3 });
  assert.deepEqual(of({ dataType: 'BCD32' }), { kind: 'WHOLE' });
  assert.deepEqual(of({ dataType: 'INT32_MOD10' }), { kind: 'WHOLE' });
  for (const dataType of ['STRING', 'BYTES']) assert.equal(of({ dataType, length: 4 }), 'NONE');
  assert.equal(of({ dataType: 'BOOLEAN', bit: 2 }), 'NONE');
  assert.equal(of({ dataType: 'DTL' }), 'NONE');
  assert.equal(rawNumberOf(addressSchema.parse({ table: 'COILS', offset: 0 })), 'NONE');
});

test('raw values that the registers cannot hold are errors of the configuration, each with its position', () => {
  const channel = (
    name: string,
    address: object,
    notAvailable: readonly unknown[],
    valueType = 'DOUBLE',
  ) => ({
    name,
    type: 'READ',
    valueType,
    notAvailable,
    address: { table: 'HOLDING_REGISTERS', offset: 1, ...address },
  });
  const { faults = [] } = finish(
    checkPlant(createDriverFactories(), {
      drivers: [{ pid: 'line', type: 'modbus', host: '192.0.2.7' }],
      assets: [
        {
          pid: 'pump',
          driver: 'line',
          channels: [
            channel('a', { dataType: 'UINT16', bits: { from: 0, count: 3 } }, [7, 8], 'INTEGER'),
            channel('b', { dataType: 'INT16' }, ['0x8000', '0x7FFF-0x8000']),
            channel('c', { dataType: 'STRING', length: 4 }, [0], 'STRING'),
            channel('d', { dataType: 'FLOAT32' }, ['NaN', 'SUNSPEC', '0xFF7FFFFF']),
          ],
        },
      ],
    }),
  );
  assert.deepEqual(
    faults.map(({ path, message }) => [path.slice(3).join('.'), message]),
    [
      ['0.notAvailable.1', '8 is not an unsigned 3-bit integer'],
      ['1.notAvailable.1', 'the range is reversed: 32767 is above -32768'],
      ['2.notAvailable', 'the raw value of this channel is not a number'],
    ],
  );
});
