import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  createFault,
  createIssue,
  createReason,
  prefixFault,
  sayReason,
} from '../../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../../daemon/base/fault-sentences.ts';
import { check, z } from '../../../daemon/base/schema.ts';

const reason = createReason(BASE_FAULTS, 'USED_TWICE', { name: 'line' });
const fault = { message: '"line" is used twice', reasons: [reason] };

test('createFault joins the sentences of its reasons, with their values', () => {
  assert.deepEqual(createFault(['pid'], createReason(BASE_FAULTS, 'MISSING', {}), reason), {
    path: ['pid'],
    message: 'is missing; "line" is used twice',
    reasons: [createReason(BASE_FAULTS, 'MISSING', {}), reason],
  });
});

test('a sentence that ends with a colon is the place of the next one', () => {
  const place = createReason({ IN: 'line {line}:' }, 'IN', { line: 3 });
  const found = createFault([], reason, place, createReason(BASE_FAULTS, 'MISSING', {}));
  assert.equal(found.message, '"line" is used twice; line 3: is missing');
});

test('prefixFault places sentences before those of an error, and gives no codes to one without', () => {
  const place = createReason({ IN: 'line {line}:' }, 'IN', { line: 3 });
  assert.deepEqual(prefixFault({ ...fault, path: ['a'] }, place), {
    path: ['a'],
    message: 'line 3: "line" is used twice',
    reasons: [place, reason],
  });
  assert.deepEqual(prefixFault({ message: 'text' }, place), { message: 'line 3: text' });
});

test('kinds of values are in words', () => {
  const kinds = createReason(BASE_FAULTS, 'EXPECTED_KIND_FOUND', {
    kinds: ['int', 'string'],
    found: 'array',
  });
  assert.equal(createFault([], kinds).message, 'expected a whole number or a text, found a list');
});

test('a check reports the reason of a pattern, a condition and an issue with its message', () => {
  const schemas = [
    z.string().regex(/^a$/, sayReason(reason)),
    z.string().refine(() => false, sayReason(reason)),
    z.string().superRefine((_text, context) => context.addIssue(createIssue([], reason))),
  ];
  for (const schema of schemas) assert.deepEqual(check(schema, 'b').faults, [{ path: [], ...fault }]);
});

test('a missing value has the reason of its schema after that it is missing', () => {
  assert.deepEqual(check(z.strictObject({ pid: z.string(sayReason(reason)) }), {}).faults, [
    createFault(['pid'], createReason(BASE_FAULTS, 'MISSING', {}), reason),
  ]);
});

test('a fault whose schema has a message of its own has no reasons', () => {
  assert.deepEqual(check(z.string('expected a pid'), 5).faults, [{ path: [], message: 'expected a pid' }]);
});
