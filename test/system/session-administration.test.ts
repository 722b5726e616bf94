import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { listSessions } from '../../daemon/interface/security/sessions.ts';
import type { OpenSession } from '../../daemon/interface/security/sessions.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { failureOf, answerOf } from '../support/answer-of.ts';

const PASSWORD = 'session-administration-password';
const SESSIONS = '/services/session/v1/sessions';
const ASSETS = '/services/assets';

const IDENTITIES = [
  { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
  { name: 'clerk', permissions: ['rest.identity', 'rest.assets'], password: PASSWORD },
  { name: 'operator', permissions: ['rest.assets'], password: PASSWORD },
  { name: 'watcher', permissions: ['rest.assets', 'rest.events'], password: PASSWORD },
  { name: 'newcomer', permissions: ['rest.assets'], password: PASSWORD, passwordChangeNeeded: true },
];

async function setUp(t: TestContext) {
  const rest = { basicAuthenticationEnabled: true, sessionInactivityIntervalSeconds: 600 };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: IDENTITIES } } });
  const [port = 0] = gateway.httpsPorts;
  const login = async (name: string): Promise<SessionClient> => {
    const client = new SessionClient({ port });
    assert.equal((await client.login(name, PASSWORD)).status, 200, name);
    return client;
  };
  return { gateway, port, login };
}

function basic(name: string) {
  return { Authorization: `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}` };
}

async function list(client: SessionClient): Promise<readonly OpenSession[]> {
  const answer = await client.send('GET', SESSIONS);
  assert.equal(answer.status, 200, answer.text);
  return answerOf(listSessions, answer).sessions;
}

async function handleOf(client: SessionClient): Promise<string> {
  const own = (await list(client)).find(({ isCurrent }) => isCurrent);
  return own?.id ?? assert.fail('the session of the request is not listed');
}

function isExpired({ headers }: ClientAnswer): boolean {
  return headers['set-cookie']?.some((cookie) => cookie.startsWith('JSESSIONID=; Max-Age=0;')) === true;
}

test('an administrator sees every open session, and neither its cookie nor its token', async (t) => {
  const { gateway, port, login } = await setUp(t);
  const before = Date.now();
  const [chief, operator, newcomer] = [
    await login('chief'),
    await login('operator'),
    await login('newcomer'),
  ];
  const pair = await getClientCertificate('operator');
  const [clientAuthPort = 0] = gateway.clientAuthPorts;
  const byCertificate = new SessionClient({ port: clientAuthPort, ...pair });
  await byCertificate.loginByCertificate();

  const sessions = await list(chief);
  assert.deepEqual(
    sessions.map(({ identity, method, address, port: at, isLocked, isCurrent }) => [
      identity,
      method,
      address,
      at,
      isLocked,
      isCurrent,
    ]),
    [
      ['chief', 'password', '127.0.0.1', port, false, true],
      ['operator', 'password', '127.0.0.1', port, false, false],
      ['newcomer', 'password', '127.0.0.1', port, true, false],
      ['operator', 'certificate', '127.0.0.1', clientAuthPort, false, false],
    ],
  );
  for (const { createdAt, lastUsedAt, expiresAt } of sessions) {
    // Wall clock and monotonic clock are read one after the other.
    assert.ok(before - 5 <= createdAt && createdAt <= lastUsedAt && lastUsedAt <= Date.now() + 5);
    assert.equal(expiresAt, lastUsedAt + 600_000);
  }
  const shown = JSON.stringify(sessions);
  for (const { cookie, xsrfToken } of [chief, operator, newcomer, byCertificate]) {
    const value = cookie?.slice('JSESSIONID='.length) ?? assert.fail('no cookie');
    assert.ok(!shown.includes(value) && !shown.includes(xsrfToken ?? value));
  }
  // What is listed opens nothing.
  for (const { id } of sessions) {
    const Cookie = `JSESSIONID=${id}`;
    const headers = { Cookie };
    assert.equal((await send({ port }, 'GET', '/services/session/v1/xsrfToken', { headers })).status, 401);
  }
});

