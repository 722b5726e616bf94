import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import type { AuditAnnotation } from '../../../../../daemon/security/audit/audit-annotation.ts';
import { Unavailable } from '../../../../../daemon/base/errors.ts';
import { Authenticator } from '../../../../../daemon/security/identity/authenticator.ts';
import { createApplication } from '../../../../../daemon/server/http/application.ts';
import { EventStreams } from '../../../../../daemon/server/http/stream/event-streams.ts';
import { createTrustedProxies } from '../../../../../daemon/server/http/proxy/trusted-proxies.ts';
import { createTokenRoutes } from '../../../../../daemon/server/rest/security/token-routes.ts';
import { MemorySessionStore } from '../../../../../daemon/security/session/memory-session-store.ts';
import {
  createRequestSessionFinder,
  createSessionProvider,
} from '../../../../../daemon/security/session/request-session.ts';
import { createSession } from '../../../../../daemon/security/session/session.ts';
import { restSettingsSchema } from '../../../../../daemon/settings/rest-settings.ts';
import { YamlReader } from '../../../../../daemon/settings/yaml-reader.ts';
import type { TokenPair } from '../../../../../daemon/security/token/token-issuer.ts';
import { send as sendRequest } from '../../../../support/https-client.ts';
import { makeWaitingPipe } from '../../../../support/waiting-pipe.ts';
import {
  claimsFor,
  createTokenFixture,
  forge,
  NOW_SECONDS,
  REFRESH,
} from '../../../security/token/token-fixture.ts';
import type { TokenFixtureOptions } from '../../../security/token/token-fixture.ts';
import { createConnection } from '../../http/request-fixture.ts';
import { createRequestKeys } from '../../../../support/request-keys.ts';

const origin = { remoteAddress: '192.0.2.1', port: 443 };

const ISSUE = '/services/token/jwt/v1/issue';
const REFRESH_PATH = '/services/token/jwt/v1/refresh';

