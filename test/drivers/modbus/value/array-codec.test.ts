import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelValue } from '../../../../daemon/channel/value-type.ts';
import { DecodeFault, EncodeFault } from '../../../../drivers/modbus/value/codec.ts';
import { encodeWrite } from '../../../../drivers/modbus/write/encode-write.ts';
import { addressSchema } from '../../../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress } from '../../../../drivers/modbus/modbus-address.ts';
import { createDecode, createRegisterCodec } from '../../../../drivers/modbus/value/register-codec.ts';

const LITTLE_BYTES = { byteOrder: 'LITTLE_ENDIAN' } as const;
const LITTLE_WORDS = { wordOrder: 'LITTLE_ENDIAN' } as const;

function addressOf(fields: Partial<ModbusAddress>): ModbusAddress {
  return addressSchema.parse({ table: 'HOLDING_REGISTERS', offset: 0, ...fields });
}

const VECTORS: readonly (readonly [Partial<ModbusAddress>, string, string])[] = [
  [{ dataType: 'UINT16', count: 1 }, '0007', '[7]'],
  [{ dataType: 'INT16', count: 3 }, '0001ffff8000', '[1,-1,-32768]'],
  [{ dataType: 'INT16', count: 2, ...LITTLE_BYTES }, '0100feff', '[1,-2]'],
  [{ dataType: 'UINT8', count: 2 }, '00ff0001', '[255,1]'],
  [{ dataType: 'UINT32', count: 2, ...LITTLE_WORDS }, '5678123400010000', '[305419896,1]'],
  [
    { dataType: 'UINT64', count: 2 },
    'ffffffffffffffff0020000000000001',
    '[18446744073709551615,9007199254740993]',
  ],
  [{ dataType: 'INT64', count: 1 }, '8000000000000000', '[-9223372036854775808]'],
  [{ dataType: 'FLOAT32', count: 3 }, '414570a47fc00000ff800000', '[12.34,"NaN","-Infinity"]'],
  [{ dataType: 'FLOAT64', count: 1 }, '400921fb54442d18', '[3.141592653589793]'],
  [{ dataType: 'STRING', length: 3, count: 2 }, '4142000022c3bc00', '["AB","\\"ü"]'],
];

for (const [fields, registers, text] of VECTORS) {
  test(`an array of ${fields.count} ${fields.dataType} in ${registers} is ${text}, both ways`, () => {
    const codec = createRegisterCodec(addressOf(fields));
    assert.equal(codec.decode(Buffer.from(`a5a5${registers}5a5a`, 'hex'), 2), text);
    assert.deepEqual(codec.encode(text), Buffer.from(registers, 'hex'));
  });
}

const REFUSED: readonly (readonly [Partial<ModbusAddress>, ChannelValue, EncodeFault['code'], string])[] = [
  [
    { dataType: 'INT16', count: 2 },
    '[1,40000]',
    'VALUE_OUT_OF_RANGE',
    'element [1]: 40000 is out of range for INT16',
  ],
  [
    { dataType: 'UINT16', count: 2 },
    '[-1,0]',
    'VALUE_OUT_OF_RANGE',
    'element [0]: -1 is out of range for UINT16',
  ],
  [
    { dataType: 'UINT64', count: 1 },
    '[18446744073709551616]',
    'VALUE_OUT_OF_RANGE',
    'element [0]: 18446744073709551616 is out of range for UINT64',
  ],
  [
    { dataType: 'FLOAT32', count: 1 },
    '[1e39]',
    'VALUE_OUT_OF_RANGE',
    'element [0]: 1e+39 is out of range for FLOAT32',
  ],
  [{ dataType: 'INT16', count: 2 }, '[1]', 'VALUE_OUT_OF_RANGE', 'expected 2 elements, not 1'],
  [{ dataType: 'INT16', count: 2 }, '[1,2,3]', 'VALUE_OUT_OF_RANGE', 'expected 2 elements, not more'],
  [{ dataType: 'INT16', count: 2 }, '[1,2.5]', 'VALUE_TYPE_MISMATCH', 'element [1] is not a whole number'],
  [{ dataType: 'INT16', count: 2 }, 'on', 'VALUE_TYPE_MISMATCH', 'the text is no JSON array such as [1,2.5]'],
  [{ dataType: 'INT16', count: 1 }, 5, 'VALUE_TYPE_MISMATCH', 'expected a JSON array as text'],
  [
    { dataType: 'STRING', length: 2, count: 2 },
    '["ab","abc"]',
    'VALUE_OUT_OF_RANGE',
    'element [1]: the text has 3 bytes; the maximum is 2',
  ],
  [{ table: 'COILS', count: 2 }, '[true,2]', 'VALUE_TYPE_MISMATCH', 'element [1] is not true or false'],
];

for (const [fields, value, code, message] of REFUSED) {
  test(`an array of ${fields.count} ${fields.dataType ?? 'coils'} refuses ${String(value)}`, () => {
    const fault = encodeWrite(addressOf(fields), value);
    assert.ok(fault instanceof EncodeFault);
    assert.deepEqual([fault.code, fault.message], [code, message]);
  });
}

test('an array has no value when one element has none, and names it', () => {
  const codec = createRegisterCodec(addressOf({ dataType: 'STRING', length: 2, count: 2 }));
  const fault = codec.decode(Buffer.from('4142ffff', 'hex'), 0);
  assert.ok(fault instanceof DecodeFault);
  assert.equal(fault.code, 'VALUE_NOT_TEXT');
  assert.match(fault.message, /^element \[1\]: /);
});

test('an array of coils begins at any bit of the answer', () => {
  const decode = createDecode(addressOf({ table: 'COILS', count: 10 }));
  assert.equal(
    decode(Buffer.from('cd6b05', 'hex'), 7),
    '[true,true,true,false,true,false,true,true,false,true]',
  );
});

test('an array of coils is written as one request, also when it has one element', () => {
  for (const [count, text, states] of [
    [3, '[true,false,"TRUE"]', [true, false, true]],
    [1, '[false]', [false]],
  ] as const) {
    const address = addressOf({ table: 'COILS', offset: 7, count });
    assert.deepEqual(encodeWrite(address, text), { kind: 'COILS', unitId: 1, offset: 7, states });
  }
});

test('an array of bits goes on in the next register', () => {
  const bits = (fields: Partial<ModbusAddress>, registers: string): unknown =>
    createDecode(addressOf({ dataType: 'BOOLEAN', ...fields }))(Buffer.from(registers, 'hex'), 2);
  assert.equal(bits({ bit: 14, count: 4 }, 'ffff40000002'), '[true,false,false,true]');
  assert.equal(bits({ bit: 0, count: 3 }, 'ffff0005'), '[true,false,true]');
  // The low byte comes first: bit 8 is in the second byte.
  assert.equal(bits({ bit: 7, count: 2, ...LITTLE_BYTES }, 'ffff8000'), '[true,false]');
  assert.equal(bits({ bit: 7, count: 2, ...LITTLE_BYTES }, 'ffff0001'), '[false,true]');
});
