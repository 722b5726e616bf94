import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../../../daemon/base/schema.ts';
import type { ValueType } from '../../../daemon/channel/value-type.ts';
import { checkChannel } from '../../../drivers/modbus/check-channel.ts';
import { addressSchema } from '../../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { createChannel } from '../../support/modbus-driver-under-test.ts';

test('the settings have their documented defaults', () => {
  assert.deepEqual(check(configSchema, { host: '192.0.2.7' }).value, {
    transport: 'tcp',
    host: '192.0.2.7',
    port: 502,
    connectTimeoutMs: 1000,
    pipelineDepth: 1,
    responseTimeoutMs: 1000,
    retries: 1,
    maximumGap: 0,
    maximumRegistersPerRequest: 125,
    maximumBitsPerRequest: 2000,
    delayBetweenRequestsMs: 0,
    busyRetries: 3,
    busyDelayMs: 200,
    maximumRegistersPerWrite: 123,
    maximumBitsPerWrite: 1968,
    writeFunction: 'AUTO',
    bitWrite: 'AUTO',
    joinWrites: true,
    splitValues: false,
    units: [],
  });
});

for (const [setting, value] of [
  ['transport', 'udp'],
  ['pipelineDepth', 17],
  ['baudRate', 9600],
  ['port', 0],
  ['responseTimeoutMs', 0],
  ['maximumRegistersPerRequest', 126],
  ['maximumBitsPerRequest', 2001],
  ['pace', 5],
] as const) {
  test(`the settings refuse ${setting} ${value}`, () => {
    const faults = check(configSchema, { host: '192.0.2.7', [setting]: value }).faults ?? [];
    assert.deepEqual(
      faults.map(({ path }) => path),
      [[setting]],
    );
  });
}

test('an address has unit 1 and big-endian orders unless told', () => {
  assert.deepEqual(check(addressSchema, { table: 'COILS', offset: 5 }).value, {
    unitId: 1,
    table: 'COILS',
    offset: 5,
    byteOrder: 'BIG_ENDIAN',
    wordOrder: 'BIG_ENDIAN',
  });
});

const HOLDING = { table: 'HOLDING_REGISTERS', offset: 0 } as const;
const CONTRADICTIONS: Readonly<Record<string, readonly [object, string]>> = {
  'a bit table with INT16': [{ table: 'COILS', offset: 0, dataType: 'INT16' }, 'dataType'],
  'a bit table with a bit': [{ table: 'DISCRETE_INPUTS', offset: 0, bit: 3 }, 'bit'],
  'a register table without dataType': [HOLDING, 'dataType'],
  'BOOLEAN in a register without bit': [{ ...HOLDING, dataType: 'BOOLEAN' }, 'bit'],
  'a bit of a number': [{ ...HOLDING, dataType: 'INT16', bit: 1 }, 'bit'],
  'STRING without length': [{ ...HOLDING, dataType: 'STRING' }, 'length'],
  'BYTES without length': [{ ...HOLDING, dataType: 'BYTES' }, 'length'],
  'a number with length': [{ ...HOLDING, dataType: 'INT16', length: 2 }, 'length'],
  'a number that ends past 65535': [{ ...HOLDING, offset: 65_533, dataType: 'FLOAT64' }, 'offset'],
  'text that ends past 65535': [{ ...HOLDING, offset: 65_535, dataType: 'STRING', length: 3 }, 'offset'],
  'text longer than one request brings': [{ ...HOLDING, dataType: 'STRING', length: 251 }, 'length'],
  'unit 256': [{ ...HOLDING, dataType: 'INT16', unitId: 256 }, 'unitId'],
  'bit 16': [{ ...HOLDING, dataType: 'BOOLEAN', bit: 16 }, 'bit'],
  'an offset in 1-based notation of six digits': [
    { ...HOLDING, dataType: 'INT16', offset: 400_001 },
    'offset',
  ],
};

for (const [fault, [address, field]] of Object.entries(CONTRADICTIONS)) {
  test(`an address with ${fault} is refused at ${field}`, () => {
    const faults = check(addressSchema, address).faults ?? [];
    assert.deepEqual(
      faults.map(({ path }) => path),
      [[field]],
    );
  });
}

test('the last registers of a table can be addressed', () => {
  const address = { ...HOLDING, offset: 65_532, dataType: 'FLOAT64' };
  assert.equal(check(addressSchema, address).faults, undefined);
});

const NUMBERS: readonly ValueType[] = ['INTEGER', 'LONG', 'FLOAT', 'DOUBLE'];
const POSSIBLE: readonly (readonly [Partial<ModbusAddress>, readonly ValueType[]])[] = [
  [{ table: 'COILS' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'BOOLEAN', bit: 0 }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'UINT16' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'INT64' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'FLOAT32' }, NUMBERS],
  [{ dataType: 'STRING', length: 4 }, ['STRING']],
  [{ dataType: 'BYTES', length: 4 }, ['BYTE_ARRAY']],
];

for (const [address, valueTypes] of POSSIBLE) {
  test(`${address.dataType ?? 'a coil'} can be ${valueTypes.join(', ')} and nothing else`, () => {
    const all: readonly ValueType[] = ['BOOLEAN', 'BYTE_ARRAY', ...NUMBERS, 'STRING'];
    const accepted = all.filter((valueType) => checkChannel(createChannel(address, valueType)).length === 0);
    assert.deepEqual(accepted.toSorted(), valueTypes.toSorted());
  });
}

for (const table of ['DISCRETE_INPUTS', 'INPUT_REGISTERS'] as const) {
  test(`a channel of ${table} can be read but not written`, () => {
    const channel = createChannel({ table });
    assert.deepEqual(checkChannel({ ...channel, type: 'READ' }), []);
    for (const type of ['WRITE', 'READ_WRITE'] as const) {
      assert.deepEqual(
        checkChannel({ ...channel, type }).map(({ path }) => path),
        [['address', 'table']],
      );
    }
  });
}

test('text that one request can read but not write is READ only', () => {
  const channel = createChannel({ dataType: 'STRING', length: 248 }, 'STRING');
  assert.deepEqual(checkChannel({ ...channel, type: 'READ' }), []);
  assert.deepEqual(
    checkChannel(channel).map(({ path }) => path),
    [['address', 'length']],
  );
});