test('without the permission for identities only the own sessions are seen and ended', async (t) => {
  const { port, login } = await setUp(t);
  const [chief, mine, other] = [await login('chief'), await login('operator'), await login('operator')];
  const own = await list(mine);
  assert.deepEqual(
    own.map(({ identity, isCurrent }) => [identity, isCurrent]),
    [
      ['operator', true],
      ['operator', false],
    ],
  );
  // A session of another identity looks like one that does not exist.
  for (const id of [await handleOf(chief), 'nothing', '%2e%2e']) {
    assert.equal((await mine.send('DELETE', `${SESSIONS}/${id}`)).status, 404);
  }
  for (const name of ['chief', 'nobody']) {
    assert.equal((await mine.send('DELETE', `${SESSIONS}?identity=${name}`)).status, 403);
  }
  assert.equal((await mine.send('DELETE', `${SESSIONS}/${await handleOf(other)}`)).status, 204);
  assert.equal((await other.send('GET', ASSETS)).status, 401);
  assert.equal((await mine.send('GET', ASSETS)).status, 200);
  assert.equal((await chief.send('GET', ASSETS)).status, 200);
  // However the identity is proved.
  const headers = basic('operator');
  const all = await send({ port }, 'DELETE', `${SESSIONS}?identity=operator`, { headers });
  assert.deepEqual([all.status, all.json, isExpired(all)], [200, { ended: 1 }, false]);
  assert.equal((await mine.send('GET', ASSETS)).status, 401);
});

test('a session that is ended is void at once, the second end finds nothing', async (t) => {
  const { gateway, login } = await setUp(t);
  const [chief, operator] = [await login('chief'), await login('operator')];
  const target = `${SESSIONS}/${await handleOf(operator)}`;
  const seen = gateway.lines.length;
  const answers = await Promise.all([chief.send('DELETE', target), chief.send('DELETE', target)]);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204, 404]));
  assert.equal((await operator.send('GET', ASSETS)).status, 401);
  assert.equal((await list(chief)).length, 1);
  const first = await gateway.line('audit', seen);
  const events = [first, await gateway.line('audit', gateway.lines.indexOf(first) + 1)];
  assert.deepEqual(
    events.map(({ auditEvent, identity }) => [auditEvent, identity]),
    [
      ['SESSION_ENDED', 'chief'],
      ['SESSION_ENDED', 'chief'],
    ],
  );
  const done = events.find(({ outcome }) => outcome === 'SUCCESS');
  assert.deepEqual(done?.['detail'], { userName: 'operator', sessions: 1 });
});

test('who ends its own session still gets the answer, with an expired cookie', async (t) => {
  const { login } = await setUp(t);
  const operator = await login('operator');
  const ended = await operator.send('DELETE', `${SESSIONS}/${await handleOf(operator)}`);
  assert.deepEqual([ended.status, isExpired(ended)], [204, true]);
  assert.equal((await operator.send('GET', ASSETS)).status, 401);

  const [first, second] = [await login('operator'), await login('operator')];
  const all = await first.send('DELETE', `${SESSIONS}?identity=operator`);
  assert.deepEqual([all.status, all.json, isExpired(all)], [200, { ended: 2 }, true]);
  assert.equal((await second.send('GET', ASSETS)).status, 401);
});

test('nobody ends the sessions of an identity with more permissions', async (t) => {
  const { login } = await setUp(t);
  const [chief, clerk, operator] = [await login('chief'), await login('clerk'), await login('operator')];
  assert.equal((await list(clerk)).length, 3);
  for (const target of [`${SESSIONS}/${await handleOf(chief)}`, `${SESSIONS}?identity=chief`]) {
    const refused = await clerk.send('DELETE', target);
    assert.equal(refused.status, 403, refused.text);
    assert.match(failureOf(refused).message, /rest\.admin/);
  }
  assert.equal((await chief.send('GET', ASSETS)).status, 200);
  assert.deepEqual((await clerk.send('DELETE', `${SESSIONS}?identity=operator`)).json, { ended: 1 });
  assert.equal((await operator.send('GET', ASSETS)).status, 401);
  assert.deepEqual((await chief.send('DELETE', `${SESSIONS}?identity=clerk`)).json, { ended: 1 });
  assert.deepEqual((await chief.send('DELETE', `${SESSIONS}?identity=clerk`)).json, { ended: 0 });
});

