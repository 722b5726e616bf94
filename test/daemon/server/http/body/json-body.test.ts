import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { InvalidRequest } from '../../../../../daemon/base/errors.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import type { JsonOptions } from '../../../../../daemon/server/http/body/json-body.ts';
import { parseJson, receiveBody } from '../../../../../daemon/server/http/body/json-body.ts';
import { HttpRefusal } from '../../../../../daemon/server/http/problem.ts';

const parseBytes = (bytes: Buffer, options?: JsonOptions): unknown => finish(parseJson([bytes], options));
const parse = (text: string): unknown => parseBytes(Buffer.from(text));

function assertInvalid(bytes: Buffer, code: string): void {
  assert.throws(
    () => parseBytes(bytes),
    (error) => error instanceof InvalidRequest && error.code === code,
    bytes.toString('latin1').slice(0, 40),
  );
}

test('parseJson turns an integer that a double cannot hold into a bigint', () => {
  assert.deepEqual(parse('[9007199254740993, -9223372036854775808, 18446744073709551616]'), [
    9007199254740993n,
    -9223372036854775808n,
    18446744073709551616n,
  ]);
  assert.equal(parse('9007199254740993'), 9007199254740993n);
  assert.deepEqual(parse('{"a":{"b":[9007199254740992]}}'), { a: { b: [9007199254740992n] } });
});

test('parseJson leaves every other number a number', () => {
  assert.deepEqual(
    parse('[9007199254740991, -9007199254740991, 0.1234567890123456789, 1e300, -0, 12]'),
    [9007199254740991, -9007199254740991, 0.12345678901234568, 1e300, -0, 12],
  );
});

test('parseJson does not change digits in text', () => {
  assert.deepEqual(parse('{"9007199254740993":"9007199254740993"}'), {
    '9007199254740993': '9007199254740993',
  });
});

test('parseJson refuses malformed, truncated and empty JSON', () => {
  const wrong = [
    '',
    ' ',
    '{',
    '{"a":',
    '{"a":1',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    '1 2',
    'undefined',
    'NaN',
    '01',
    '+1',
  ];
  const more = ['"\n"', '"\\x"', '{"a":9007199254740993', '[9007199254740993', '/**/1', '{a:1}', ']', '}}}'];
  for (const text of [...wrong, ...more]) assertInvalid(Buffer.from(text), 'JSON_MALFORMED');
});

test('parseJson accepts 32 levels and refuses 33', () => {
  const nest = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
  assert.doesNotThrow(() => parse(nest(32)));
  assertInvalid(Buffer.from(`[${nest(32)}]`), 'JSON_TOO_DEEP');
});

test('parseJson refuses 100,000 levels, closed or not', () => {
  for (const bracket of ['[', '{"a":', '[{"a":']) {
    assertInvalid(Buffer.from(bracket.repeat(100_000)), 'JSON_TOO_DEEP');
  }
  assertInvalid(Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'JSON_TOO_DEEP');
});

test('parseJson does not count brackets in text', () => {
  const text = `${'['.repeat(100)}\\"${'{'.repeat(100)}\\\\`;
  assert.deepEqual(parse(`["${text}"]`), [`${'['.repeat(100)}"${'{'.repeat(100)}\\`]);
});

test('parseJson counts depth and not the number of brackets', () => {
  assert.equal((parse(`[${'[],{},'.repeat(1000)}1]`) as unknown[]).length, 2001);
});

