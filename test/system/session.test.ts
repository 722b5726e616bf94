import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { readOwnSession, readOwnIdentity } from '../../daemon/interface/security/session.ts';

const ROOT = '/services/session/v1';
const PASSWORD = 'turbine-password';

const operator = { name: 'operator', permissions: ['rest.assets'], password: PASSWORD };

test('the first administrator logs in with the password of the file, changes it, and finds the file deleted', async (t) => {
  const gateway = await startGateway(t);
  const [port = 0] = gateway.httpsPorts;
  const file = path.join(gateway.dataDirectory, 'initial-admin-password');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const initial = readFileSync(file, 'utf8').trim();
  const client = new SessionClient({ port });

  const login = await client.login('admin', initial);
  assert.deepEqual([login.status, login.json], [200, { passwordChangeNeeded: true }]);
  assert.equal((await client.send('GET', `${ROOT}/currentIdentity`)).status, 401);
  assert.equal((await client.send('GET', '/services/assets')).status, 401);
  const changed = await client.send('POST', `${ROOT}/changePassword`, {
    body: { currentPassword: initial, newPassword: 'a-new-password' },
  });
  assert.deepEqual([changed.status, changed.text], [204, '']);
  assert.match(changed.headers['set-cookie']?.[0] ?? '', /^JSESSIONID=; Max-Age=0; /);
  assert.equal(existsSync(file), false);

  const again = new SessionClient({ port });
  assert.equal((await again.login('admin', initial)).status, 401);
  assert.deepEqual((await again.login('admin', 'a-new-password')).json, { passwordChangeNeeded: false });
  const identity = await again.send('GET', `${ROOT}/currentIdentity`);
  assert.deepEqual(identity.json, {
    name: 'admin',
    passwordChangeNeeded: false,
    permissions: ['rest.admin'],
  });
  await gateway.stop();
  for (const secret of [initial, 'a-new-password']) {
    assert.ok(!JSON.stringify(gateway.lines).includes(secret), 'a password is in the log');
  }
});

test('a session says how long it lasts, and asking for that does not prolong it', async (t) => {
  const rest = { sessionInactivityIntervalSeconds: 4, statelessCertificateAuthenticationEnabled: true };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: [operator] } } });
  const [port = 0] = gateway.httpsPorts;
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  assert.equal((await send({ port }, 'GET', `${ROOT}/_own`)).status, 401);
  const asked = await client.send('GET', `${ROOT}/_own`);
  const { sessionSecondsLeft = 0, ...others } = answerOf(readOwnSession, asked);
  assert.deepEqual(others, {});
  assert.ok(sessionSecondsLeft > 0 && sessionSecondsLeft <= 4);
  // Asked all the time, it ends all the same.
  while ((await client.send('GET', `${ROOT}/_own`)).status === 200);
  assert.equal((await client.send('GET', `${ROOT}/currentIdentity`)).status, 401);
  // Without a session there is no time.
  const pair = await getClientCertificate('operator');
  const byCertificate = await send({ port: gateway.clientAuthPorts[0] ?? 0, ...pair }, 'GET', `${ROOT}/_own`);
  assert.deepEqual([byCertificate.status, byCertificate.json], [200, {}]);
});

test('identities and passwords survive a restart, sessions do not', async (t) => {
  const first = await startGateway(t, { config: { provision: { identities: [operator] } } });
  const before = new SessionClient({ port: first.httpsPorts[0] ?? 0 });
  await before.login('operator', PASSWORD);
  assert.equal(await first.stop(), 0);

  const second = await startGateway(t, { directory: first.directory });
  const [port = 0] = second.httpsPorts;
  const headers = { Cookie: before.cookie ?? '', 'X-XSRF-Token': before.xsrfToken ?? '' };
  assert.equal((await send({ port }, 'GET', '/services/assets', { headers })).status, 401);
  assert.equal((await new SessionClient({ port }).login('operator', PASSWORD)).status, 200);
});

test('a session cookie is for the whole host, invisible to scripts, same-site, and secure on TLS only', async (t) => {
  const gateway = await startGateway(t, {
    config: { http: { ports: [0] }, provision: { identities: [operator] } },
  });
  const body = { username: 'operator', password: PASSWORD };
  const [https = 0] = gateway.httpsPorts;
  const [http = 0] = gateway.httpPorts;
  const secure = await send({ port: https }, 'POST', `${ROOT}/login/password`, { body });
  const plain = await send({ port: http, plain: true }, 'POST', `${ROOT}/login/password`, { body });
  const pattern = /^JSESSIONID=[A-Za-z0-9_-]{22,}; Path=\/; HttpOnly; SameSite=Strict(; Secure)?$/;
  assert.equal(pattern.exec(secure.headers['set-cookie']?.[0] ?? '')?.[1], '; Secure');
  assert.equal(pattern.exec(plain.headers['set-cookie']?.[0] ?? '')?.[1], undefined);
  assert.equal(plain.headers['set-cookie']?.length, 1);
});

