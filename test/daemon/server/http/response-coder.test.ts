import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';

import { InvalidRequest } from '../../../../daemon/base/errors.ts';
import { ok } from '../../../../daemon/server/http/answer.ts';
import { formatEntityTag } from '../../../../daemon/server/http/entity-tag.ts';
import { createRoute, openApplication } from './application-fixture.ts';

const WORDS = { text: 'measured value '.repeat(500) };
const FORMS = {
  br: { decode: brotliDecompressSync, open: createBrotliDecompress },
  gzip: { decode: gunzipSync, open: createGunzip },
} as const;
const compressible = createRoute({ path: '/list', isCompressible: true, handle: () => ok(WORDS) });

for (const [coding, { decode }] of Object.entries(FORMS)) {
  test(`a response of a compressible endpoint is sent as ${coding} if the client accepts that`, async (t) => {
    const { send } = await openApplication(t, [compressible]);
    const answer = await send('GET', '/list', { headers: { 'Accept-Encoding': coding } });
    assert.equal(answer.headers['content-encoding'], coding);
    assert.equal(answer.headers.vary, 'Accept-Encoding');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['content-length'], String(answer.bytes.length));
    assert.ok(answer.bytes.length < 200, `${answer.bytes.length} bytes`);
    assert.deepEqual(JSON.parse(decode(answer.bytes).toString()), WORDS);
    const head = await send('HEAD', '/list', { headers: { 'Accept-Encoding': coding } });
    assert.equal(head.headers['content-encoding'], coding);
    assert.equal(head.headers['content-length'], answer.headers['content-length']);
  });
}

test('without an accepted coding, and if it is short, a response is sent as it is', async (t) => {
  const short = createRoute({ path: '/short', isCompressible: true });
  const { send } = await openApplication(t, [compressible, short]);
  const plain = await send('GET', '/list');
  assert.deepEqual(plain.json, WORDS);
  const brief = await send('GET', '/short', { headers: { 'Accept-Encoding': 'br' } });
  assert.deepEqual(brief.json, { done: true });
  for (const { headers } of [plain, brief]) {
    assert.equal(headers['content-encoding'], undefined);
    // A cache must not give this form to a client that prefers another.
    assert.equal(headers.vary, 'Accept-Encoding');
  }
});

test('the response of an endpoint that does not declare it, and every refusal, is sent as it is', async (t) => {
  const secret = createRoute({ path: '/secret', handle: () => ok(WORDS) });
  const refused = createRoute({
    path: '/refused',
    isCompressible: true,
    handle: () => {
      throw new InvalidRequest({ code: 'BODY_INVALID', detail: WORDS.text });
    },
  });
  const { send } = await openApplication(t, [secret, refused]);
  for (const path of ['/secret', '/refused']) {
    const { headers } = await send('GET', path, { headers: { 'Accept-Encoding': 'br, gzip' } });
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, undefined], path);
  }
});

test('CSV text is compressed as well, with its own type', async (t) => {
  const route = createRoute({
    path: '/csv',
    isCompressible: true,
    handle: () => ({ status: 200, csv: WORDS.text }),
  });
  const { send } = await openApplication(t, [route]);
  const { headers, bytes } = await send('GET', '/csv', { headers: { 'Accept-Encoding': 'gzip' } });
  assert.match(headers['content-type'] ?? '', /^text\/csv/);
  assert.equal(gunzipSync(bytes).toString(), WORDS.text);
});

test('each form of a tagged response has its tag, 304 names the one that the client has', async (t) => {
  let version = 17;
  const route = createRoute({
    path: '/tagged',
    isCompressible: true,
    isTagged: true,
    handle: () => ok(WORDS, { ETag: formatEntityTag(version) }),
  });
  const { send, recorded } = await openApplication(t, [route]);
  const get = (headers: Record<string, string>) => send('GET', '/tagged', { headers });
  assert.equal((await get({})).headers.etag, '"17"');
  assert.equal((await get({ 'Accept-Encoding': 'br' })).headers.etag, '"17-br"');
  for (const known of ['"17"', '"17-br"', '"16", "17-gzip"']) {
    const same = await get({ 'Accept-Encoding': 'br', 'If-None-Match': known });
    assert.equal(same.status, 304);
    assert.equal(same.bytes.length, 0);
    assert.ok(known.includes(same.headers.etag ?? '-'), same.headers.etag);
    assert.equal(same.headers.vary, 'Accept-Encoding');
    assert.equal(same.headers['content-encoding'], undefined);
  }
  assert.deepEqual(recorded.slice(-1), [304]);
  version = 18;
  assert.equal((await get({ 'If-None-Match': '"17-br"' })).status, 200);
});

test('an endpoint that does not declare a tag ignores If-None-Match', async (t) => {
  const route = createRoute({ path: '/x', handle: () => ok(WORDS, { ETag: '"1"' }) });
  const { send } = await openApplication(t, [route]);
  assert.equal((await send('GET', '/x', { headers: { 'If-None-Match': '*' } })).status, 200);
});

for (const [coding, { open }] of Object.entries(FORMS)) {
  test(`a piece of a body leaves as soon as it is made, as ${coding} too`, async (t) => {
    const next = Promise.withResolvers<undefined>();
    async function* parts(): AsyncGenerator<string> {
      yield '{"row":1}\n';
      await next.promise;
      yield '{"row":2}\n';
    }
    const handle = () => ({ status: 200, pieces: { type: 'application/x-ndjson', parts: parts() } });
    const { port } = await openApplication(t, [createRoute({ path: '/rows', isCompressible: true, handle })]);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { 'Accept-Encoding': coding };
    httpRequest({ host: '127.0.0.1', port, path: '/rows', headers, agent: false }, resolve)
      .on('error', reject)
      .end();
    const answer = await promise;
    assert.equal(answer.headers['content-encoding'], coding);
    let text = '';
    for await (const part of answer.pipe(open()).setEncoding('utf8')) {
      text += String(part);
      // The second row is not made before the first one has come.
      if (text === '{"row":1}\n') next.resolve(undefined);
    }
    assert.equal(text, '{"row":1}\n{"row":2}\n');
  });
}

test('a body that breaks off is incomplete for a client that decodes it', async (t) => {
  async function* parts(): AsyncGenerator<string> {
    yield '{"row":1}\n';
    throw new Error('the disk is gone');
  }
  const handle = () => ({ status: 200, pieces: { type: 'application/x-ndjson', parts: parts() } });
  const { send } = await openApplication(t, [createRoute({ path: '/rows', isCompressible: true, handle })]);
  await assert.rejects(send('GET', '/rows', { headers: { 'Accept-Encoding': 'br' } }));
});

test('more requests than are compressed at a time are all answered', async (t) => {
  const { send } = await openApplication(t, [compressible]);
  const headers = { 'Accept-Encoding': 'br' };
  const answers = await Promise.all(Array.from({ length: 200 }, () => send('GET', '/list', { headers })));
  for (const { headers: given, bytes } of answers) {
    const text = given['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes;
    assert.deepEqual(JSON.parse(text.toString()), WORDS);
  }
});