test('parseJson reads __proto__ as a plain own key', () => {
  for (const number of ['1', '9007199254740993']) {
    const parsed = parse(`{"__proto__":{"isAdmin":${number}},"constructor":1}`) as object;
    assert.deepEqual(Object.keys(parsed), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
    assert.equal(Reflect.get({}, 'isAdmin'), undefined);
  }
});

test('parseJson refuses escapes of NUL and of half a surrogate pair, in values and names', () => {
  const wrong = [
    String.raw`"\ud800"`,
    String.raw`"\uDFFF"`,
    String.raw`"\ud83d\n"`,
    String.raw`"\ud83dx\ude00"`,
    String.raw`"\ude00\ud83d"`,
    String.raw`"\ud83d\ud83d\ude00"`,
    String.raw`["\ud83d","\ude00"]`,
    String.raw`{"\udc00":1}`,
    String.raw`"\u0000"`,
    String.raw`{"a\u0000":1}`,
    String.raw`"\\\u0000"`,
  ];
  for (const text of wrong) assertInvalid(Buffer.from(text), 'JSON_TEXT_REFUSED');
  assert.equal(
    parseBytes(Buffer.from(String.raw`"\uD83D\uDE00 \u00e9 \\u0000 \\ud800 😀"`)),
    '😀 é \\u0000 \\ud800 😀',
  );
  assert.equal(parseBytes(Buffer.from(String.raw`"\u0000"`), { mayHoldNul: true }), '\0');
  assert.throws(() => parseBytes(Buffer.from(String.raw`"\u0000\ud800"`), { mayHoldNul: true }), {
    code: 'JSON_TEXT_REFUSED',
  });
});

test('parseJson refuses bytes that are not UTF-8', () => {
  const wrong = [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
  ];
  for (const bytes of wrong) assertInvalid(Buffer.from(bytes), 'BODY_NOT_UTF8');
  assertInvalid(Buffer.from('{"a":1}', 'utf16le').subarray(0, 7), 'JSON_MALFORMED');
});

interface Delivery {
  readonly client: ClientRequest;
  /** The received body, or the error. */
  readonly outcome: Promise<Buffer>;
}

/** Opens a server that receives one body. */
async function deliver(
  t: TestContext,
  limit: number,
  headers: Record<string, string | number>,
): Promise<Delivery> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
  client.on('error', () => undefined);
  client.flushHeaders();
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  return { client, outcome: receiveBody(incoming, limit).then((pieces) => Buffer.concat(pieces)) };
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof HttpRefusal && error.status === 413 && error.headers['Connection'] === 'close';
const isIncomplete = (error: unknown): boolean =>
  error instanceof InvalidRequest && error.code === 'BODY_INCOMPLETE';

test('receiveBody accepts a body of exactly the limit', async (t) => {
  for (const headers of [{ 'Content-Length': 8192 }, { 'Transfer-Encoding': 'chunked' }]) {
    const { client, outcome } = await deliver(t, 8192, headers);
    client.end(Buffer.alloc(8192, 1));
    assert.deepEqual(await outcome, Buffer.alloc(8192, 1));
  }
});

test('receiveBody refuses one byte more, once it has arrived', async (t) => {
  const { client, outcome } = await deliver(t, 8192, { 'Transfer-Encoding': 'chunked' });
  client.write(Buffer.alloc(8192));
  client.write(Buffer.alloc(1));
  await assert.rejects(outcome, isTooLarge);
});

test('receiveBody refuses a body whose announced length is too large before any of it arrives', async (t) => {
  const { outcome } = await deliver(t, 8192, { 'Content-Length': 8193 });
  await assert.rejects(outcome, isTooLarge);
});

test('receiveBody joins the pieces of a body', async (t) => {
  const { client, outcome } = await deliver(t, 100, { 'Transfer-Encoding': 'chunked' });
  for (const piece of ['{"', 'ä'.slice(0), '":', '1}']) client.write(piece);
  client.end();
  assert.equal((await outcome).toString(), '{"ä":1}');
});

test('receiveBody returns no bytes for an empty body', async (t) => {
  const { client, outcome } = await deliver(t, 100, { 'Content-Length': 0 });
  client.end();
  assert.equal((await outcome).length, 0);
});

test('receiveBody refuses a body that is cut short', async (t) => {
  const { client, outcome } = await deliver(t, 100, { 'Content-Length': 50 });
  client.write('{"a"', () => client.destroy());
  await assert.rejects(outcome, isIncomplete);
});

test('receiveBody refuses a body whose client has already disconnected', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 9 } });
  client.on('error', () => undefined);
  client.flushHeaders();
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  incoming.on('error', () => undefined);
  const closed = once(incoming, 'close').catch(() => undefined);
  client.destroy();
  await closed;
  await assert.rejects(receiveBody(incoming, 100), isIncomplete);
});

test('parseJson refuses a body of too many values', () => {
  assertInvalid(Buffer.from(`[${'0,'.repeat(2_000_000)}0]`), 'JSON_TOO_LARGE');
  assert.equal((parseBytes(Buffer.from(`["${',['.repeat(2_000_000)}"]`)) as unknown[]).length, 1);
});

test('parseJson refuses a body whose members have too many different names', () => {
  const objects = Array.from({ length: 250 }, (_, index) =>
    Object.fromEntries(Array.from({ length: 100 }, (_each, member) => [`name ${index * 100 + member}`, 0])),
  );
  assertInvalid(Buffer.from(JSON.stringify(objects)), 'JSON_TOO_LARGE');
  assertInvalid(Buffer.from(JSON.stringify(objects, undefined, 2).replaceAll('":', '" :')), 'JSON_TOO_LARGE');
  const few = objects.slice(0, 200).flatMap((object) => [object, object]);
  assert.deepEqual(parseBytes(Buffer.from(JSON.stringify(few))), few);
  const values = objects.flatMap((object) => Object.keys(object));
  assert.deepEqual(parseBytes(Buffer.from(JSON.stringify(values))), values);
});
