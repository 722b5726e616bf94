import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InvalidRequest } from '../../../../daemon/base/errors.ts';
import { z } from '../../../../daemon/base/schema.ts';
import { createQueryReader, splitList } from '../../../../daemon/server/http/query.ts';
import { integerParameter, listParameter } from '../../../../daemon/interface/query-parameter.ts';
import { createRequest } from './request-fixture.ts';

function createReader(schema: z.ZodObject): (url: string) => object {
  const read = createQueryReader(schema);
  return (url) => read(Object.assign(createRequest(), { url }));
}

function isRefusal(error: unknown): boolean {
  return error instanceof InvalidRequest && error.code === 'QUERY_INVALID';
}

test('a request without a query gets the values of none, which are found once and shared', () => {
  const read = createReader(z.object({ limit: integerParameter(1, 9).default(5) }));
  const none = read('/services/x');
  assert.deepEqual(
    [none, read('/services/x?'), read('/services/x?limit=7')],
    [{ limit: 5 }, { limit: 5 }, { limit: 7 }],
  );
  assert.equal(read('/services/x'), none);
  assert.ok(Object.isFrozen(none));
});

test('a parameter that has to be given is missed in a request without a query too', () => {
  const read = createReader(z.object({ name: z.string() }));
  for (const url of ['/services/x', '/services/x?']) assert.throws(() => read(url), isRefusal);
  assert.deepEqual(read('/services/x?name=a'), { name: 'a' });
});

test('a list is split at its commas, and an empty element is refused with the name of the parameter', () => {
  assert.deepEqual(splitList('channels', 'a,b', 'a name'), ['a', 'b']);
  assert.equal(splitList('channels', undefined, 'a name'), undefined);
  assert.throws(() => splitList('channels', 'a,,b', 'a name'), { message: '"channels": a name is empty' });
});

test('a list may be repeated in every way of clients, and nothing else may', () => {
  const read = createReader(z.object({ channels: listParameter('names'), name: z.string().optional() }));
  for (const query of ['channels=a,b', 'channels=a&channels=b', 'channels[]=a&channels[1]=b'])
    assert.deepEqual(read(`/services/x?${query}`), { channels: 'a,b' }, query);
  assert.throws(() => read('/services/x?name=a&name=b'), isRefusal);
});
