import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from '../../../../daemon/base/schema.ts';
import { noContent, ok } from '../../../../daemon/server/http/answer.ts';
import { defineRoute } from '../../../../daemon/server/http/route.ts';
import type { Access } from '../../../../daemon/interface/endpoint.ts';
import type { Route } from '../../../../daemon/server/http/route.ts';
import type { ClientAnswer } from '../../../support/https-client.ts';
import { createRoute, openApplication } from './application-fixture.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const echo = defineRoute({
  method: 'POST',
  path: '/echo',
  summary: 'Returns the body',
  access: 'rest.assets',
  request: {
    contentType: 'application/json',
    schema: z.strictObject({ text: z.string() }),
    maximumBytes: 64,
  },
  response: { status: 200, schema: z.strictObject({ text: z.string() }) },
  handle: ({ body }) => ok(body),
});

/** Asserts that an answer is a GenericFailureReport and nothing else. */
function assertReport(answer: ClientAnswer, status: number): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
  assert.deepEqual(Object.keys(answer.json as object), ['message']);
}

const statusLine = (received: string): string => received.split('\r\n', 1)[0] ?? '';

test('a route with an unknown access cannot be called, not even by an administrator', async (t) => {
  const odd = [
    '',
    'EVERYBODY',
    'anybody',
    'assets',
    'REST.assets',
    undefined,
    null,
    true,
  ] as unknown as Access[];
  const routes = odd.map((access, index) => createRoute({ path: `/odd/${index}`, access }));
  const { send } = await openApplication(t, routes);
  for (const { path } of routes) {
    assertReport(await send('GET', path), 401);
    for (const role of ['assets', 'admin']) {
      assertReport(await send('GET', path, { headers: { Authorization: role } }), 403);
    }
  }
});

test('each access admits only the callers it names', async (t) => {
  const accesses = ['PUBLIC', 'ANY_IDENTITY', 'rest.assets', 'rest.identity'] as const;
  const routes = accesses.map((access) => createRoute({ path: `/${access}`, access }));
  const { send } = await openApplication(t, routes);
  const statuses: Record<string, readonly number[]> = {};
  for (const role of ['', 'assets', 'admin', 'unknown']) {
    const headers = role === '' ? {} : { Authorization: role };
    const answers = await Promise.all(routes.map(({ path }) => send('GET', path, { headers })));
    statuses[role] = answers.map(({ status }) => status);
  }
  assert.deepEqual(statuses, {
    '': [200, 401, 401, 401],
    assets: [200, 200, 200, 403],
    admin: [200, 200, 200, 200],
    unknown: [200, 200, 403, 403],
  });
});

test('a path without a route is answered with 404, before credentials are checked', async (t) => {
  const { send } = await openApplication(t, [createRoute({ access: 'rest.assets' })]);
  for (const path of ['/', '/things', '/THING', '/thing/x', '//thing', '/__proto__', '/thing%2f']) {
    assertReport(await send('GET', path), 404);
    assertReport(await send('POST', path, { body: '{' }), 404);
  }
});

test('a method that the path does not support is answered with 405 and Allow, before credentials are checked', async (t) => {
  const { send } = await openApplication(t, [
    createRoute({ access: 'rest.assets' }),
    createRoute({ access: 'rest.assets', method: 'DELETE' }),
  ]);
  for (const method of ['POST', 'PUT', 'PATCH', 'TRACE']) {
    const answer = await send(method, '/thing');
    assertReport(answer, 405);
    assert.equal(answer.headers.allow, 'GET, HEAD, DELETE, OPTIONS');
    assert.equal(answer.headers['www-authenticate'], undefined);
  }
});

