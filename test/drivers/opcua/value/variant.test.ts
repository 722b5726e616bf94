import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import { BUILT_IN_TYPES } from '../../../../drivers/opcua/value/data-type.ts';
import type { BuiltInType } from '../../../../drivers/opcua/value/data-type.ts';
import { decodeVariant } from '../../../../drivers/opcua/value/decode-variant.ts';
import { encodeVariant } from '../../../../drivers/opcua/value/encode-variant.ts';
import { DATA_TYPES } from '../../../../drivers/opcua/opcua-address.ts';
import type { DataTypeName } from '../../../../drivers/opcua/opcua-address.ts';
import { ARRAY_TYPES, VARIANT_TYPE, VariantFault } from '../../../../drivers/opcua/value/variant.ts';

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
  ['UInt64', [0xffff_ffff, 0xffff_ffff], 'STRING', '18446744073709551615'],
  ['Int64', [0x8000_0000, 0], 'STRING', '-9223372036854775808'],
  ['QualifiedName', { name: 'boiler', namespaceIndex: 0 }, 'STRING', 'boiler'],
  ['QualifiedName', { name: 'boiler', namespaceIndex: 2 }, 'STRING', '2:boiler'],
  ['QualifiedName', { name: '2:boiler', namespaceIndex: 0 }, 'STRING', '0:2:boiler'],
  ['NodeId', { identifierType: 1, namespace: 0, value: 85 }, 'STRING', 'i=85'],
  ['NodeId', { identifierType: 2, namespace: 2, value: 'a;b' }, 'STRING', 'ns=2;s=a;b'],
  ['NodeId', { identifierType: 4, namespace: 1, value: Buffer.from([1, 2]) }, 'STRING', 'ns=1;b=AQI='],
  ['ExpandedNodeId', { identifierType: 1, namespace: 3, value: 7, serverIndex: 0 }, 'STRING', 'ns=3;i=7'],
  [
    'ExpandedNodeId',
    { identifierType: 1, namespace: 0, value: 7, namespaceUri: 'urn:a;b', serverIndex: 4 },
    'STRING',
    'svr=4;nsu=urn:a%3Bb;i=7',
  ],
];

test('decodeVariant keeps every value as it is', () => {
  for (const [type, held, valueType, value] of READ) {
    assert.deepEqual(decodeVariant(scalar(type, held), { valueType }), value, type);
  }
});

test('decodeVariant takes the only element of an array, and bytes out of an array of Byte', () => {
  assert.equal(decodeVariant(array('Int16', Int16Array.of(7)), { valueType: 'INTEGER' }), 7);
  const bytes = decodeVariant(array('Byte', Uint8Array.of(1, 2, 3)), { valueType: 'BYTE_ARRAY' });
  assert.deepEqual(bytes, Uint8Array.of(1, 2, 3));
});

test('decodeVariant returns no value for a text that was not UTF-8, which the library replaced', () => {
  const name = { name: 'boil\ufffdr', namespaceIndex: 2 };
  for (const held of [
    scalar('String', 'a\ufffd'),
    scalar('LocalizedText', { text: '\ufffd' }),
    scalar('QualifiedName', name),
  ]) {
    assert.equal(codeOf(decodeVariant(held, { valueType: 'STRING' })), 'VALUE_NOT_TEXT');
  }
});

test('decodeVariant returns no value for a type that a channel cannot carry', () => {
  assert.equal(
    codeOf(decodeVariant({ dataType: 0, arrayType: 0, value: null }, { valueType: 'LONG' })),
    'OPCUA_NO_VALUE',
  );
  assert.equal(codeOf(decodeVariant(scalar('String', null), { valueType: 'STRING' })), 'OPCUA_NO_VALUE');
  assert.equal(
    codeOf(decodeVariant(scalar('DateTime', new Date(Number.NaN)), { valueType: 'LONG' })),
    'OPCUA_NO_VALUE',
  );
  assert.equal(codeOf(decodeVariant(array('Double', [1, 2]), { valueType: 'DOUBLE' })), 'OPCUA_ARRAY_VALUE');
  assert.equal(codeOf(decodeVariant(array('Double', []), { valueType: 'DOUBLE' })), 'OPCUA_ARRAY_VALUE');
  const structure = { dataType: 22, arrayType: 0, value: {} };
  assert.equal(codeOf(decodeVariant(structure, { valueType: 'STRING' })), 'OPCUA_UNSUPPORTED_TYPE');
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
  ['UInt64', '18446744073709551615', [0xffff_ffff, 0xffff_ffff]],
  ['Int64', '-1', [0xffff_ffff, 0xffff_ffff]],
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
    assert.deepEqual(encodeVariant({ type, rank: 0 }, value), scalar(type, held), type);
  }
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 1 }, 5, [1]), array('Int16', [5]));
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
    ['UInt64', '18446744073709551616'],
    ['Int64', '9223372036854775808'],
    ['Float', 1e39],
    ['DateTime', 'yesterday'],
    ['Guid', '72962B91'],
    ['DateTime', -1e14],
  ];
  for (const [type, value] of refused) {
    assert.equal(codeOf(encodeVariant({ type, rank: 0 }, value)), 'VALUE_OUT_OF_RANGE', type);
  }
});

