import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelValue } from '../../../../daemon/channel/value-type.ts';
import { DecodeFault, EncodeFault, toState } from '../../../../drivers/modbus/value/codec.ts';
import type { ModbusAddress } from '../../../../drivers/modbus/modbus-address.ts';
import {
  createRegisterCodec,
  createDecode,
  decodeBit,
  maskOf,
} from '../../../../drivers/modbus/value/register-codec.ts';
import { createChannel } from '../../../support/modbus-driver-under-test.ts';

const LITTLE_BYTES = { byteOrder: 'LITTLE_ENDIAN' } as const;
const LITTLE_WORDS = { wordOrder: 'LITTLE_ENDIAN' } as const;
const LITTLE = { ...LITTLE_BYTES, ...LITTLE_WORDS } as const;

function addressOf(fields: Partial<ModbusAddress>): ModbusAddress {
  return createChannel(fields).address;
}

const VECTORS: readonly (readonly [Partial<ModbusAddress>, string, ChannelValue])[] = [
  [{ dataType: 'INT8' }, '0080', -128],
  [{ dataType: 'INT8', ...LITTLE_BYTES }, '8000', -128],
  [{ dataType: 'UINT8' }, '00ff', 255],
  [{ dataType: 'UINT8', ...LITTLE_BYTES }, 'ff00', 255],
  [{ dataType: 'INT16' }, 'fffe', -2],
  [{ dataType: 'INT16', ...LITTLE_BYTES }, 'feff', -2],
  [{ dataType: 'INT16', ...LITTLE_WORDS }, 'fffe', -2],
  [{ dataType: 'UINT16' }, 'fffe', 65_534],
  [{ dataType: 'INT32' }, '80000001', -2_147_483_647],
  [{ dataType: 'UINT32' }, '12345678', 0x12345678],
  [{ dataType: 'UINT32', ...LITTLE_WORDS }, '56781234', 0x12345678],
  [{ dataType: 'UINT32', ...LITTLE_BYTES }, '34127856', 0x12345678],
  [{ dataType: 'UINT32', ...LITTLE }, '78563412', 0x12345678],
  [{ dataType: 'INT64' }, '8000000000000000', -(2n ** 63n)],
  [{ dataType: 'INT64' }, '0020000000000001', 9_007_199_254_740_993n],
  [{ dataType: 'UINT64' }, 'fffffffffffffffe', 2n ** 64n - 2n],
  [{ dataType: 'UINT64', ...LITTLE_WORDS }, '7788556633441122', 0x1122334455667788n],
  [{ dataType: 'UINT64', ...LITTLE_BYTES }, '2211443366558877', 0x1122334455667788n],
  [{ dataType: 'UINT64', ...LITTLE }, '8877665544332211', 0x1122334455667788n],
  [{ dataType: 'FLOAT32' }, '414570a4', Math.fround(12.34)],
  [{ dataType: 'FLOAT32', ...LITTLE_WORDS }, '00003f80', 1],
  [{ dataType: 'FLOAT32' }, '7f800000', Number.POSITIVE_INFINITY],
  [{ dataType: 'FLOAT64' }, '400921fb54442d18', Math.PI],
  [{ dataType: 'FLOAT64', ...LITTLE }, '182d4454fb210940', Math.PI],
  [{ dataType: 'STRING', length: 6 }, '50756d700000', 'Pump'],
  [{ dataType: 'STRING', length: 4, ...LITTLE_BYTES }, '7550706d', 'Pump'],
  [{ dataType: 'STRING', length: 3 }, 'c3bc2100', 'ü!'],
  [{ dataType: 'STRING', length: 8, encoding: 'latin1' }, '5afc726963680000', 'Zürich'],
  [{ dataType: 'STRING', length: 4, encoding: 'latin1', ...LITTLE_BYTES }, '42b00061', '°Ba'],
  [{ dataType: 'STRING', length: 4, encoding: 'ascii' }, '50756d70', 'Pump'],
  [{ dataType: 'STRING', length: 6, padding: 'SPACE' }, '50756d702020', 'Pump'],
  [{ dataType: 'STRING', length: 5, padding: 'SPACE' }, '50756d702000', 'Pump'],
  [{ dataType: 'STRING', length: 6, padding: 'SPACE', trim: false }, '50756d702020', 'Pump  '],
  [{ dataType: 'STRING', length: 6, trim: true }, '50756d700000', 'Pump'],
  [{ dataType: 'BCD16' }, '1234', 1234],
  [{ dataType: 'BCD16', ...LITTLE_BYTES }, '3412', 1234],
  [{ dataType: 'BCD32' }, '12345678', 12_345_678],
  [{ dataType: 'BCD32', ...LITTLE_WORDS }, '56781234', 12_345_678],
  [{ dataType: 'BCD64' }, '9999999999999999', 9_999_999_999_999_999n],
  [{ dataType: 'BCD64', ...LITTLE }, '8877665544332211', 1_122_334_455_667_788n],
  [{ dataType: 'UINT32_MOD10' }, '270f0001', 99_990_001],
  [{ dataType: 'UINT48_MOD10', ...LITTLE_WORDS }, '11d7007b0000', 1_234_567],
  [{ dataType: 'UINT64_MOD10', ...LITTLE_WORDS }, '11d7007b00000000', 1_234_567n],
  [{ dataType: 'INT32_MOD10' }, 'fffffff6', -10_010],
  [{ dataType: 'INT48_MOD10', ...LITTLE_WORDS }, 'ee29ff850000', -1_234_567],
  [{ dataType: 'INT64_MOD10' }, '000000000000ffff', -1n],
  // Schneider Electric: year, month and day, hour and minute, milliseconds; Siemens SICAM FCM has the last register first.
  [{ dataType: 'CP56TIME2A' }, '001a0b160e233039', '2026-11-22T14:35:12.345Z'],
  [{ dataType: 'CP56TIME2A', ...LITTLE_WORDS }, '30390e230b16001a', '2026-11-22T14:35:12.345Z'],
  // The octets in the order of IEC 60870-5-4.
  [{ dataType: 'CP56TIME2A', ...LITTLE }, '3930230e160b1a00', '2026-11-22T14:35:12.345Z'],
  [{ dataType: 'UNIX_SECONDS32', ...LITTLE_WORDS }, '833e4fb3', '2012-05-16T10:36:46.000Z'],
  [{ dataType: 'UNIX_SECONDS32', timeZone: '+02:00' }, '4fb3833e', '2012-05-16T08:36:46.000Z'],
  [{ dataType: 'UNIX_SECONDS64' }, '000000004fb3833e', '2012-05-16T10:36:46.000Z'],
  [{ dataType: 'UNIX_MILLISECONDS64' }, '0000000000000001', '1970-01-01T00:00:00.001Z'],
  [{ dataType: 'DATE_AND_TIME' }, '9312250812345677', '1993-12-25T08:12:34.567Z'],
  [{ dataType: 'DTL' }, '07d80c1003141e140ee6b280', '2008-12-16T20:30:20.250Z'],
  [{ dataType: 'YMDHMS_BCD' }, '261122143512', '2026-11-22T14:35:12.000Z'],
  [{ dataType: 'YMDHMS_BCD', ...LITTLE_BYTES }, '112614221235', '2026-11-22T14:35:12.000Z'],
  [{ dataType: 'YMDHMS_BYTES', timeZone: 'Europe/Berlin' }, '1a0b160e230c', '2026-11-22T13:35:12.000Z'],
  [{ dataType: 'YMDHMS_REGISTERS' }, '07ea000b0016000e0023000c', '2026-11-22T14:35:12.000Z'],
  [{ dataType: 'YMDHMS_REGISTERS', ...LITTLE_WORDS }, '000c0023000e0016000b07ea', '2026-11-22T14:35:12.000Z'],
  [{ dataType: 'BCD16', count: 3 }, '000112349999', '[1,1234,9999]'],
  [{ dataType: 'BCD64', count: 1 }, '9999999999999999', '[9999999999999999]'],
  [
    { dataType: 'UNIX_SECONDS32', count: 2 },
    '000000004fb3833e',
    '["1970-01-01T00:00:00.000Z","2012-05-16T10:36:46.000Z"]',
  ],
  [{ dataType: 'STRING', length: 3, count: 2, padding: 'SPACE' }, '4120200042632000', '["A","Bc"]'],
  [{ dataType: 'BYTES', length: 3 }, '01020300', Buffer.from([1, 2, 3])],
  [{ dataType: 'BYTES', length: 3, ...LITTLE_BYTES }, '02010003', Buffer.from([1, 2, 3])],
];