test('a login ends the session that the request carried, even when it fails', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [operator] } } });
  const [port = 0] = gateway.httpsPorts;
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  const carried = client.cookie ?? '';
  assert.equal(
    (await send({ port }, 'GET', `${ROOT}/xsrfToken`, { headers: { Cookie: carried } })).status,
    200,
  );
  await send({ port }, 'POST', `${ROOT}/login/password`, {
    headers: { Cookie: carried },
    body: { username: 'operator', password: 'wrong' },
  });
  assert.equal(
    (await send({ port }, 'GET', `${ROOT}/xsrfToken`, { headers: { Cookie: carried } })).status,
    401,
  );
});

test('a blank name is answered with 400, ends the session that the request carried, and is recorded', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [operator] } } });
  const [port = 0] = gateway.httpsPorts;
  for (const username of ['', '  ', '\t\u00a0']) {
    const client = new SessionClient({ port });
    await client.login('operator', PASSWORD);
    const headers = { Cookie: client.cookie ?? '', 'X-XSRF-Token': client.xsrfToken ?? '' };
    const seen = gateway.lines.length;
    const refused = await send({ port }, 'POST', `${ROOT}/login/password`, {
      headers,
      body: { username, password: PASSWORD },
    });
    assert.deepEqual([refused.status, refused.json], [400, { message: 'username is blank' }]);
    assert.equal((await send({ port }, 'GET', '/services/assets', { headers })).status, 401);
    const line = await gateway.line('audit', seen);
    assert.deepEqual(
      [line['auditEvent'], line['outcome'], (line['detail'] as { readonly code?: string }).code],
      ['LOGIN', 'FAILURE', 'USERNAME_BLANK'],
    );
  }
  const missing = await send({ port }, 'POST', `${ROOT}/login/password`, { body: { password: PASSWORD } });
  assert.equal(missing.status, 400);
  // A name that none can have is refused alike whether names exist or not; any other name takes the time of a hash.
  assert.equal((await new SessionClient({ port }).login('nobody', PASSWORD)).status, 401);
});

test('a refused password change keeps the session; an accepted one ends all sessions of the identity', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [operator] } } });
  const [port = 0] = gateway.httpsPorts;
  const [client, other] = [new SessionClient({ port }), new SessionClient({ port })];
  await client.login('operator', PASSWORD);
  await other.login('operator', PASSWORD);
  const change = (body: unknown) => client.send('POST', `${ROOT}/changePassword`, { body });

  assert.equal((await change({ currentPassword: 'wrong', newPassword: 'another-password' })).status, 401);
  assert.equal((await change({ currentPassword: PASSWORD, newPassword: 'short' })).status, 400);
  assert.equal((await change({ currentPassword: PASSWORD, newPassword: PASSWORD })).status, 400);
  assert.equal((await change({ currentPassword: PASSWORD })).status, 400);
  assert.equal((await change({ currentPassword: ' ', newPassword: 'another-password' })).status, 400);
  assert.equal((await client.send('GET', `${ROOT}/currentIdentity`)).status, 200);
  assert.equal((await change({ currentPassword: PASSWORD, newPassword: 'another-password' })).status, 204);
  assert.equal((await other.send('GET', `${ROOT}/currentIdentity`)).status, 401);
});

test('a certificate opens a session where the handshake asks for one, and only there', async (t) => {
  const gateway = await startGateway(t, {
    config: { provision: { identities: [{ ...operator, passwordChangeNeeded: true }] } },
  });
  const pair = await getClientCertificate('operator');
  const inside = new SessionClient({ port: gateway.clientAuthPorts[0] ?? 0, ...pair });
  const login = await inside.loginByCertificate();
  assert.deepEqual([login.status, login.json], [200, { passwordChangeNeeded: true }]);
  // A session by certificate is not locked, and works on every port.
  const elsewhere = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  elsewhere.cookie = inside.cookie;
  elsewhere.xsrfToken = inside.xsrfToken;
  assert.equal((await elsewhere.send('GET', '/services/assets')).status, 200);

  const outside = await send(
    { port: gateway.httpsPorts[0] ?? 0, ...pair },
    'POST',
    `${ROOT}/login/certificate`,
  );
  assert.equal(outside.status, 401);
  assert.equal(outside.headers['www-authenticate'], undefined);
  // Without session management switched on for them, certificates open nothing but sessions.
  const stateless = await send({ port: gateway.clientAuthPorts[0] ?? 0, ...pair }, 'GET', '/services/assets');
  assert.equal(stateless.status, 401);
});

