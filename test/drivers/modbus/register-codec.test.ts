import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { DecodeFault, EncodeFault, toState } from '../../../drivers/modbus/codec.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import {
  createRegisterCodec,
  createDecode,
  decodeBit,
  maskOf,
} from '../../../drivers/modbus/register-codec.ts';
import { createChannel } from '../../support/modbus-driver-under-test.ts';

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
