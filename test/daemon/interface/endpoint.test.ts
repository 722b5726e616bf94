import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from '../../../daemon/base/schema.ts';
import { endpoint, toTarget } from '../../../daemon/interface/endpoint.ts';

const readThing = endpoint({
  method: 'GET',
  path: '/services/things/:pid/parts/:name',
  summary: 'Reads a part',
  access: 'PUBLIC',
  query: z.object({ limit: z.string().optional(), names: z.string().optional() }),
  response: { status: 200, schema: z.string() },
});

test('toTarget fills the path with encoded parameters, and the query with those that are given', () => {
  const part = { pid: 'a/b', name: 'ü?' };
  assert.equal(toTarget(readThing, part), '/services/things/a%2Fb/parts/%C3%BC%3F');
  assert.equal(
    toTarget(readThing, { ...part, limit: 5, names: ['a', 'b&c'] }),
    '/services/things/a%2Fb/parts/%C3%BC%3F?limit=5&names=a%2Cb%26c',
  );
  assert.equal(toTarget(readThing, { ...part, limit: undefined }), '/services/things/a%2Fb/parts/%C3%BC%3F');
});

test('toTarget leaves out what the endpoint does not declare', () => {
  const given = { pid: 'a', name: 'b', other: 1 };
  assert.equal(toTarget(readThing, given), '/services/things/a/parts/b');
});

test('toTarget throws a TypeError for a parameter of the path that is missing', () => {
  assert.throws(() => toTarget(readThing, { pid: 'a' }), TypeError);
});