test('encodeVariant refuses values of another kind', () => {
  for (const type of Object.keys(DATA_TYPES) as DataTypeName[]) {
    const value = ['String', 'LocalizedText', 'Guid', 'ByteString'].includes(type) ? 5 : Uint8Array.of(1);
    if (type !== 'Byte') {
      assert.equal(codeOf(encodeVariant({ type, rank: 0 }, value)), 'VALUE_TYPE_MISMATCH', type);
    }
  }
});

const matrix = (type: BuiltInType, value: unknown, dimensions: number[]) => ({
  ...scalar(type, value),
  arrayType: ARRAY_TYPES.matrix,
  dimensions,
});

const ARRAYS: readonly (readonly [ReturnType<typeof matrix> | ReturnType<typeof array>, string])[] = [
  [array('Boolean', [true, false]), '[true,false]'],
  [array('Int16', Int16Array.of(1, -2)), '[1,-2]'],
  [array('Byte', Uint8Array.of(1, 255)), '[1,255]'],
  [array('UInt64', [[0xffff_ffff, 0xffff_ffff]]), '[18446744073709551615]'],
  [array('Float', Float32Array.of(12.34)), '[12.34]'],
  [array('Double', [0.1, Number.NaN]), '[0.1,"NaN"]'],
  [array('String', ['a"]', null]), '["a\\"]",null]'],
  [array('DateTime', [new Date(1_700_000_000_123)]), '["2023-11-14T22:13:20.123Z"]'],
  [array('ByteString', [Buffer.from([1, 2])]), '["AQI="]'],
  [array('LocalizedText', [{ text: 'x' }]), '["x"]'],
  [array('LocalizedText', [{ text: 'x' }, { text: null, locale: 'de' }, {}]), '["x",null,null]'],
  [array('QualifiedName', [{ name: null, namespaceIndex: 1 }]), '[null]'],
  [array('Int32', []), '[]'],
  [matrix('Int32', [1, 2, 3, 4, 5, 6], [2, 3]), '[[1,2,3],[4,5,6]]'],
  [matrix('Int32', [1, 2, 3, 4], [2, 2, 1]), '[[[1],[2]],[[3],[4]]]'],
  [matrix('Int32', [], [0, 3]), '[]'],
  // Dimensions that do not belong to the elements.
  [matrix('Int32', [1, 2], [2, 3]), '[1,2]'],
  [
    matrix(
      'Int32',
      [1],
      Array.from({ length: 5000 }, () => 1),
    ),
    '[1]',
  ],
];

test('decodeVariant makes JSON text of an array, of a matrix row by row', () => {
  for (const [held, text] of ARRAYS) assert.equal(decodeVariant(held, { valueType: 'STRING' }), text);
});

test('decodeVariant takes a text out of the array of one that a server sends for an element', () => {
  const wanted = { valueType: 'STRING', range: [1] } as const;
  assert.equal(decodeVariant(array('String', ['x']), wanted), 'x');
  const tooMuch = decodeVariant(array('String', ['x', 'y']), wanted);
  assert.equal(codeOf(tooMuch), 'OPCUA_ARRAY_VALUE');
});

test('elements of any type are JSON text, each in its own type, and one of them has the type of its channel', () => {
  const held = { dataType: VARIANT_TYPE, arrayType: ARRAY_TYPES.array };
  const none = { dataType: 0, arrayType: ARRAY_TYPES.scalar, value: null };
  const nested = { ...held, value: [scalar('Boolean', true), array('Int16', [1, 2])] };
  const value = [scalar('Int32', 7), scalar('String', 'a"'), none, array('Double', [0.5]), nested];
  assert.equal(
    decodeVariant({ ...held, value }, { valueType: 'STRING' }),
    '[7,"a\\"",null,[0.5],[true,[1,2]]]',
  );
  const matrixOf = { ...held, arrayType: ARRAY_TYPES.matrix, dimensions: [2, 1], value: value.slice(0, 2) };
  assert.equal(decodeVariant(matrixOf, { valueType: 'STRING' }), '[[7],["a\\""]]');
  const one = { ...held, value: [scalar('Int32', 7)] };
  assert.equal(decodeVariant(one, { valueType: 'INTEGER', range: [1] }), 7);
  assert.equal(codeOf(decodeVariant({ ...held, value }, { valueType: 'INTEGER' })), 'OPCUA_ARRAY_VALUE');
  assert.equal(codeOf(decodeVariant({ ...held, value: [none] }, { valueType: 'INTEGER' })), 'OPCUA_NO_VALUE');
});