test('a request that does not name exactly one identity ends nothing', async (t) => {
  const { login } = await setUp(t);
  const [chief, operator] = [await login('chief'), await login('operator')];
  const targets: readonly (readonly [string, number])[] = [
    ['', 400],
    ['?', 400],
    ['?identity', 400],
    ['?identity=', 400],
    ['?Identity=operator', 400],
    ['?identity=operator&IDENTITY=chief', 400],
    ['?identity=operator&identity=chief', 400],
    ['?identity=operator&all=true', 400],
    ['?identity=nobody', 404],
    ['?identity=Operator', 404],
    [`?identity=${'x'.repeat(256)}`, 400],
    ['/', 400],
  ];
  for (const [target, status] of targets) {
    const refused = await chief.send('DELETE', `${SESSIONS}${target}`);
    assert.equal(refused.status, status, `${target}: ${refused.text}`);
  }
  assert.equal((await operator.send('GET', ASSETS)).status, 200);
});

test('streams of an ended session end with it, those of others stay', async (t) => {
  const { port, login } = await setUp(t);
  const [chief, watcher, second] = [await login('chief'), await login('watcher'), await login('watcher')];
  const open = async ({ cookie, xsrfToken }: SessionClient): Promise<EventStreamClient> => {
    const headers = { Cookie: cookie ?? '', 'X-XSRF-Token': xsrfToken ?? '' };
    const stream = new EventStreamClient(t, { port, path: '/services/events/v1', headers });
    await stream.opened();
    return stream;
  };
  const [ended, loggedOut, other] = [await open(watcher), await open(second), await open(chief)];
  await chief.send('DELETE', `${SESSIONS}/${await handleOf(watcher)}`);
  await ended.ended();
  const isEnd = ({ type }: { readonly type: string }): boolean => type === 'end';
  assert.deepEqual(ended.events.find(isEnd)?.data, { reason: 'NOT_AUTHENTICATED' });
  assert.equal(loggedOut.events.find(isEnd), undefined);
  await second.send('POST', '/services/session/v1/logout');
  await loggedOut.ended();
  assert.deepEqual(loggedOut.events.find(isEnd)?.data, { reason: 'NOT_AUTHENTICATED' });
  assert.equal(other.events.find(isEnd), undefined);
});

test('a request whose session ends while its body arrives is refused', async (t) => {
  const { port, login } = await setUp(t);
  const [chief, second] = [await login('chief'), await login('chief')];
  const { cookie = '', xsrfToken = '' } = second;
  const body = JSON.stringify({ userName: 'made-late', permissions: ['rest.admin'] });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    const late = request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/services/identity/v1/identities',
        rejectUnauthorized: false,
        agent: false,
        headers: {
          Cookie: cookie,
          'X-XSRF-Token': xsrfToken,
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          // The answer to it tells that the head was received.
          Expect: '100-continue',
        },
      },
      ({ statusCode }) => resolve(statusCode),
    );
    late.on('error', reject);
    late.on('continue', () => {
      late.write(body.slice(0, 10));
      void handleOf(second)
        .then((id) => chief.send('DELETE', `${SESSIONS}/${id}`))
        .then(() => late.end(body.slice(10)));
    });
    late.flushHeaders();
    t.after(() => late.destroy());
  });
  assert.equal(await answer, 401);
  const { json } = await chief.send('GET', '/services/identity/v1/identities');
  assert.ok(!JSON.stringify(json).includes('made-late'));
});

test('the endpoints do not exist while sessions are switched off', async (t) => {
  const rest = { basicAuthenticationEnabled: true, sessionBasedAuthenticationEnabled: false };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: IDENTITIES } } });
  const [port = 0] = gateway.httpsPorts;
  const headers = basic('chief');
  for (const [method, target] of [
    ['GET', SESSIONS],
    ['DELETE', `${SESSIONS}?identity=chief`],
    ['DELETE', `${SESSIONS}/some`],
  ] as const) {
    assert.equal((await send({ port }, method, target, { headers })).status, 404, `${method} ${target}`);
  }
});