for (const [fields, registers, value] of VECTORS) {
  const { dataType, byteOrder = 'BIG_ENDIAN', wordOrder = 'BIG_ENDIAN' } = fields;
  const name = `${dataType} ${registers}, bytes ${byteOrder}, words ${wordOrder}`;

  test(`the decoder reads ${name}`, () => {
    const bytes = Buffer.concat([
      Buffer.from('a5a5', 'hex'),
      Buffer.from(registers, 'hex'),
      Buffer.alloc(2, 0x5a),
    ]);
    assert.deepEqual(createRegisterCodec(addressOf(fields)).decode(bytes, 2), value);
  });

  test(`the encoder writes ${name}`, () => {
    assert.deepEqual(createRegisterCodec(addressOf(fields)).encode(value), Buffer.from(registers, 'hex'));
  });
}

test('the decoder finds no text in bytes that are not UTF-8, also where the device cut a character in two', () => {
  const codec = createRegisterCodec(addressOf({ dataType: 'STRING', length: 5 }));
  for (const registers of ['50756d70c39f', '50ff6d707000', 'eda080414100', 'c08041414100']) {
    const value = codec.decode(Buffer.from(registers, 'hex'), 0);
    assert.ok(value instanceof DecodeFault, registers);
    assert.equal(value.code, 'VALUE_NOT_TEXT');
  }
  assert.equal(codec.decode(Buffer.from('50756d7000ff', 'hex'), 0), 'Pump');
  // A character that the device itself holds is no replacement.
  assert.equal(codec.decode(Buffer.from('efbfbd410000', 'hex'), 0), '\ufffdA');
});