test('encodeVariant makes an array of JSON text, with as many dimensions as the server has', () => {
  const text = '[[1,2,3],[4,5,6]]';
  const elements = [1, 2, 3, 4, 5, 6];
  assert.deepEqual(
    encodeVariant({ type: 'UInt64', rank: 1 }, ' [18446744073709551615, 0] '),
    array('UInt64', [
      [0xffff_ffff, 0xffff_ffff],
      [0, 0],
    ]),
  );
  assert.deepEqual(encodeVariant({ type: 'String', rank: 1 }, '["a","]"]'), array('String', ['a', ']']));
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 2 }, text), matrix('Int16', elements, [2, 3]));
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 'SOME' }, text), matrix('Int16', elements, [2, 3]));
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 'SOME' }, '[1]'), array('Int16', [1]));
  assert.deepEqual(encodeVariant({ type: 'Byte', rank: 1 }, Uint8Array.of(1)), array('Byte', [1]));
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 2 }, '[]'), array('Int16', []));
});

test('encodeVariant gives elements as many dimensions as their range', () => {
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 2 }, 7, [1, 1]), matrix('Int16', [7], [1, 1]));
  assert.deepEqual(encodeVariant({ type: 'String', rank: 1 }, '[]', [1]), array('String', ['[]']));
  assert.deepEqual(encodeVariant({ type: 'Int16', rank: 1 }, '[7,8]', [2]), array('Int16', [7, 8]));
  assert.deepEqual(
    encodeVariant({ type: 'Int16', rank: 2 }, '[[7,8]]', [1, 2]),
    matrix('Int16', [7, 8], [1, 2]),
  );
});

test('encodeVariant refuses what is no array of the right form, and names the element', () => {
  const refused: readonly (readonly [Parameters<typeof encodeVariant>, string, RegExp])[] = [
    [[{ type: 'Int16', rank: 1 }, 5], 'OPCUA_ARRAY_VALUE', /array of Int16/],
    [[{ type: 'Double', rank: 'SOME' }, 5], 'OPCUA_ARRAY_VALUE', /indexRange/],
    [[{ type: 'Byte', rank: 0 }, Uint8Array.of(1)], 'VALUE_TYPE_MISMATCH', /Byte/],
    [[{ type: 'Int16', rank: 0 }, '[1]'], 'VALUE_TYPE_MISMATCH', /Int16/],
    [[{ type: 'Int16', rank: 1 }, 'Kessel'], 'VALUE_TYPE_MISMATCH', /JSON array/],
    [[{ type: 'Int16', rank: 1 }, '[1,70000]'], 'VALUE_OUT_OF_RANGE', /element \[1\].*70000/],
    [[{ type: 'Int16', rank: 1 }, '[1,null]'], 'VALUE_TYPE_MISMATCH', /element \[1\]/],
    [[{ type: 'Int16', rank: 2 }, '[1,2]'], 'VALUE_TYPE_MISMATCH', /row \[0\]/],
    [[{ type: 'Int16', rank: 2 }, '[[1,2],[3]]'], 'VALUE_OUT_OF_RANGE', /row \[1\]/],
    [[{ type: 'Int16', rank: 2 }, '[[1],[2]'], 'VALUE_TYPE_MISMATCH', /2 dimensions/],
    [[{ type: 'Int16', rank: 1 }, '[1,2,3]', [2]], 'VALUE_OUT_OF_RANGE', /expected 2 elements, not 3/],
  ];
  for (const [given, code, message] of refused) {
    const fault = encodeVariant(...given);
    assert.ok(fault instanceof VariantFault, String(given[1]));
    assert.equal(fault.code, code);
    assert.match(fault.message, message);
  }
});

test('encodeVariant takes a large matrix', () => {
  const row = `[${Array.from({ length: 200_000 }, () => 1).join(',')}]`;
  const large = encodeVariant({ type: 'Int16', rank: 2 }, `[${row},${row}]`);
  assert.ok(!(large instanceof VariantFault));
  assert.deepEqual(large.dimensions, [2, 200_000]);
});