test('every setting of the REST interface acts on the next request after a reload, on open sessions too', async (t) => {
  const provision = (rest: object, more: object = {}) => ({
    provision: { rest, identities: [operator], ...more },
  });
  const gateway = await startGateway(t, { config: provision({}) });
  const [port = 0] = gateway.httpsPorts;
  const info = async () => (await send({ port }, 'GET', `${ROOT}/authenticationInfo`)).json;
  const status = async (method: string, name: string) =>
    (await send({ port }, method, `${ROOT}/${name}`)).status;
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  assert.deepEqual(await info(), {
    passwordAuthenticationEnabled: true,
    certificateAuthenticationEnabled: true,
    certificateAuthenticationPorts: gateway.clientAuthPorts,
  });

  const banners = {
    preLogin: { enabled: true, message: 'Authorised staff only' },
    postLogin: { enabled: true, message: 'Welcome' },
  };
  assert.equal(
    (await gateway.reload(provision({ passwordAuthenticationEnabled: false }, { banners }))).event,
    'reloaded',
  );
  assert.deepEqual(await info(), {
    passwordAuthenticationEnabled: false,
    certificateAuthenticationEnabled: true,
    certificateAuthenticationPorts: gateway.clientAuthPorts,
    message: 'Authorised staff only',
  });
  assert.equal(await status('POST', 'login/password'), 404);
  assert.equal((await client.send('GET', '/services/assets')).status, 200);

  const off = { passwordAuthenticationEnabled: true, sessionBasedAuthenticationEnabled: false };
  await gateway.reload(provision(off, { banners: { preLogin: { enabled: false } } }));
  assert.deepEqual(await info(), {
    passwordAuthenticationEnabled: false,
    certificateAuthenticationEnabled: false,
  });
  for (const [method, name] of [
    ['POST', 'login/password'],
    ['POST', 'login/certificate'],
    ['GET', 'xsrfToken'],
    ['POST', 'logout'],
    ['POST', 'changePassword'],
    ['GET', 'currentIdentity'],
  ] as const) {
    assert.equal(await status(method, name), 404, name);
  }
  assert.equal((await client.send('GET', '/services/assets')).status, 401);

  await gateway.reload(provision({ sessionBasedAuthenticationEnabled: true }));
  const welcome = await new SessionClient({ port }).login('operator', PASSWORD);
  assert.deepEqual(welcome.json, { passwordChangeNeeded: false, message: 'Welcome' });

  await gateway.reload(provision({ allowedPorts: [gateway.clientAuthPorts[0]] }));
  assert.equal(await status('GET', 'authenticationInfo'), 404);
});

test('BASIC is asked for where it would help, and what was accepted is not asked for again', async (t) => {
  const rest = { basicAuthenticationEnabled: true };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: [operator] } } });
  const [port = 0] = gateway.httpsPorts;
  const basic = { Authorization: `Basic ${Buffer.from(`operator:${PASSWORD}`).toString('base64')}` };
  const wrong = { Authorization: `Basic ${Buffer.from('operator:wrong').toString('base64')}` };
  const challengeOf = async (method: string, name: string, headers = {}): Promise<unknown> => {
    const answer = await send({ port }, method, `${ROOT}/${name}`, { headers });
    assert.equal(answer.status, 401, name);
    return answer.headers['www-authenticate'];
  };
  const asked = 'Basic realm="penstock"';
  assert.equal(await challengeOf('GET', 'currentIdentity'), asked);
  assert.equal(await challengeOf('POST', 'logout'), asked);
  assert.equal(await challengeOf('POST', 'logout', wrong), asked);
  assert.equal(await challengeOf('POST', 'logout', basic), undefined);
  assert.equal(await challengeOf('GET', 'xsrfToken'), undefined);
  assert.equal(await challengeOf('GET', 'xsrfToken', wrong), undefined);
  const byScript = { 'X-Requested-With': 'XMLHttpRequest' };
  assert.equal(await challengeOf('GET', 'currentIdentity', byScript), undefined);
  assert.equal(await challengeOf('POST', 'login/certificate'), undefined);
});

