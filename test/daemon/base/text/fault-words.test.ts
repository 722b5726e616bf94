import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check, z } from '../../../../daemon/base/schema.ts';

const scalar = z.union([z.string(), z.number()]);
const line = z.discriminatedUnion('transport', [
  z.strictObject({ transport: z.literal('tcp').default('tcp') }),
  z.strictObject({ transport: z.literal('rtu') }),
]);

/** The message about a value under the key `x`. */
function refuse(schema: z.ZodType, value?: unknown): string | undefined {
  return check(z.strictObject({ x: schema }), value === undefined ? {} : { x: value }).faults?.[0]?.message;
}

test('a value of another kind is described in plain words', () => {
  assert.equal(refuse(z.number(), 'ten'), 'expected a number, found a text');
  assert.equal(refuse(z.boolean(), 1), 'expected true or false, found a number');
  assert.equal(refuse(z.array(z.string()), null), 'expected a list, found null');
  assert.equal(refuse(z.strictObject({}), []), 'expected an object with keys, found a list');
  assert.equal(refuse(z.int(), 1.5), 'expected a whole number');
  assert.equal(refuse(z.number(), Number.NaN), 'expected a number that is finite');
  assert.equal(refuse(scalar, true), 'expected a text or a number');
});

test('a missing value is reported as missing, with the expected kind', () => {
  assert.equal(refuse(z.string()), 'is missing; expected a text');
  assert.equal(refuse(z.enum(['READ', 'WRITE'])), 'is missing; expected one of READ, WRITE');
  assert.equal(refuse(z.string('expected a pid')), 'is missing; expected a pid');
});

test('a bound is reported with its unit', () => {
  assert.equal(refuse(z.int().max(65_535), 70_000), 'expected at most 65535');
  assert.equal(refuse(z.number().gt(0), 0), 'expected more than 0');
  assert.equal(refuse(z.string().min(3), 'ab'), 'expected at least 3 characters');
  assert.equal(refuse(z.array(z.string()).max(1), ['a', 'b']), 'expected at most 1 items');
});

test('alternatives are listed, except null', () => {
  assert.equal(refuse(z.enum(['A', 'B']), 'C'), 'expected one of A, B');
  assert.equal(refuse(z.literal(3), 4), 'expected 3');
  assert.equal(refuse(line, { transport: 'serial' }), 'expected one of tcp, rtu');
});

test('the messages of a schema itself are kept', () => {
  assert.equal(refuse(z.string('expected a pid'), 5), 'expected a pid');
});