test('OPTIONS is answered with Allow without credentials, and admits no other origin', async (t) => {
  const { send } = await openApplication(
    t,
    [
      createRoute({ access: 'rest.assets' }),
      createRoute({ access: 'rest.assets', method: 'DELETE' }),
      createRoute({ method: 'POST', isAvailable: () => false }),
      createRoute({ path: '/off', isAvailable: () => false }),
    ],
    {},
  );
  const preflight = {
    Origin: 'https://evil.example',
    'Sec-Fetch-Site': 'cross-site',
    'Access-Control-Request-Method': 'DELETE',
    'Access-Control-Request-Headers': 'authorization',
    Accept: 'text/html',
  };
  for (const headers of [{}, preflight]) {
    const answer = await send('OPTIONS', '/thing', { headers });
    assert.deepEqual([answer.status, answer.text], [200, '']);
    assert.equal(answer.headers.allow, 'GET, HEAD, DELETE, OPTIONS');
    const permissions = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
    assert.deepEqual(permissions, []);
  }
  assertReport(await send('OPTIONS', '/off'), 404);
  assertReport(await send('OPTIONS', '/nothing'), 404);
});

test('a page of another host may only read, whatever its credentials and content type', async (t) => {
  const done: string[] = [];
  const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
  const routes = methods.map((method) =>
    createRoute({ method, access: 'rest.assets', handle: () => ok(done.push(method)) }),
  );
  const { send } = await openApplication(t, [...routes, { ...echo, access: 'PUBLIC' }]);
  const foreign = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://public.example', 'X-Forwarded-Host': 'public.example' },
  ];
  for (const fields of foreign) {
    const headers = { ...fields, Authorization: 'assets' };
    for (const method of ['POST', 'PUT', 'DELETE']) {
      assertReport(await send(method, '/thing', { headers }), 403);
    }
    assertReport(await send('POST', '/thing', { headers: fields }), 403);
    for (const type of ['text/plain', 'application/json', 'multipart/form-data']) {
      assertReport(
        await send('POST', '/echo', { headers: { ...headers, 'Content-Type': type }, body: '' }),
        403,
      );
    }
    assertReport(await send('PATCH', '/thing', { headers }), 405);
    assertReport(await send('POST', '/nothing', { headers }), 404);
    assert.equal((await send('GET', '/thing', { headers })).status, 200);
    assert.equal((await send('HEAD', '/thing', { headers })).status, 200);
  }
  assert.ok(done.every((method) => method === 'GET'));
  const own = [
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://127.0.0.1:9' },
    { Origin: 'http://127.0.0.1:9' },
  ];
  for (const fields of own) {
    const headers = { ...fields, Authorization: 'assets' };
    assert.equal((await send('DELETE', '/thing', { headers })).status, 200);
  }
});

test('a wrong content type is answered with 415 and a wrong Accept with 406, before credentials are checked', async (t) => {
  const { send } = await openApplication(t, [echo]);
  const text = { 'Content-Type': 'text/plain' };
  assertReport(await send('POST', '/echo', { headers: text, body: 'x' }), 415);
  assertReport(await send('POST', '/echo', { headers: { ...text, Accept: 'text/html' }, body: 'x' }), 415);
  assertReport(await send('POST', '/echo', { headers: { Accept: 'text/html' }, body: '{' }), 406);
  assertReport(await send('POST', '/echo', { body: '{' }), 401);
});

test('an answer without content is given whatever the client accepts', async (t) => {
  const route = createRoute({ method: 'POST', response: { status: 204 }, handle: () => noContent() });
  const { send } = await openApplication(t, [route]);
  for (const accept of ['text/html', 'application/json;q=0', 'image/*']) {
    assert.equal((await send('POST', '/thing', { headers: { Accept: accept } })).status, 204, accept);
  }
});

test('authentication is checked first, then the permission, then the size and content of the body', async (t) => {
  const { send } = await openApplication(t, [echo]);
  const large = { text: 'x'.repeat(100) };
  const as = (role: string) => ({ Authorization: role });
  assertReport(await send('POST', '/echo', { body: large }), 401);
  assertReport(await send('POST', '/echo', { headers: as('other'), body: large }), 403);
  assertReport(await send('POST', '/echo', { headers: as('assets'), body: large }), 413);
  for (const body of ['{', '', '[]', '{"text":1}', '{"text":"a","more":1}', '{"text":"a","__proto__":{}}']) {
    assertReport(await send('POST', '/echo', { headers: as('assets'), body }), 400);
  }
  const answer = await send('POST', '/echo', { headers: as('assets'), body: { text: 'ä' } });
  assert.deepEqual([answer.status, answer.json], [200, { text: 'ä' }]);
});

