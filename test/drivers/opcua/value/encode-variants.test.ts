import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BUILT_IN_TYPES } from '../../../../drivers/opcua/value/data-type.ts';
import type { BuiltInType } from '../../../../drivers/opcua/value/data-type.ts';
import { decodeVariant } from '../../../../drivers/opcua/value/decode-variant.ts';
import { describeElements, encodeVariants } from '../../../../drivers/opcua/value/encode-variants.ts';
import type { VariantsTarget } from '../../../../drivers/opcua/value/encode-variants.ts';
import { ARRAY_TYPES, VARIANT_TYPE, VariantFault } from '../../../../drivers/opcua/value/variant.ts';
import type { VariantLike } from '../../../../drivers/opcua/value/variant.ts';

const scalar = (type: BuiltInType, value: unknown): VariantLike => ({
  dataType: BUILT_IN_TYPES[type],
  arrayType: ARRAY_TYPES.scalar,
  value,
});
const array = (type: BuiltInType, value: unknown): VariantLike => ({
  ...scalar(type, value),
  arrayType: ARRAY_TYPES.array,
});
const NONE: VariantLike = { dataType: 0, arrayType: ARRAY_TYPES.scalar, value: null };
const variants = (...value: readonly VariantLike[]): VariantLike => ({
  dataType: VARIANT_TYPE,
  arrayType: ARRAY_TYPES.array,
  value,
});
const matrix = (dimensions: number[], ...value: readonly VariantLike[]): VariantLike => ({
  ...variants(...value),
  arrayType: ARRAY_TYPES.matrix,
  dimensions,
});
const HELD = variants(scalar('Int16', 7), scalar('String', 'x'), NONE, array('Double', [0.5]));

function encode(
  held: VariantLike,
  value: Parameters<typeof encodeVariants>[1],
  target: Omit<VariantsTarget, 'held'> = {},
): VariantLike | VariantFault {
  const elements = describeElements(held) ?? assert.fail('the value has no elements of their own types');
  return encodeVariants({ ...target, held: elements }, value);
}

test('each element keeps its type, and one without a value stays so', () => {
  const encoded = encode(HELD, '[8, "y", null, [1, 2]]');
  assert.deepEqual(
    encoded,
    variants(scalar('Int16', 8), scalar('String', 'y'), NONE, array('Double', [1, 2])),
  );
});

test('what is read can be written', () => {
  for (const held of [HELD, matrix([1, 2], scalar('Boolean', true), array('Int64', [[0, 5]]))]) {
    const text = decodeVariant(held, { valueType: 'STRING' });
    assert.ok(typeof text === 'string');
    assert.deepEqual(encode(held, text), held);
  }
});

test('with a data type all elements have it, however many', () => {
  assert.deepEqual(
    encode(HELD, '[1, 2]', { dataType: 'UInt32' }),
    variants(scalar('UInt32', 1), scalar('UInt32', 2)),
  );
  assert.deepEqual(
    encode(variants(), '[[1], 2]', { dataType: 'Byte' }),
    variants(array('Byte', [1]), scalar('Byte', 2)),
  );
  assert.deepEqual(encode(HELD, '[]', { dataType: 'UInt32' }), variants());
});

test('elements of a range have the types of their positions', () => {
  assert.deepEqual(encode(HELD, 9, { indexRange: '0' }), variants(scalar('Int16', 9)));
  assert.deepEqual(encode(HELD, '[1.5]', { indexRange: '3' }), variants(array('Double', [1.5])));
  assert.deepEqual(
    encode(HELD, '[9, "z"]', { indexRange: '0:1' }),
    variants(scalar('Int16', 9), scalar('String', 'z')),
  );
  const held = matrix(
    [2, 2],
    scalar('Int16', 1),
    scalar('String', 'a'),
    scalar('Int32', 2),
    scalar('String', 'b'),
  );
  assert.deepEqual(encode(held, 5, { indexRange: '1,0' }), matrix([1, 1], scalar('Int32', 5)));
  assert.deepEqual(
    encode(held, '[["c"],["d"]]', { indexRange: '0:1,1' }),
    matrix([2, 1], scalar('String', 'c'), scalar('String', 'd')),
  );
});

test('what has no defined type is refused with the reason, which names the element', () => {
  const structure: VariantLike = { dataType: 22, arrayType: ARRAY_TYPES.scalar, value: {} };
  const refused: readonly (readonly [ReturnType<typeof encode>, VariantFault['code'], RegExp])[] = [
    [encode(HELD, '[8, "y"]'), 'VALUE_OUT_OF_RANGE', /expected 4 elements, not 2: .*dataType/],
    [
      encode(HELD, '[8, "y", 5, []]'),
      'OPCUA_DATA_TYPE_UNKNOWN',
      /element \[2\]: there is no value .*dataType/,
    ],
    [encode(HELD, '[true, "y", null, []]'), 'VALUE_TYPE_MISMATCH', /element \[0\]/],
    [encode(HELD, '[null, "y", null, []]'), 'VALUE_TYPE_MISMATCH', /element \[0\]/],
    [encode(HELD, '[70000, "y", null, []]'), 'VALUE_OUT_OF_RANGE', /element \[0\].*70000/],
    [encode(HELD, 5), 'OPCUA_ARRAY_VALUE', /indexRange/],
    [encode(HELD, 'Kessel'), 'VALUE_TYPE_MISMATCH', /JSON array/],
    [encode(HELD, 5, { indexRange: '4' }), 'OPCUA_DATA_TYPE_UNKNOWN', /dataType/],
    [encode(HELD, 5, { indexRange: '0,0' }), 'OPCUA_DATA_TYPE_UNKNOWN', /dataType/],
    [
      encode(variants(structure), '[{}]'),
      'OPCUA_DATA_TYPE_UNKNOWN',
      /element \[0\]: its type cannot be written/,
    ],
    [
      encode(variants(variants()), '[[]]'),
      'OPCUA_DATA_TYPE_UNKNOWN',
      /element \[0\]: its type cannot be written/,
    ],
  ];
  for (const [fault, code, message] of refused) {
    assert.ok(fault instanceof VariantFault, String(message));
    assert.equal(fault.code, code);
    assert.match(fault.message, message);
  }
});

test('only an array of Variant has elements of their own types', () => {
  assert.equal(describeElements(array('Int32', [1])), undefined);
  assert.equal(describeElements(scalar('Int32', 1)), undefined);
  assert.equal(
    describeElements({ dataType: VARIANT_TYPE, arrayType: ARRAY_TYPES.scalar, value: NONE }),
    undefined,
  );
});
