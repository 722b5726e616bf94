import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodOptional, ZodString } from 'zod';

import { check, z } from '../../../daemon/base/schema.ts';

/** Declares a schema whose object counts how often it is built. */
function declareCounted(): { readonly schema: z.ZodObject; readonly builds: () => number } {
  let builds = 0;
  const shape = Object.defineProperty({}, 'name', {
    enumerable: true,
    get() {
      builds += 1;
      return z.string();
    },
  });
  return { schema: z.strictObject(shape).describe('a thing'), builds: () => builds };
}

test('a declared schema is built when it first checks something, and once', () => {
  const { schema, builds } = declareCounted();
  const list = z.array(schema.optional()).max(2);
  assert.equal(builds(), 0);
  assert.deepEqual(check(list, [{ name: 'a' }]), { value: [{ name: 'a' }] });
  const afterFirst = builds();
  assert.ok(afterFirst > 0);
  check(list, [{ name: 'b' }]);
  check(schema, { name: 'c' });
  assert.equal(builds(), afterFirst);
});

test('a declared schema is of the kind that it is built as', () => {
  const schema = z.string().optional();
  assert.ok(schema instanceof ZodOptional);
  assert.ok(!(schema instanceof ZodString));
  assert.equal(z.int().min(3).def.type, 'number');
});

test('steps of a declaration keep their order', () => {
  const schema = z
    .string()
    .transform((text) => text.length)
    .pipe(z.int().min(2))
    .default(7);
  assert.equal(schema.parse('abc'), 3);
  assert.equal(schema.parse(undefined), 7);
  assert.equal(schema.safeParse('a').success, false);
});

test('declared schemas are built inside lists and members of objects', () => {
  const kind = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('A'), size: z.int() }),
    z.strictObject({ kind: z.literal('B') }),
  ]);
  const schema = z.strictObject({ ...z.object({ first: kind }).shape, rest: z.record(z.string(), kind) });
  const value = { first: { kind: 'A', size: 1 }, rest: { b: { kind: 'B' } } };
  assert.deepEqual(check(schema, value), { value });
  assert.equal(check(schema, { ...value, first: { kind: 'B', size: 1 } }).faults?.length, 1);
});

test('a declared schema is described under its id', () => {
  const item = z.strictObject({ name: z.string() }).meta({ id: 'DeferredItem' });
  assert.deepEqual(item.meta(), { id: 'DeferredItem' });
  const { properties, $defs } = z.toJSONSchema(z.object({ one: item, two: item }));
  assert.deepEqual(properties, {
    one: { $ref: '#/$defs/DeferredItem' },
    two: { $ref: '#/$defs/DeferredItem' },
  });
  assert.deepEqual(Object.keys($defs ?? {}), ['DeferredItem']);
});

test('a declaration that the library refuses is refused each time it is used', () => {
  const schema = z
    .string()
    .regex(/a/)
    .or(z.discriminatedUnion('kind', [z.object({ other: z.string() })]));
  assert.throws(() => schema.parse({}));
  assert.throws(() => schema.parse({}));
});

test('a derived schema keeps those that it comes from only for their descriptions', () => {
  const plain = z.string().min(1).max(4).regex(/a/);
  assert.equal(plain._zod.parent, undefined);
  assert.deepEqual(check(plain, 'abc'), { value: 'abc' });
  assert.equal(check(plain, 'abcde').faults?.length, 1);
  const described = z.string().describe('name of a thing').min(1).max(4);
  assert.equal(described.description, 'name of a thing');
  assert.equal(described._zod.parent?._zod.parent, undefined);
});