test('unknown parameters of an endpoint outside the specification are refused by name, after authentication', async (t) => {
  let calls = 0;
  const route = createRoute({ access: 'rest.assets', handle: () => ok((calls += 1)) });
  const query = z.object({ limit: z.string().optional() });
  const { send } = await openApplication(t, [route, { ...route, method: 'DELETE', query }]);
  const headers = { Authorization: 'assets' };
  assertReport(await send('GET', '/thing?colour=red'), 401);
  assertReport(await send('GET', '/thing?colour=red', { headers: { Authorization: 'other' } }), 403);
  for (const [method, target] of [
    ['GET', '/thing?colour=red'],
    ['GET', '/thing?limit=1&colour=red'],
    ['DELETE', '/thing?limit=1&colour=red'],
  ] as const) {
    const answer = await send(method, target, { headers });
    assertReport(answer, 400);
    assert.match(answer.text, /\\"colour\\"/);
  }
  assert.equal((await send('HEAD', '/thing?colour=red', { headers })).status, 400);
  assert.equal(calls, 0);
  assert.equal((await send('DELETE', '/thing?limit=1', { headers })).status, 200);
  assert.equal((await send('OPTIONS', '/thing?colour=red')).status, 200);
});

test('unknown parameters of an endpoint of the specification are ignored, even if repeated', async (t) => {
  const { send } = await openApplication(t, [createRoute({ isOfSpecification: true })]);
  assert.equal((await send('GET', '/thing?_=1&_=2&colour=red')).status, 200);
});

test('the refusal of many unknown parameters stays short', async (t) => {
  const { send } = await openApplication(t, [createRoute()]);
  const names = Array.from({ length: 200 }, (_, index) => `${'x'.repeat(50)}${index}=1`);
  const answer = await send('GET', `/thing?${names.join('&')}`);
  assertReport(answer, 400);
  assert.ok(answer.text.length < 1000);
});

test('an invalid body is answered with the position of each error', async (t) => {
  const { send } = await openApplication(t, [echo]);
  const { text } = await send('POST', '/echo', { headers: { Authorization: 'assets' }, body: { more: 1 } });
  assert.match(text, /text: /);
  assert.match(text, /more: /);
});

test('a chunked body beyond the limit is answered with 413', async (t) => {
  const { sendRaw } = await openApplication(t, [echo]);
  const head =
    'POST /echo HTTP/1.1\r\nHost: a\r\nAuthorization: assets\r\nContent-Type: application/json\r\n';
  const received = await sendRaw(`${head}Transfer-Encoding: chunked\r\n\r\n50\r\n${'x'.repeat(80)}\r\n`);
  assert.equal(statusLine(received), 'HTTP/1.1 413 Payload Too Large');
  assert.match(received, /\r\nConnection: close\r\n/);
});

test('a disabled endpoint is answered with 404, before credentials are checked', async (t) => {
  const isAvailable: Route['isAvailable'] = ({ basicAuthenticationEnabled }) => basicAuthenticationEnabled;
  const routes = [createRoute({ access: 'rest.assets', isAvailable })];
  const off = await openApplication(t, routes);
  assertReport(await off.send('GET', '/thing'), 404);
  assertReport(await off.send('POST', '/thing'), 404);
  const on = await openApplication(t, routes, { basicAuthenticationEnabled: true });
  assertReport(await on.send('GET', '/thing'), 401);
});

test('a disabled method of an enabled path is answered with 405', async (t) => {
  const isAvailable = (): boolean => false;
  const { send } = await openApplication(t, [createRoute(), createRoute({ method: 'PUT', isAvailable })]);
  const answer = await send('PUT', '/thing');
  assertReport(answer, 405);
  assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS');
});

