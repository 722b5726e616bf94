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
    connectDelayMs: 0,
    pipelineDepth: 1,
    ignoreUnitIdInAnswers: false,
    ignoreTransactionId: false,
    maximumStrayBytes: 0,
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
    readFunction: 'READ',
    bitWrite: 'AUTO',
    joinWrites: true,
    splitValues: false,
    wakeUp: false,
    units: [],
  });
});

for (const [setting, value] of [
  ['transport', 'sctp'],
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
  'an array that ends past 65535': [{ ...HOLDING, offset: 65_000, dataType: 'UINT16', count: 537 }, 'offset'],
  'an array of bits that ends past 65535': [
    { ...HOLDING, offset: 65_535, dataType: 'BOOLEAN', bit: 10, count: 7 },
    'offset',
  ],
  'an array of coils that ends past 65535': [{ table: 'COILS', offset: 65_530, count: 7 }, 'offset'],
  'an array of BYTES': [{ ...HOLDING, dataType: 'BYTES', length: 4, count: 2 }, 'count'],
  'an array without elements': [{ ...HOLDING, dataType: 'INT16', count: 0 }, 'count'],
  'an array of more elements than 2000': [{ ...HOLDING, dataType: 'INT16', count: 2001 }, 'count'],
  'an encoding of a number': [{ ...HOLDING, dataType: 'INT16', encoding: 'latin1' }, 'encoding'],
  'an unknown encoding': [{ ...HOLDING, dataType: 'STRING', length: 4, encoding: 'utf-16' }, 'encoding'],
  'padding of bytes': [{ ...HOLDING, dataType: 'BYTES', length: 4, padding: 'SPACE' }, 'padding'],
  'trim of a coil': [{ table: 'COILS', offset: 0, trim: true }, 'trim'],
  'a time zone of a number': [{ ...HOLDING, dataType: 'INT64', timeZone: 'UTC' }, 'timeZone'],
  'an unknown time zone': [{ ...HOLDING, dataType: 'DTL', timeZone: 'Berlin' }, 'timeZone'],
  'a time that ends past 65535': [{ ...HOLDING, dataType: 'DTL', offset: 65_531 }, 'offset'],
  'a bit of a decimal': [{ ...HOLDING, dataType: 'BCD16', bit: 1 }, 'bit'],
  'a decimal with length': [{ ...HOLDING, dataType: 'BCD32', length: 4 }, 'length'],
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

for (const address of [
  { ...HOLDING, offset: 65_532, dataType: 'FLOAT64' },
  { ...HOLDING, offset: 65_528, dataType: 'FLOAT64', count: 2 },
  { ...HOLDING, offset: 65_535, dataType: 'BOOLEAN', bit: 10, count: 6 },
  { table: 'COILS', offset: 65_530, count: 6 },
]) {
  test(`the last entries of ${address.table} can be addressed from ${address.offset}`, () => {
    assert.equal(check(addressSchema, address).faults, undefined);
  });
}

const NUMBERS: readonly ValueType[] = ['INTEGER', 'LONG', 'FLOAT', 'DOUBLE'];
const POSSIBLE: readonly (readonly [Partial<ModbusAddress>, readonly ValueType[]])[] = [
  [{ table: 'COILS' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'BOOLEAN', bit: 0 }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'UINT16' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'INT64' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'FLOAT32' }, NUMBERS],
  [{ dataType: 'STRING', length: 4 }, ['STRING']],
  [{ dataType: 'BYTES', length: 4 }, ['BYTE_ARRAY']],
  [{ dataType: 'BCD16' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'INT48_MOD10' }, ['BOOLEAN', ...NUMBERS]],
  [{ dataType: 'UNIX_SECONDS32' }, ['DOUBLE', 'LONG', 'STRING']],
  [{ dataType: 'CP56TIME2A' }, ['DOUBLE', 'LONG', 'STRING']],
  [{ dataType: 'DTL', count: 2 }, ['STRING']],
  [{ table: 'COILS', count: 4 }, ['STRING']],
  [{ dataType: 'FLOAT32', count: 4 }, ['STRING']],
  [{ dataType: 'STRING', length: 4, count: 4 }, ['STRING']],
];

for (const [address, valueTypes] of POSSIBLE) {
  const many = address.count === undefined ? '' : `${address.count} of `;
  test(`${many}${address.dataType ?? 'a coil'} can be ${valueTypes.join(', ')} and nothing else`, () => {
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

test('an array is refused with a scale or an offset', () => {
  const channel = {
    ...createChannel({ dataType: 'INT16', count: 2 }, 'STRING'),
    valueScale: 0.1,
    valueOffset: 5,
  };
  assert.deepEqual(
    checkChannel(channel).map(({ path }) => path),
    [['valueScale'], ['valueOffset']],
  );
});

for (const [address, longest] of [
  [{ dataType: 'UINT16' }, 123],
  [{ dataType: 'FLOAT64' }, 30],
  [{ table: 'COILS' }, 1968],
] as const) {
  test(`an array of ${longest} ${address.dataType ?? 'coils'} can be written, a longer one only read`, () => {
    const faultsOf = (count: number) => checkChannel(createChannel({ ...address, count }, 'STRING'));
    assert.deepEqual(faultsOf(longest), []);
    assert.deepEqual(
      faultsOf(longest + 1).map(({ path }) => path),
      [['address', 'count']],
    );
    assert.deepEqual(
      checkChannel({ ...createChannel({ ...address, count: 2000 }, 'STRING'), type: 'READ' }),
      [],
    );
  });
}

test('an array of bits in registers can be read but not written', () => {
  const channel = createChannel({ dataType: 'BOOLEAN', bit: 3, count: 4 }, 'STRING');
  assert.deepEqual(checkChannel({ ...channel, type: 'READ' }), []);
  assert.deepEqual(
    checkChannel(channel).map(({ path }) => path),
    [['address', 'count']],
  );
});