test('a session works beside a certificate and BASIC that are good for every request', async (t) => {
  const rest = { statelessCertificateAuthenticationEnabled: true, basicAuthenticationEnabled: true };
  const other = { name: 'other', permissions: ['rest.events'], password: PASSWORD };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: [operator, other] } } });
  const [port = 0] = gateway.httpsPorts;
  const inside = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('operator')) };
  const outside = { port, ...(await getClientCertificate('operator')) };
  const basic = {
    Authorization: `Basic ${Buffer.from(`other:${PASSWORD}`).toString('base64')}`,
  };

  for (const [client, headers] of [
    [inside, {}],
    [outside, basic],
    [{ ...inside, ...(await getClientCertificate('other')) }, {}],
  ] as const) {
    const session = new SessionClient(client);
    assert.equal((await session.login('operator', PASSWORD)).status, 200);
    const shown = await session.send('GET', `${ROOT}/xsrfToken`, { headers });
    assert.deepEqual([shown.status, shown.json], [200, { xsrfToken: session.xsrfToken }]);
    const Cookie = session.cookie ?? '';
    for (const name of ['logout', 'changePassword']) {
      const body = { currentPassword: PASSWORD, newPassword: 'another-password' };
      const bare = await send(client, 'POST', `${ROOT}/${name}`, { headers, body });
      assert.equal(bare.status, 401, `${name} without a session`);
      const forged = await send(client, 'POST', `${ROOT}/${name}`, { headers: { ...headers, Cookie }, body });
      assert.equal(forged.status, 401, `${name} without the XSRF token`);
    }
    assert.equal((await session.send('POST', `${ROOT}/logout`, { headers })).status, 204);
    const after = await send({ port }, 'GET', `${ROOT}/xsrfToken`, { headers: { Cookie } });
    assert.equal(after.status, 401, 'the session is over');
  }

  // The certificate names the owner of the request, the cookie that of the session.
  const session = new SessionClient({ ...inside, ...(await getClientCertificate('other')) });
  await session.login('operator', PASSWORD);
  const { json } = await session.send('GET', `${ROOT}/currentIdentity`);
  assert.equal(answerOf(readOwnIdentity, { json }).name, 'other');
  const body = { currentPassword: PASSWORD, newPassword: 'another-password' };
  assert.equal((await session.send('POST', `${ROOT}/changePassword`, { body })).status, 204);
  const again = new SessionClient({ port });
  assert.equal((await again.login('operator', 'another-password')).status, 200);
  assert.equal((await again.login('other', PASSWORD)).status, 200);
});

test('login by certificate is followed by xsrfToken on one port, also with certificates on every request', async (t) => {
  const rest = { statelessCertificateAuthenticationEnabled: true };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: [operator] } } });
  const pair = await getClientCertificate('operator');
  const client = new SessionClient({ port: gateway.clientAuthPorts[0] ?? 0, ...pair });
  assert.equal((await client.loginByCertificate()).status, 200);
  assert.ok(client.xsrfToken);
  assert.equal((await client.send('POST', `${ROOT}/logout`)).status, 204);
});

test('a page that logs out is told to clear what it left in the browser, a program is not', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [operator] } } });
  const [port = 0] = gateway.httpsPorts;
  const clearedBy = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const client = new SessionClient({ port });
    await client.login('operator', PASSWORD);
    const answer = await client.send('POST', `${ROOT}/logout`, { headers });
    assert.equal(answer.status, 204);
    return answer.headers['clear-site-data'];
  };
  assert.equal(await clearedBy({}), undefined);
  assert.equal(await clearedBy({ 'X-Requested-With': 'XMLHttpRequest' }), '"cookies", "storage"');
  assert.equal(await clearedBy({ 'Sec-Fetch-Site': 'same-origin' }), '"cookies", "storage"');
});

test('browsers are told to insist on HTTPS as a setting says, and over TLS only', async (t) => {
  const shownBy = async (http: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> => {
    const gateway = await startGateway(t, { config: { http: { ports: [0], ...http } } });
    const overTls = await send({ port: gateway.httpsPorts[0] ?? 0 }, 'GET', '/healthz');
    const plain = await send({ port: gateway.httpPorts[0] ?? 0, plain: true }, 'GET', '/healthz');
    return [overTls, plain].map(({ headers }) => headers['strict-transport-security']);
  };
  assert.deepEqual(await shownBy({}), [undefined, undefined]);
  assert.deepEqual(await shownBy({ strictTransportSecuritySeconds: 31_536_000 }), [
    'max-age=31536000',
    undefined,
  ]);
});
