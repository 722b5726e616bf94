import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from '../../../../daemon/base/schema.ts';
import { listUnknownParameters } from '../../../../daemon/server/http/query.ts';

const query = z.object({ limit: z.string().optional() });

test('an endpoint refuses the parameters that its query does not define, each once and in order', () => {
  assert.deepEqual(listUnknownParameters({ query }, '/a?limit=1&since=2&colour=red&since=3&limit=2'), [
    'since',
    'colour',
  ]);
  assert.deepEqual(listUnknownParameters({ query }, '/a?Limit=1&%6cimit=2&=3'), ['Limit', '']);
  assert.deepEqual(listUnknownParameters({ query }, '/a?__proto__=1&constructor'), [
    '__proto__',
    'constructor',
  ]);
});

test('an endpoint without a query refuses every parameter', () => {
  assert.deepEqual(listUnknownParameters({}, '/a?limit=1'), ['limit']);
  for (const url of ['/a', '/a?', '/a?&']) assert.deepEqual(listUnknownParameters({}, url), [], url);
});

test('an endpoint of the specification refuses no parameter', () => {
  const route = { query, isOfSpecification: true };
  assert.deepEqual(listUnknownParameters(route, '/a?limit=1&since=2'), []);
});

test('an endpoint of the specification refuses what is one of its parameters but for case', () => {
  const endpoint = { query: z.object({ dryRun: z.string().optional() }), isOfSpecification: true };
  assert.deepEqual(listUnknownParameters(endpoint, '/a?dryrun=true&colour=red&dryRun=true'), ['dryrun']);
});
