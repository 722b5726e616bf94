import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createReason } from '../../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../../daemon/base/fault-sentences.ts';
import { check, formatPath, z } from '../../../daemon/base/schema.ts';

const schema = z.strictObject({
  host: z.string(),
  ports: z.array(z.int()).default([]),
  tls: z.strictObject({ level: z.enum(['high', 'low']) }).optional(),
});

test('check returns the value with defaults filled in', () => {
  assert.deepEqual(check(schema, { host: 'a' }), { value: { host: 'a', ports: [] } });
});

test('check reports every error with its path', () => {
  const { faults = [] } = check(schema, { host: 5, ports: [1, 'x'], tls: { level: 'mid' } });
  assert.deepEqual(
    faults.map(({ path }) => formatPath(path)),
    ['host', 'ports[1]', 'tls.level'],
  );
  assert.equal(faults[0]?.message, 'expected a text, found a number');
});

test('check names each unknown key by its own path', () => {
  const { faults = [] } = check(schema, { host: 'a', colour: 1, tls: { level: 'low', size: 2 } });
  assert.deepEqual(faults.map(({ path }) => formatPath(path)).sort(), ['colour', 'tls.size']);
  for (const { message } of faults) assert.equal(message, 'is not a known key');
});

test('check reports that a key is missing', () => {
  assert.deepEqual(check(schema, {}).faults, [
    {
      path: ['host'],
      message: 'is missing; expected a text',
      reasons: [
        createReason(BASE_FAULTS, 'MISSING', {}),
        createReason(BASE_FAULTS, 'EXPECTED_KIND', { kinds: ['string'] }),
      ],
    },
  ]);
});

test('check begins a message with a small letter, unless it begins with a name in capitals', () => {
  const refuse = (message: string): string | undefined =>
    check(
      z.string().refine(() => false, message),
      '',
    ).faults?.[0]?.message;
  assert.equal(refuse('Too big: expected less'), 'too big: expected less');
  for (const kept of ['COILS holds one bit', 'A', 'already small']) assert.equal(refuse(kept), kept);
});

test('check refuses a key named __proto__', () => {
  assert.deepEqual(check(schema, JSON.parse('{"host": "a", "__proto__": {}}')).faults?.[0]?.path, [
    '__proto__',
  ]);
});

test('check shows no value in its messages', () => {
  const { faults } = check(schema, { host: ['canary'], ports: 'canary', tls: { level: 'canary' } });
  assert.equal(faults?.length, 3);
  assert.doesNotMatch(JSON.stringify(faults), /canary/);
});

test('formatPath writes a path in the usual notation', () => {
  assert.equal(formatPath(['http', 'ports', 0, 'x']), 'http.ports[0].x');
  assert.equal(formatPath([0, 'a']), '[0].a');
  assert.equal(formatPath([]), '(document)');
});