test('the decoder reads a text in its encoding, and none that the encoding does not have', () => {
  const read = (encoding: 'ascii' | 'latin1', registers: string): unknown =>
    createRegisterCodec(addressOf({ dataType: 'STRING', length: 4, encoding })).decode(
      Buffer.from(registers, 'hex'),
      0,
    );
  assert.equal(read('latin1', 'b0433031'), '°C01');
  const fault = read('ascii', 'b0433031');
  assert.ok(fault instanceof DecodeFault);
  assert.deepEqual(
    [fault.code, fault.message],
    ['VALUE_NOT_TEXT', 'the registers do not contain ascii text'],
  );
});

test('the decoder removes spaces at the end with trim, and never those before', () => {
  const read = (fields: Partial<ModbusAddress>, text: string): unknown =>
    createRegisterCodec(addressOf({ dataType: 'STRING', length: 8, ...fields })).decode(Buffer.from(text), 0);
  assert.equal(read({ trim: true }, ' Pump  \0'), ' Pump');
  assert.equal(read({ trim: true }, 'Pump\0   '), 'Pump');
  assert.equal(read({ trim: true }, '        '), '');
  assert.equal(read({}, ' Pump  \0'), ' Pump  ');
});

test('a time is milliseconds since the epoch for a numeric value type, and is written from both', () => {
  const address = addressOf({ dataType: 'UNIX_SECONDS32' });
  const registers = Buffer.from('4fb3833e', 'hex');
  const text = '2012-05-16T10:36:46.000Z';
  for (const valueType of ['LONG', 'DOUBLE'] as const) {
    assert.equal(createDecode(address, valueType)(registers, 0), Date.parse(text));
  }
  assert.equal(createDecode(address, 'STRING')(registers, 0), text);
  const { encode } = createRegisterCodec(address);
  assert.deepEqual(encode(Date.parse(text)), registers);
  assert.deepEqual(encode(BigInt(Date.parse(text))), registers);
});

test('registers that are no decimal digits, or no time, have no value', () => {
  for (const [dataType, registers] of [
    ['BCD16', '123a'],
    ['BCD32', 'ffffffff'],
    ['UINT32_MOD10', '00002710'],
    ['YMDHMS_BCD', '000000000000'],
    ['CP56TIME2A', '001a0b160ea33039'],
  ] as const) {
    const fault = createRegisterCodec(addressOf({ dataType })).decode(Buffer.from(registers, 'hex'), 0);
    assert.ok(fault instanceof DecodeFault);
    assert.equal(fault.code, 'VALUE_NOT_DECODABLE');
    assert.match(fault.message, new RegExp(registers.slice(2)));
  }
});

test('the decoder reads NaN', () => {
  const codec = createRegisterCodec(addressOf({ dataType: 'FLOAT32' }));
  assert.ok(Number.isNaN(codec.decode(Buffer.from('7fc00000', 'hex'), 0)));
});

const ROUNDED: readonly (readonly [ModbusAddress['dataType'], ChannelValue, string])[] = [
  ['INT16', 1.5, '0002'],
  ['INT16', -1.6, 'fffe'],
  ['UINT8', 0.4, '0000'],
  ['UINT8', 255.4, '00ff'],
  ['INT64', 2.5, '0000000000000003'],
  ['UINT16', true, '0001'],
  ['UINT16', 65_535n, 'ffff'],
  ['FLOAT32', 16_777_217, '4b800000'],
  ['FLOAT32', 3n, '40400000'],
];

