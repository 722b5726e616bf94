import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { BUILT_IN_TYPES } from '../../../drivers/opcua/data-type.ts';
import type { BuiltInType } from '../../../drivers/opcua/data-type.ts';
import { decodeVariant } from '../../../drivers/opcua/decode-variant.ts';
import { encodeVariant } from '../../../drivers/opcua/encode-variant.ts';
import { DATA_TYPES } from '../../../drivers/opcua/opcua-address.ts';
import type { DataTypeName } from '../../../drivers/opcua/opcua-address.ts';
import { ARRAY_TYPES, VariantFault } from '../../../drivers/opcua/variant.ts';

const scalar = (type: BuiltInType, value: unknown) => ({
  dataType: BUILT_IN_TYPES[type],
  arrayType: ARRAY_TYPES.scalar,
  value,
});
const array = (type: BuiltInType, value: unknown) => ({
  ...scalar(type, value),
  arrayType: ARRAY_TYPES.array,
});
const codeOf = (outcome: unknown): string | undefined =>
  outcome instanceof VariantFault ? outcome.code : undefined;

const READ: readonly (readonly [BuiltInType, unknown, ValueType, ChannelValue])[] = [
  ['Boolean', true, 'BOOLEAN', true],
  ['SByte', -128, 'INTEGER', -128],
  ['UInt32', 4_294_967_295, 'LONG', 4_294_967_295],
  ['Int64', [0x0020_0000, 1], 'LONG', 9_007_199_254_740_993n],
  ['Int64', [0xffff_ffff, 0xffff_ffff], 'LONG', -1n],
  ['Int64', [0x8000_0000, 0], 'LONG', -(2n ** 63n)],
  ['UInt64', [0xffff_ffff, 0xffff_ffff], 'LONG', 2n ** 64n - 1n],
  ['Float', 0.5, 'FLOAT', 0.5],
  ['Double', Number.NaN, 'DOUBLE', Number.NaN],
  ['String', '', 'STRING', ''],
  ['DateTime', new Date(1_700_000_000_123), 'STRING', '2023-11-14T22:13:20.123Z'],
  ['DateTime', new Date(1_700_000_000_123), 'LONG', 1_700_000_000_123],
  ['ByteString', Buffer.from([1, 2]), 'BYTE_ARRAY', Buffer.from([1, 2])],
  ['LocalizedText', { text: 'Kessel', locale: 'de' }, 'STRING', 'Kessel'],
  ['QualifiedName', { name: 'boiler', namespaceIndex: 2 }, 'STRING', 'boiler'],
];

test('decodeVariant keeps every value as it is', () => {
  for (const [type, held, valueType, value] of READ) {
    assert.deepEqual(decodeVariant(scalar(type, held), valueType), value, type);
  }
});

test('decodeVariant takes the only element of an array, and bytes out of an array of Byte', () => {
  assert.equal(decodeVariant(array('Int16', Int16Array.of(7)), 'INTEGER'), 7);
  const bytes = decodeVariant(array('Byte', Uint8Array.of(1, 2, 3)), 'BYTE_ARRAY');
  assert.deepEqual(bytes, Uint8Array.of(1, 2, 3));
});

test('decodeVariant returns no value for a text that was not UTF-8, which the library replaced', () => {
  const name = { name: 'boil\ufffdr', namespaceIndex: 2 };
  for (const held of [
    scalar('String', 'a\ufffd'),
    scalar('LocalizedText', { text: '\ufffd' }),
    scalar('QualifiedName', name),
  ]) {
    assert.equal(codeOf(decodeVariant(held, 'STRING')), 'VALUE_NOT_TEXT');
  }
});

test('decodeVariant returns no value for a type that a channel cannot carry', () => {
  assert.equal(codeOf(decodeVariant({ dataType: 0, arrayType: 0, value: null }, 'LONG')), 'OPCUA_NO_VALUE');
  assert.equal(codeOf(decodeVariant(scalar('String', null), 'STRING')), 'OPCUA_NO_VALUE');
  assert.equal(codeOf(decodeVariant(scalar('DateTime', new Date(Number.NaN)), 'LONG')), 'OPCUA_NO_VALUE');
  assert.equal(codeOf(decodeVariant(array('Double', [1, 2]), 'DOUBLE')), 'OPCUA_ARRAY_VALUE');
  assert.equal(codeOf(decodeVariant(array('Double', []), 'DOUBLE')), 'OPCUA_ARRAY_VALUE');
  const structure = { dataType: 22, arrayType: 0, value: {} };
  assert.equal(codeOf(decodeVariant(structure, 'STRING')), 'OPCUA_UNSUPPORTED_TYPE');
});

const WRITTEN: readonly (readonly [DataTypeName, ChannelValue, unknown])[] = [
  ['Boolean', 1, true],
  ['Boolean', false, false],
  ['SByte', -128, -128],
  ['Byte', 255n, 255],
  ['Int16', 2.6, 3],
  ['UInt16', 65_535, 65_535],
  ['Int32', -2_147_483_648n, -2_147_483_648],
  ['UInt32', 4_294_967_295n, 4_294_967_295],
  ['Int64', 9_007_199_254_740_993n, [0x0020_0000, 1]],
  ['Int64', -1, [0xffff_ffff, 0xffff_ffff]],
  ['UInt64', 2n ** 64n - 1n, [0xffff_ffff, 0xffff_ffff]],
  ['Float', 0.1, Math.fround(0.1)],
  ['Double', 3n, 3],
  ['String', 'x', 'x'],
  ['DateTime', '2023-11-14T22:13:20.123Z', new Date(1_700_000_000_123)],
  ['DateTime', 1_700_000_000_123n, new Date(1_700_000_000_123)],
  ['ByteString', Uint8Array.of(1), Buffer.from([1])],
  ['LocalizedText', 'x', { text: 'x' }],
];

test('encodeVariant returns the exact built-in type', () => {
  for (const [type, value, held] of WRITTEN) {
    assert.deepEqual(encodeVariant(type, value, false), scalar(type, held), type);
  }
  assert.deepEqual(encodeVariant('Int16', 5, true), array('Int16', [5]));
});

test('encodeVariant refuses a value that the type cannot hold', () => {
  const refused: readonly (readonly [DataTypeName, ChannelValue])[] = [
    ['Boolean', 2],
    ['SByte', 128],
    ['Byte', -1],
    ['UInt16', 65_536],
    ['Int32', Number.NaN],
    ['UInt32', Number.POSITIVE_INFINITY],
    ['Int64', 2n ** 63n],
    ['UInt64', -1n],
    ['Float', 1e39],
    ['DateTime', 'yesterday'],
    ['Guid', '72962B91'],
    ['DateTime', -1e14],
  ];
  for (const [type, value] of refused) {
    assert.equal(codeOf(encodeVariant(type, value, false)), 'VALUE_OUT_OF_RANGE', type);
  }
});

test('encodeVariant refuses values of another kind', () => {
  for (const type of Object.keys(DATA_TYPES) as DataTypeName[]) {
    const value = ['String', 'LocalizedText', 'Guid', 'ByteString'].includes(type) ? 5 : Uint8Array.of(1);
    if (type !== 'Byte') {
      assert.equal(codeOf(encodeVariant(type, value, false)), 'VALUE_TYPE_MISMATCH', type);
    }
  }
});