test('each challenge has its own line, as browsers require', async (t) => {
  const both = { basicAuthenticationEnabled: true, jwtAuthenticationEnabled: true };
  const { sendRaw } = await openApplication(t, [createRoute({ access: 'rest.assets' })], both);
  const received = await sendRaw('GET /thing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const lines = received.split('\r\n').filter((line) => /^www-authenticate:/i.test(line));
  assert.deepEqual(lines, ['WWW-Authenticate: Basic realm="penstock"', 'WWW-Authenticate: Bearer']);
});

test('a port that is not allowed answers every path with 404', async (t) => {
  const { send } = await openApplication(t, [createRoute(), echo], { allowedPorts: [1] });
  const unknown = await send('GET', '/nothing');
  for (const [method, path] of [
    ['GET', '/thing'],
    ['PUT', '/thing'],
    ['POST', '/echo'],
  ] as const) {
    const answer = await send(method, path);
    assertReport(answer, 404);
    assert.deepEqual(answer.json, unknown.json);
  }
});

test('a 401 challenges only while BASIC is on, and never at a login endpoint', async (t) => {
  const routes = [
    createRoute({ access: 'ANY_IDENTITY' }),
    createRoute({ path: '/login', access: 'ANY_IDENTITY', isLogin: true }),
    createRoute({ path: '/closed', access: 'rest.other' }),
  ];
  const off = await openApplication(t, routes);
  assert.equal((await off.send('GET', '/thing')).headers['www-authenticate'], undefined);
  const on = await openApplication(t, routes, { basicAuthenticationEnabled: true });
  assert.equal((await on.send('GET', '/thing')).headers['www-authenticate'], 'Basic realm="penstock"');
  const closed = await on.send('GET', '/closed', { headers: { Authorization: 'assets' } });
  for (const answer of [await on.send('GET', '/login'), closed, await on.send('GET', '/nothing')]) {
    assert.equal(answer.headers['www-authenticate'], undefined);
  }
  const withoutPasswords = await openApplication(t, routes, {
    basicAuthenticationEnabled: true,
    passwordAuthenticationEnabled: false,
  });
  assert.equal((await withoutPasswords.send('GET', '/thing')).headers['www-authenticate'], undefined);
});

test('a browser is not asked for BASIC where a script asks, nor for the token of a session', async (t) => {
  const routes = [
    createRoute({ access: 'ANY_IDENTITY' }),
    createRoute({ path: '/token', access: 'ANY_IDENTITY', isXsrfExempt: true }),
  ];
  const settings = { basicAuthenticationEnabled: true, jwtAuthenticationEnabled: true };
  const { send } = await openApplication(t, routes, settings);
  const challengeOf = async (path: string, headers = {}): Promise<unknown> => {
    const answer = await send('GET', path, { headers });
    assertReport(answer, 401);
    return answer.headers['www-authenticate'];
  };
  assert.equal(await challengeOf('/thing'), 'Basic realm="penstock", Bearer');
  assert.equal(await challengeOf('/thing', { 'X-Requested-With': 'XMLHttpRequest' }), 'Bearer');
  assert.equal(await challengeOf('/token'), 'Bearer');
});

test('HEAD is answered as GET, without a body', async (t) => {
  const { send } = await openApplication(t, [
    createRoute(),
    createRoute({ path: '/closed', access: 'rest.assets' }),
  ]);
  const [get, head] = [await send('GET', '/thing'), await send('HEAD', '/thing')];
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal(head.headers['content-length'], get.headers['content-length']);
  assert.equal((await send('HEAD', '/closed')).status, 401);
});

test('an unexpected error is answered with 500 and an id, and its text is only in the log', async (t) => {
  const fail = (): never => {
    throw new TypeError('reading /var/lib/penstock/key');
  };
  const routes = [
    createRoute({ path: '/now', handle: fail }),
    createRoute({ path: '/later', handle: () => Promise.resolve().then(fail) }),
    createRoute({ path: '/nothing', handle: () => Promise.reject(undefined) }),
  ];
  const { send, lines } = await openApplication(t, routes);
  for (const { path } of routes) {
    const answer = await send('GET', path);
    assertReport(answer, 500);
    assert.ok(answer.text.includes(String(answer.headers['x-request-id'])), path);
    assert.ok(!answer.text.includes('/var/lib'));
    assert.equal(lines.at(-1)?.fields['requestId'], answer.headers['x-request-id']);
  }
  assert.equal(lines.length, routes.length);
});

test('a URIError of an operation is answered with 500, not as a malformed path', async (t) => {
  const handle = (): never => {
    throw new URIError('URI malformed');
  };
  const { send } = await openApplication(t, [createRoute({ handle })]);
  assertReport(await send('GET', '/thing'), 500);
});

test('X-Request-Id is kept when it is plain, and replaced otherwise', async (t) => {
  const { send } = await openApplication(t, [createRoute()]);
  const idOf = async (headers: Record<string, string | string[]>): Promise<string> =>
    String((await send('GET', '/thing', { headers })).headers['x-request-id']);
  for (const id of ['abc', 'A.b_c-1', 'x'.repeat(64)]) assert.equal(await idOf({ 'X-Request-Id': id }), id);
  for (const id of ['', 'a b', 'a"b', '<b>', 'x'.repeat(65), 'ä', '${jndi}']) {
    assert.match(await idOf({ 'X-Request-Id': id }), UUID, id);
  }
  assert.match(await idOf({ 'X-Request-Id': ['a', 'b'] }), UUID);
  assert.match(await idOf({}), UUID);
  assert.notEqual(await idOf({}), await idOf({}));
});

test('X-Request-Id is set on refusals as well', async (t) => {
  const { send } = await openApplication(t, []);
  assert.equal(
    (await send('GET', '/x', { headers: { 'X-Request-Id': 'abc' } })).headers['x-request-id'],
    'abc',
  );
});

test('a path with invalid percent-encoding is answered with 400', async (t) => {
  const { sendRaw, lines } = await openApplication(t, [createRoute({ path: '/thing/:pid' })]);
  for (const segment of ['%', '%zz', '%e0%a4', '%ff', '%c0%ae']) {
    const received = await sendRaw(`GET /thing/${segment} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.equal(statusLine(received), 'HTTP/1.1 400 Bad Request', segment);
    assert.match(received, /\r\n\r\n\{"message":"[^"]+"\}$/);
  }
  assert.deepEqual(lines, []);
});

test('the parameters of a path are decoded', async (t) => {
  const route = createRoute({ path: '/thing/:pid', handle: ({ parameters }) => ok(parameters) });
  const { send } = await openApplication(t, [route]);
  assert.deepEqual((await send('GET', '/thing/a%20%C3%A4%2Fb')).json, { pid: 'a ä/b' });
});

test('a repeated header field that affects access is answered with 400', async (t) => {
  const { sendRaw } = await openApplication(t, [createRoute()]);
  const doubled = ['Authorization', 'Content-Type', 'Cookie', 'X-XSRF-Token', 'Content-Encoding', 'Host'];
  for (const name of doubled) {
    const host = name === 'Host' ? '' : 'Host: a\r\n';
    const fields = `${host}${name}: a\r\n${name.toLowerCase()}: b\r\n`;
    const received = await sendRaw(`GET /thing HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`);
    assert.equal(statusLine(received), 'HTTP/1.1 400 Bad Request', name);
    assert.match(received, /\{"message":/);
  }
});

test('100 header fields are accepted and 101 are answered with 431', async (t) => {
  const { sendRaw } = await openApplication(t, [createRoute()]);
  const sendFields = async (count: number): Promise<string> => {
    const fields = Array.from({ length: count - 2 }, (_, index) => `X-${index}: 1\r\n`).join('');
    return statusLine(await sendRaw(`GET /thing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n`));
  };
  assert.equal(await sendFields(100), 'HTTP/1.1 200 OK');
  assert.equal(await sendFields(101), 'HTTP/1.1 431 Request Header Fields Too Large');
  assert.equal(await sendFields(1500), 'HTTP/1.1 431 Request Header Fields Too Large');
});

test('every answer forbids browsers to execute, frame or cache it', async (t) => {
  const { send } = await openApplication(t, [createRoute()]);
  for (const path of ['/thing', '/nothing']) {
    const { headers } = await send('GET', path);
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-powered-by'], undefined);
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['strict-transport-security'], undefined);
  }
});

test('an answer without content has neither a body nor a content type', async (t) => {
  const { send } = await openApplication(t, [createRoute({ handle: () => noContent({ 'X-Extra': '1' }) })]);
  const { status, text, headers } = await send('GET', '/thing');
  assert.deepEqual([status, text, headers['content-type'], headers['x-extra']], [204, '', undefined, '1']);
});

test('two requests in one packet are answered in order', async (t) => {
  const { sendRaw } = await openApplication(t, [createRoute()]);
  const received = await sendRaw(
    'GET /thing HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  assert.deepEqual(received.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 200', 'HTTP/1.1 404']);
});

test('an identity that is deleted, replaced or stripped of its permission or tokens while the body arrives changes nothing', async (t) => {
  let interfere = (): void => undefined;
  const done: string[] = [];
  const discarded: unknown[] = [];
  const act = { method: 'POST', access: 'rest.assets', response: { status: 200 } } as const;
  const receive = () => {
    interfere();
    return Promise.resolve('streamed');
  };
  const discard = (body: unknown) => Promise.resolve(void discarded.push(body));
  const whole = z.string().transform((text) => {
    interfere();
    return text;
  });
  const routes = [
    createRoute({
      ...act,
      path: '/streamed',
      request: { contentType: 'text/plain', schema: z.unknown(), receive, discard, digestOf: String },
      handle: () => ok(done.push('streamed')),
    }),
    createRoute({
      ...act,
      path: '/whole',
      request: { contentType: 'text/plain', schema: whole, maximumBytes: 10 },
      handle: () => ok(done.push('whole')),
    }),
  ];
  const { send, replaceIdentity } = await openApplication(t, routes);
  const statuses = async (Authorization = 'assets') => {
    const request = { body: 'x', headers: { Authorization, 'Content-Type': 'text/plain' } };
    return [
      (await send('POST', '/streamed', request)).status,
      (await send('POST', '/whole', request)).status,
    ];
  };
  interfere = () => replaceIdentity('assets', undefined);
  assert.deepEqual(await statuses(), [401, 401], 'deleted');
  interfere = () => replaceIdentity('assets', { id: 'another' });
  assert.deepEqual(await statuses(), [401, 401], 'another identity of the same name');
  interfere = () => replaceIdentity('assets', { permissions: [] });
  assert.deepEqual(await statuses(), [403, 403], 'no permission');
  assert.deepEqual(done, []);
  assert.deepEqual(discarded, ['streamed', 'streamed', 'streamed']);
  const revoked = { tokenRevocation: { generation: 'first', atMs: 0 } };
  interfere = () => replaceIdentity('assets', revoked);
  assert.deepEqual(await statuses('bearer assets'), [401, 401], 'revoked tokens');
  assert.deepEqual(await statuses(), [200, 200], 'no token');
  interfere = () => replaceIdentity('assets', { permissions: ['rest.admin'] });
  assert.deepEqual(await statuses(), [200, 200]);
});

test('a path or query that is not UTF-8 in percent-encoding, or holds NUL, is 400 and never replaced', async (t) => {
  const names: string[] = [];
  const route = defineRoute({
    method: 'GET',
    path: '/things/:name',
    isOfSpecification: true,
    summary: 'Names a thing',
    access: 'PUBLIC',
    response: { status: 200 },
    handle({ parameters }) {
      names.push(parameters['name'] ?? '');
      return ok({});
    },
  });
  const { send, sendRaw } = await openApplication(t, [route]);
  for (const target of [
    '%ff',
    '%c3',
    'a%00',
    '%ed%a0%80',
    'a?b=%ff',
    'a?b=%',
    'a?b=%zz',
    'a?b=%00',
    'a?%ff=b',
  ]) {
    assertReport(await send('GET', `/things/${target}`), 400);
  }
  for (const byte of ['\xff', '\xc3\xa9']) {
    const request = `GET /things/a?b=${byte} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    assert.match(statusLine(await sendRaw(request)), / 400 /);
  }
  assert.deepEqual(names, []);
  assert.equal((await send('GET', '/things/%c3%a9?b=%f0%9f%98%80+%25')).status, 200);
  assert.deepEqual(names, ['é']);
});