for (const [dataType, value, registers] of ROUNDED) {
  test(`the encoder writes ${String(value)} into ${dataType} as ${registers}`, () => {
    assert.deepEqual(
      createRegisterCodec(addressOf({ dataType })).encode(value),
      Buffer.from(registers, 'hex'),
    );
  });
}

const REFUSED: readonly (readonly [Partial<ModbusAddress>, ChannelValue, EncodeFault['code']])[] = [
  [{ dataType: 'INT8' }, 128, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'UINT8' }, 255.5, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'UINT16' }, -1, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT16' }, 32_768, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT32' }, 2 ** 31, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'UINT32' }, 2n ** 32n, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT64' }, 2n ** 63n, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT64' }, 2 ** 63, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'UINT64' }, -1n, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT16' }, Number.NaN, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT64' }, Number.NaN, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'UINT32' }, Number.POSITIVE_INFINITY, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'FLOAT32' }, 3.5e38, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'FLOAT32' }, 10n ** 40n, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'FLOAT64' }, 10n ** 400n, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'INT16' }, '12', 'VALUE_TYPE_MISMATCH'],
  [{ dataType: 'FLOAT64' }, Buffer.alloc(8), 'VALUE_TYPE_MISMATCH'],
  [{ dataType: 'STRING', length: 3 }, 'Pump', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'STRING', length: 3 }, 'üü', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'STRING', length: 3 }, 'a\0b', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'STRING', length: 3 }, 5, 'VALUE_TYPE_MISMATCH'],
  [{ dataType: 'STRING', length: 3, encoding: 'ascii' }, 'ü', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'STRING', length: 3, encoding: 'latin1' }, '€', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'STRING', length: 3, padding: 'SPACE' }, 'Pump', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'BCD16' }, 10_000, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'BCD32' }, -1, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'BCD64' }, 10n ** 16n, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'BCD16' }, '12', 'VALUE_TYPE_MISMATCH'],
  [{ dataType: 'UINT32_MOD10' }, 100_000_000, 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'YMDHMS_BYTES' }, '2100-01-01T00:00:00Z', 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'YMDHMS_BYTES' }, 'now', 'VALUE_TYPE_MISMATCH'],
  [{ dataType: 'BYTES', length: 3 }, Buffer.alloc(2), 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'BYTES', length: 3 }, Buffer.alloc(4), 'VALUE_OUT_OF_RANGE'],
  [{ dataType: 'BYTES', length: 3 }, 'abc', 'VALUE_TYPE_MISMATCH'],
];

for (const [fields, value, code] of REFUSED) {
  const shown = typeof value === 'object' ? `${value.length} bytes` : JSON.stringify(String(value));
  test(`the encoder refuses ${shown} for ${fields.dataType} with ${code}`, () => {
    const outcome = createRegisterCodec(addressOf(fields)).encode(value);
    assert.ok(outcome instanceof EncodeFault);
    assert.equal(outcome.code, code);
  });
}

test('FLOAT32 writes NaN and infinity, which it can hold', () => {
  const { encode } = createRegisterCodec(addressOf({ dataType: 'FLOAT32' }));
  assert.deepEqual(encode(Number.NEGATIVE_INFINITY), Buffer.from('ff800000', 'hex'));
  assert.deepEqual(encode(Number.NaN), Buffer.from('7fc00000', 'hex'));
});

test('a bit of a register counts from the least significant after the bytes are in order', () => {
  const big = addressOf({ dataType: 'BOOLEAN', bit: 9 });
  const little = addressOf({ dataType: 'BOOLEAN', bit: 9, ...LITTLE_BYTES });
  assert.deepEqual([maskOf(big), maskOf(little)], [0x0200, 0x0002]);
  assert.equal(createDecode(big)(Buffer.from('0200', 'hex'), 0), true);
  assert.equal(createDecode(little)(Buffer.from('0200', 'hex'), 0), false);
});

// MODBUS Application Protocol V1.1b3, 6.1: coils 20-38 answered CD 6B 05.
test('decodeBit reads the coils of the specification', () => {
  const bytes = Buffer.from('cd6b05', 'hex');
  const states = Array.from({ length: 19 }, (_, index) => Number(decodeBit(bytes, index)));
  assert.equal(states.join(''), '1011001111010110101');
});

test('toState takes booleans, 0 and 1, and nothing else', () => {
  assert.deepEqual([true, 0, 1n].map(toState), [true, false, true]);
  for (const value of [2, Number.NaN, 'true']) assert.ok(toState(value) instanceof EncodeFault);
});