/** Serves the endpoints on a plain HTTP port of the loopback, with sessions as the other proof of identity. */
async function setUp(t: TestContext, options: TokenFixtureOptions = {}) {
  const fixture = await createTokenFixture(t, options);
  const { clock, logger, identities, issuer, tokenRefresh, settings, provider } = fixture;
  const notes: (AuditAnnotation | undefined)[] = [];
  const rest = () => ({ ...restSettingsSchema.parse({}), ...settings().rest });
  const sessions = new MemorySessionStore({ clock, inactivityIntervalMs: () => 900_000 });
  const authenticator = new Authenticator({ clock, logger });
  const findSession = createRequestSessionFinder({ sessions, identities, rest });
  authenticator.add(createSessionProvider(findSession));
  authenticator.add(provider);
  const application = createApplication({
    routes: createTokenRoutes({ issuer, identities, refresh: tokenRefresh, settings }),
    trail: {
      announce: () => undefined,
      recordAnswer: ({ auditAnnotation }) => {
        notes.push(auditAnnotation);
        return undefined;
      },
    },
    accessLog: () => undefined,
    yaml: new YamlReader(),
    requestKeys: createRequestKeys(clock),
    streams: new EventStreams({ authenticator, identities, rest, clock }),
    authenticator,
    findSession,
    identities,
    rest,
    isKnownHost: () => true,
    trustedProxies: () => createTrustedProxies([]),
    clock,
    logger,
  });
  const server = createServer((request, response) =>
    application(request, response, {
      port: 80,
      isTls: false,
      isLocal: false,
      closing: new AbortController().signal,
      connection: createConnection(),
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;

  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    sendRequest({ port, plain: true }, method, path, { headers, body });
  const openSession = () => {
    const session = createSession(
      { identity: identities.get('scada'), method: 'password', origin, nowMs: clock.monotonicMs() },
      systemRandom,
    );
    sessions.add(session);
    return { Cookie: `JSESSIONID=${session.id}`, 'X-XSRF-Token': session.xsrfToken };
  };
  return {
    ...fixture,
    notes,
    openSession,
    send,
    issue: (headers: Record<string, string> = openSession()) => send('POST', ISSUE, headers),
    use: (body: unknown, headers: Record<string, string> = { 'Content-Type': 'text/plain' }) =>
      send('POST', REFRESH_PATH, headers, body),
  };
}

const pairOf = (answer: { readonly json: unknown }) => answer.json as TokenPair;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('issue: another proof of identity obtains a pair that must not be cached', async (t) => {
  const { issue } = await setUp(t);
  const answer = await issue();
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
  assert.deepEqual(Object.keys(answer.json as object), [
    'tokenType',
    'accessToken',
    'accessTokenExpiresInSeconds',
    'refreshToken',
    'refreshTokenExpiresInSeconds',
  ]);
});

test('issue: no credentials, an access token, a refresh token and a deleted identity are answered with 401', async (t) => {
  const { issue, identities, openSession } = await setUp(t);
  const pair = pairOf(await issue());
  const session = openSession();
  assert.equal((await issue({})).status, 401);
  assert.equal((await issue(bearer(pair.accessToken))).status, 401);
  assert.equal((await issue(bearer(pair.refreshToken))).status, 401);
  identities.remove('scada');
  assert.equal((await issue(session)).status, 401);
});

test('issue: a session locked by a pending password change is answered with 403', async (t) => {
  const { issue, identities, openSession } = await setUp(t);
  const session = openSession();
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal((await issue(session)).status, 403);
  assert.equal((await issue({ Cookie: session.Cookie })).status, 401);
});

test('issue: an identity changed while the key is read is refused: 401 if deleted or replaced, 403 if its password must change', async (t) => {
  let interfere = (): void => undefined;
  const { issue, identities, createIdentity } = await setUp(t, {
    wrapIssuer: (issuer) => ({
      issue(name) {
        interfere();
        return issuer.issue(name);
      },
    }),
  });
  interfere = () => identities.setPasswordChangeNeeded('scada', true);
  assert.equal((await issue()).status, 403);
  identities.setPasswordChangeNeeded('scada', false);
  interfere = () => identities.setPassword('scada', undefined, { changeNeeded: false });
  assert.equal((await issue()).status, 401, 'new credentials');
  interfere = () => {
    identities.remove('scada');
    createIdentity('scada');
  };
  assert.equal((await issue()).status, 401, 'another identity of the same name');
  interfere = () => identities.remove('scada');
  assert.equal((await issue()).status, 401, 'no identity');
});

test('issue: 404 takes precedence over 401, 401 over 403, 403 over 500', async (t) => {
  const { issue, identities, openSession, ownFiles, set } = await setUp(t);
  const session = openSession();
  renameSync(ownFiles.privateKeyFile, `${ownFiles.privateKeyFile}.away`);
  assert.equal((await issue(session)).status, 500);
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal((await issue(session)).status, 403);
  assert.equal((await issue({})).status, 401);
  set({ rest: { tokenIssuingServiceTarget: 'other' } });
  assert.equal((await issue({})).status, 404);
  set({ rest: { tokenIssuingServiceTarget: '', jwtAuthenticationEnabled: false } });
  assert.equal((await issue(session)).status, 404);
});

test('issue: a temporarily unavailable service is answered with 503 and Retry-After', async (t) => {
  const busy = new Unavailable({ code: 'TOKEN_SERVICE_UNAVAILABLE', detail: 'busy', retryAfterSeconds: 5 });
  const { issue } = await setUp(t, { wrapIssuer: () => ({ issue: () => Promise.reject(busy) }) });
  const answer = await issue();
  assert.equal(answer.status, 503);
  assert.equal(answer.headers['retry-after'], '5');
});

test('issue and refresh: a pipe in place of a key file is answered with 503, and never opened', async (t) => {
  const { issue, use, directory, set, issuing, clock } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  const pipe = await makeWaitingPipe(t, directory);
  set({ tokenIssuingServices: [{ ...issuing, privateKeyFile: pipe.file }] });
  clock.advance(1000);
  for (const answer of [await issue(), await use(refreshToken), await issue()]) {
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['retry-after'], '5');
    assert.equal(answer.headers.pragma, 'no-cache');
  }
  assert.equal(await pipe.takeText(), 'text');
  set({ tokenIssuingServices: [issuing] });
  assert.equal((await use(refreshToken)).status, 200);
});

test('issue: an error in reading the key shows no path', async (t) => {
  const { issue, directory, ownFiles } = await setUp(t);
  renameSync(ownFiles.privateKeyFile, `${ownFiles.privateKeyFile}.away`);
  const answer = await issue();
  assert.equal(answer.status, 500);
  assert.ok(!answer.text.includes(directory));
});

test('refresh: a refresh token alone obtains a new pair once', async (t) => {
  const { issue, use } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  const answer = await use(refreshToken);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
  assert.equal((await use(refreshToken)).status, 401);
  assert.equal((await use(pairOf(answer).refreshToken)).status, 200);
});

test('refresh: the audit trail records whose token was used, and its second use', async (t) => {
  const { issue, use, notes } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  await use(refreshToken);
  await use(refreshToken);
  assert.deepEqual(notes[1], { method: 'bearer', claimedName: 'scada' });
  const { event, claimedName, details = [] } = notes[2] ?? {};
  assert.deepEqual([event, claimedName, details[0]?.['iss']], ['TOKEN_REPLAYED', 'scada', 'penstock']);
});

test('refresh: the session of another identity has no effect', async (t) => {
  const { issue, use, createIdentity, openSession } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  createIdentity('other');
  const headers = { ...openSession(), 'Content-Type': 'text/plain' };
  assert.equal((await use(refreshToken, headers)).status, 200);
  assert.equal((await use(refreshToken, headers)).status, 401);
});

test('refresh: white space around the token is ignored', async (t) => {
  const { issue, use } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  assert.equal((await use(` \t\r\n${refreshToken}\r\n `)).status, 200);
  assert.equal((await use(refreshToken)).status, 401);
});

test('refresh: an empty body is answered with 400', async (t) => {
  const { use } = await setUp(t);
  for (const body of [undefined, '', ' ', '\r\n\t ']) assert.equal((await use(body)).status, 400);
});

test('refresh: 8192 raw bytes are accepted, 8193 are answered with 413', async (t) => {
  const { issue, use } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  assert.equal((await use(refreshToken.padEnd(8193))).status, 413);
  assert.equal((await use('x'.repeat(8193))).status, 413);
  assert.equal((await use('x'.repeat(8192))).status, 401);
  assert.equal((await use(refreshToken.padEnd(8192))).status, 200);
});

test('refresh: another content type is answered with 415', async (t) => {
  const { issue, use } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  for (const type of ['application/json', 'application/jwt', 'text/html', 'text/plain; charset=utf-16', '']) {
    assert.equal((await use(refreshToken, { 'Content-Type': type })).status, 415, type);
  }
  assert.equal((await use(refreshToken, { 'Content-Type': 'text/plain; charset=UTF-8' })).status, 200);
});

test('refresh: invalid, expired and access tokens, and tokens of unknown identities, are answered with 401', async (t) => {
  const { issue, use, own } = await setUp(t);
  const { accessToken } = pairOf(await issue());
  const claims = (changes: object) => claimsFor({ aud: REFRESH, ...changes });
  for (const token of [
    'x',
    'a.b.c',
    '{"refreshToken":"x"}',
    accessToken,
    forge(own, claims({ exp: NOW_SECONDS - 60 })),
    forge(own, claims({ sub: 'nobody' })),
    forge(own, claims({ jti: undefined })),
    `${forge(own, claims({}))}\n${forge(own, claims({}))}`,
  ]) {
    const answer = await use(token);
    assert.equal(answer.status, 401, token);
    assert.deepEqual(Object.keys(answer.json as object), ['message']);
  }
});

test('refresh: a pending password change is answered with 403', async (t) => {
  const { issue, use, identities } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal((await use(refreshToken)).status, 403);
});

test('refresh: disabled tokens and a target without a match are answered with 404', async (t) => {
  const { issue, use, set } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  for (const rest of [
    { jwtAuthenticationEnabled: false },
    { tokenIssuingServiceTarget: 'other' },
    { tokenVerificationServiceTarget: 'other' },
  ]) {
    set({ rest });
    assert.equal((await use(refreshToken)).status, 404);
    set({
      rest: {
        jwtAuthenticationEnabled: true,
        tokenIssuingServiceTarget: '',
        tokenVerificationServiceTarget: '',
      },
    });
  }
  assert.equal((await use(refreshToken)).status, 200);
});

test('refresh: an unreadable signing key is answered with 500, and the token stays valid', async (t) => {
  const { issue, use, ownFiles } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  renameSync(ownFiles.privateKeyFile, `${ownFiles.privateKeyFile}.away`);
  assert.equal((await use(refreshToken)).status, 500);
  renameSync(`${ownFiles.privateKeyFile}.away`, ownFiles.privateKeyFile);
  assert.equal((await use(refreshToken)).status, 200);
});

test('refresh: of 50 concurrent requests exactly one is answered with 200', async (t) => {
  const { issue, use } = await setUp(t);
  const { refreshToken } = pairOf(await issue());
  const answers = await Promise.all(Array.from({ length: 50 }, () => use(refreshToken)));
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 401)]);
});

test('a 401 challenges for Bearer, with invalid_token when a bearer token was refused', async (t) => {
  const { issue, use, set } = await setUp(t);
  const { accessToken } = pairOf(await issue());
  const challenge = async (headers: Record<string, string>) =>
    (await issue(headers)).headers['www-authenticate'];
  assert.equal(await challenge({}), 'Bearer');
  for (const token of [accessToken, 'x', '']) {
    assert.equal(await challenge(bearer(token)), 'Bearer error="invalid_token"');
  }
  assert.equal((await use('x')).headers['www-authenticate'], 'Bearer');
  set({ rest: { jwtAuthenticationEnabled: false } });
  assert.equal(await challenge(bearer(accessToken)), undefined);
});

test('a token in the query, a cookie or the body is ignored', async (t) => {
  const { issue, send } = await setUp(t);
  const { accessToken } = pairOf(await issue());
  assert.equal((await send('POST', `${ISSUE}?access_token=${accessToken}`)).status, 401);
  assert.equal((await send('POST', ISSUE, { Cookie: `access_token=${accessToken}` })).status, 401);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  assert.equal((await send('POST', ISSUE, form, `access_token=${accessToken}`)).status, 401);
});
