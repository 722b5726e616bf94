import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check, z } from '../../../daemon/base/schema.ts';
import {
  createChannelSchema,
  isReadable,
  isWritable,
  usesIntegerArithmetic,
} from '../../../daemon/channel/channel.ts';

const schema = createChannelSchema(z.strictObject({ register: z.int() }));
const valid = { name: 'level', type: 'READ', valueType: 'DOUBLE', address: { register: 1 } };

function faultsOf(changes: object): readonly (readonly (string | number)[])[] {
  return check(schema, { ...valid, ...changes }).faults?.map(({ path }) => path) ?? [];
}

test('a channel defaults to scale 1, offset 0, DEFINED_BY_VALUE_TYPE and enabled', () => {
  assert.deepEqual(check(schema, valid).value, {
    ...valid,
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
  });
});

test('the name of a channel has no white space, no separator, and 1 to 255 characters', () => {
  for (const name of ['', 'a b', 'a\n', 'a#', 'a/b', 'a+', 'a,b', 'a\u00a0b', 'x'.repeat(256)]) {
    assert.deepEqual(faultsOf({ name }), [['name']], JSON.stringify(name));
  }
  for (const name of ['a', 'Füllstand.1', '__proto__', 'toString', '..', '_status', 'x'.repeat(255)]) {
    assert.deepEqual(faultsOf({ name }), [], name);
  }
});

test('the name of a channel and its unit have no characters that are not seen', () => {
  for (const hidden of ['\u200b', '\u202e', '\u{e0041}', '\ue000', '\u0378', '\u2028', '\ud800', '\0']) {
    assert.deepEqual(faultsOf({ name: `a${hidden}b` }), [['name']], JSON.stringify(hidden));
    assert.deepEqual(faultsOf({ unit: `m${hidden}` }), [['unit']], JSON.stringify(hidden));
  }
  assert.deepEqual(faultsOf({ unit: 'm³/h · °C' }), []);
});

test('a scale of 0, and a scale that is not a finite number, is refused', () => {
  for (const valueScale of [0, -0, NaN, Infinity, '2'])
    assert.deepEqual(faultsOf({ valueScale }), [['valueScale']]);
  assert.deepEqual(faultsOf({ valueOffset: -Infinity }), [['valueOffset']]);
});

test('a scale that integer arithmetic truncates to 0 is refused', () => {
  assert.deepEqual(faultsOf({ valueType: 'INTEGER', valueScale: 0.5 }), [['valueScale']]);
  assert.deepEqual(faultsOf({ valueType: 'LONG', valueScale: -0.99 }), [['valueScale']]);
  assert.deepEqual(faultsOf({ scaleOffsetType: 'LONG', valueScale: 0.1 }), [['valueScale']]);
  assert.deepEqual(faultsOf({ valueType: 'INTEGER', valueScale: 0.5, scaleOffsetType: 'DOUBLE' }), []);
  assert.deepEqual(faultsOf({ valueType: 'INTEGER', valueScale: 1.9 }), []);
});

test('an unknown key and an invalid address are refused with their path', () => {
  assert.deepEqual(faultsOf({ adress: 1 }), [['adress']]);
  assert.deepEqual(faultsOf({ address: { register: 1.5, unit: 2 } }), [
    ['address', 'register'],
    ['address', 'unit'],
  ]);
});

test('usesIntegerArithmetic follows scaleOffsetType, and the value type only for DEFINED_BY_VALUE_TYPE', () => {
  const uses = (scaleOffsetType: 'DEFINED_BY_VALUE_TYPE' | 'DOUBLE' | 'LONG') =>
    (['INTEGER', 'LONG', 'FLOAT', 'DOUBLE'] as const).map((valueType) =>
      usesIntegerArithmetic({ scaleOffsetType, valueType }),
    );
  assert.deepEqual(uses('DEFINED_BY_VALUE_TYPE'), [true, true, false, false]);
  assert.deepEqual(uses('LONG'), [true, true, true, true]);
  assert.deepEqual(uses('DOUBLE'), [false, false, false, false]);
});

test('isReadable and isWritable follow the direction', () => {
  const channels = (['READ', 'WRITE', 'READ_WRITE'] as const).map((type) => schema.parse({ ...valid, type }));
  assert.deepEqual(channels.map(isReadable), [true, false, true]);
  assert.deepEqual(channels.map(isWritable), [false, true, true]);
});
