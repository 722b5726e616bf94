import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { Unavailable } from '../../../../daemon/base/errors.ts';
import { z } from '../../../../daemon/base/schema.ts';
import { ok } from '../../../../daemon/server/http/answer.ts';
import type { Answer } from '../../../../daemon/server/http/answer.ts';
import { jsonBody } from '../../../../daemon/interface/endpoint.ts';
import { digest } from '../../../../daemon/server/http/idempotent-requests.ts';
import type { RequestContext } from '../../../../daemon/server/http/request-context.ts';
import { RETENTION_MS } from '../../../../daemon/security/idempotency/idempotency-store.ts';
import type { ClientAnswer } from '../../../support/https-client.ts';
import { createRoute, openApplication } from './application-fixture.ts';

interface Bench {
  readonly done: string[];
  /** What the operation answers from now on. */
  answer: (context: RequestContext) => Answer | Promise<Answer>;
  readonly open: Awaited<ReturnType<typeof openApplication>>;
  post(key: string | undefined, body?: unknown, identity?: string): Promise<ClientAnswer>;
}

async function openBench(t: TestContext): Promise<Bench> {
  const bench: Pick<Bench, 'done' | 'answer'> = { done: [], answer: () => ok(bench.done.length) };
  const handle = (context: RequestContext): Answer | Promise<Answer> => {
    bench.done.push(JSON.stringify(context.body));
    return bench.answer(context);
  };
  const route = { method: 'POST', access: 'ANY_IDENTITY', handle } as const;
  const request = jsonBody(z.unknown(), 1000);
  const open = await openApplication(t, [
    createRoute({
      ...route,
      request,
      isKeyed: true,
      answerInterrupted: (_context, nowMs) => ok({ outcome: 'UNKNOWN', nowMs }),
    }),
    createRoute({ ...route, request, path: '/plain' }),
    createRoute({ ...route, request, path: '/unbegun', isKeyed: true, answerInterrupted: () => undefined }),
  ]);
  return Object.assign(bench, {
    open,
    post: (key: string | undefined, body: unknown = 1, identity = 'assets') =>
      open.send('POST', '/thing', {
        body,
        headers: { Authorization: identity, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
      }),
  });
}

const replayedOf = ({ headers }: ClientAnswer): unknown => headers['idempotency-replayed'];

test('a request that is repeated with its key gets the first answer, and does nothing', async (t) => {
  const bench = await openBench(t);
  bench.answer = () => ({ status: 201, headers: { Location: '/made' }, json: '{"made":1}' });
  const first = await bench.post('key-1');
  bench.answer = () => ok('another');
  const second = await bench.post('key-1');
  assert.deepEqual([first.status, first.json, replayedOf(first)], [201, { made: 1 }, undefined]);
  assert.deepEqual([second.status, second.json, replayedOf(second)], [201, { made: 1 }, 'true']);
  assert.equal(second.headers['location'], '/made');
  assert.equal(bench.done.length, 1);
});

test('requests without key, and on endpoints that take none, are carried out each time', async (t) => {
  const bench = await openBench(t);
  await bench.post(undefined);
  await bench.post(undefined);
  const headers = { Authorization: 'assets', 'Idempotency-Key': 'not a key' };
  await bench.open.send('POST', '/plain', { body: 1, headers });
  const last = await bench.open.send('POST', '/plain', { body: 1, headers });
  assert.deepEqual([last.status, bench.done.length], [200, 4]);
});

for (const key of ['', ' ', 'a b', '"quoted"', 'ä', 'a'.repeat(65), 'a,b']) {
  test(`the malformed key ${JSON.stringify(key)} is 400, before the body is read`, async (t) => {
    const bench = await openBench(t);
    assert.equal((await bench.post(key, 'x'.repeat(5000))).status, 400);
    assert.equal(bench.done.length, 0);
  });
}

test('keys may have every permitted character, and 64 of them', async (t) => {
  const bench = await openBench(t);
  assert.equal((await bench.post(`AZaz09._-${'x'.repeat(55)}`)).status, 200);
});

test('a key given twice is 400', async (t) => {
  const bench = await openBench(t);
  const head =
    'POST /thing HTTP/1.1\r\nHost: a\r\nAuthorization: assets\r\nContent-Type: application/json\r\n';
  const keys = 'Idempotency-Key: a\r\nIdempotency-Key: a\r\n';
  const answer = await bench.open.sendRaw(`${head}${keys}Connection: close\r\nContent-Length: 1\r\n\r\n1`);
  assert.match(answer, /^HTTP\/1.1 400 /);
});

test('another body, path or query with the same key is 422', async (t) => {
  const bench = await openBench(t);
  await bench.post('key-1', { value: 1 });
  assert.equal((await bench.post('key-1', { value: 2 })).status, 422);
  const headers = { Authorization: 'assets', 'Idempotency-Key': 'key-1' };
  assert.equal((await bench.open.send('POST', '/unbegun', { body: { value: 1 }, headers })).status, 422);
  assert.equal(bench.done.length, 1);
});

test('of two equal requests at once one is carried out, and the other is 409 until it has ended', async (t) => {
  const bench = await openBench(t);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  bench.answer = async () => {
    reached.resolve();
    await released.promise;
    return ok('first');
  };
  const first = bench.post('key-1');
  await reached.promise;
  assert.equal((await bench.post('key-1')).status, 409);
  assert.equal((await bench.post('key-1', { another: 1 })).status, 422);
  released.resolve();
  assert.equal((await first).json, 'first');
  assert.equal((await bench.post('key-1')).json, 'first');
  assert.equal(bench.done.length, 1);
});

test('the same key of another identity is another key', async (t) => {
  const bench = await openBench(t);
  await bench.post('key-1', 1, 'assets');
  const other = await bench.post('key-1', 2, 'deploy');
  assert.deepEqual([other.status, replayedOf(other), bench.done.length], [200, undefined, 2]);
});

test('after 24 hours a key is as new', async (t) => {
  const bench = await openBench(t);
  await bench.post('key-1');
  bench.open.clock.advance(RETENTION_MS);
  assert.equal(replayedOf(await bench.post('key-1')), undefined);
  assert.equal(bench.done.length, 2);
});

test('an answer that says to try again leaves the key free', async (t) => {
  const bench = await openBench(t);
  bench.answer = () => {
    throw new Unavailable({ code: 'ASSET_OVERLOADED', detail: 'busy', retryAfterSeconds: 1 });
  };
  assert.equal((await bench.post('key-1')).status, 503);
  bench.answer = () => ok('done');
  const second = await bench.post('key-1');
  assert.deepEqual([second.json, replayedOf(second)], ['done', undefined]);
});

test('an operation that fails in an unexpected way may have had an effect: it is not carried out again', async (t) => {
  const bench = await openBench(t);
  bench.answer = () => {
    throw new Error('defect');
  };
  const first = await bench.post('key-1');
  const second = await bench.post('key-1');
  assert.deepEqual([first.status, second.status, second.text], [500, 500, first.text]);
  assert.deepEqual([replayedOf(second), bench.done.length], ['true', 1]);
});

test('a key that was recorded without its answer is never carried out again, and stays so', async (t) => {
  const bench = await openBench(t);
  const request = { identity: 'assets', key: 'key-1', digest: digest(`POST\n/thing\n${digest('1')}`) };
  bench.open.requestKeys.claim({ ...request, bodyBytes: 1 });
  const { clock } = bench.open;
  const expected = { outcome: 'UNKNOWN', nowMs: clock.epochMs() };
  for (const afterMs of [0, 1000]) {
    clock.advance(afterMs);
    const answer = await bench.post('key-1');
    assert.deepEqual([answer.status, answer.json, replayedOf(answer)], [200, expected, 'true']);
  }
  assert.equal(bench.done.length, 0);
});

test('an operation that an earlier run certainly did not begin is carried out', async (t) => {
  const bench = await openBench(t);
  const target = digest(`POST\n/unbegun\n${digest('1')}`);
  bench.open.requestKeys.claim({ identity: 'assets', key: 'key-1', digest: target, bodyBytes: 1 });
  const headers = { Authorization: 'assets', 'Idempotency-Key': 'key-1' };
  const first = await bench.open.send('POST', '/unbegun', { body: 1, headers });
  const second = await bench.open.send('POST', '/unbegun', { body: 1, headers });
  assert.deepEqual([replayedOf(first), replayedOf(second), bench.done.length], [undefined, 'true', 1]);
});

test('a body that is refused ends the request, and a corrected one may have the key', async (t) => {
  const bench = await openBench(t);
  const headers = { Authorization: 'assets', 'Idempotency-Key': 'key-1', 'Content-Type': 'application/json' };
  assert.equal((await bench.open.send('POST', '/thing', { body: Buffer.from('{'), headers })).status, 400);
  assert.equal((await bench.post('key-1')).status, 200);
});
