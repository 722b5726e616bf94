import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Credentials } from '../../../../daemon/security/identity/provider/authentication-provider.ts';
import { Authenticator } from '../../../../daemon/security/identity/authenticator.ts';
import { createBasicProvider } from '../../../../daemon/security/identity/provider/basic-provider.ts';
import { createCertificateProvider } from '../../../../daemon/security/identity/provider/certificate-provider.ts';
import {
  createRequestSessionFinder,
  createSessionProvider,
} from '../../../../daemon/security/session/request-session.ts';
import { SessionLogin } from '../../../../daemon/security/session/login.ts';
import { MemorySessionStore } from '../../../../daemon/security/session/memory-session-store.ts';
import { createIdentityFixture, PASSWORD } from '../identity/identity-fixture.ts';

async function setUp() {
  const fixture = createIdentityFixture();
  fixture.set({ basicAuthenticationEnabled: true, statelessCertificateAuthenticationEnabled: true });
  for (const name of ['scada', 'historian', 'operator']) await fixture.addIdentity(name);
  const sessions = new MemorySessionStore({ clock: fixture.clock, inactivityIntervalMs: () => 900_000 });
  const chain = new Authenticator(fixture);
  const findSession = createRequestSessionFinder({ ...fixture, sessions });
  chain.add(createSessionProvider(findSession));
  chain.add(createBasicProvider(fixture));
  chain.add(createCertificateProvider(fixture));
  const { session } = new SessionLogin({ ...fixture, sessions }).byCertificate({
    commonNames: ['scada'],
    origin: { remoteAddress: '192.0.2.1', port: 443 },
  });
  const cookie = { sessionId: session.id, xsrfToken: session.xsrfToken };
  const send = async (changes: Partial<Credentials>) => {
    const remoteAddress = '192.0.2.1';
    return chain.authenticate({
      remoteAddress,
      isXsrfExempt: false,
      header: () => undefined,
      isOpenToLockedSessions: false,
      ...changes,
    });
  };
  const who = async (changes: Partial<Credentials>) => {
    const principal = await send(changes);
    return principal && [principal.identity.name, principal.method];
  };
  return { ...fixture, findSession, cookie, send, who };
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

test('certificate, then BASIC, then session decides', async () => {
  const { who, cookie } = await setUp();
  const authorization = basic('historian', PASSWORD);
  const certificateCommonNames = ['operator'];
  assert.deepEqual(await who({ ...cookie, authorization, certificateCommonNames }), [
    'operator',
    'certificate',
  ]);
  assert.deepEqual(await who({ ...cookie, authorization }), ['historian', 'basic']);
  assert.deepEqual(await who(cookie), ['scada', 'session']);
  assert.equal(await who({}), undefined);
});

test('a certificate of one identity takes precedence over the session of another', async () => {
  const { who, cookie } = await setUp();
  assert.deepEqual(await who({ ...cookie, certificateCommonNames: ['historian'] }), [
    'historian',
    'certificate',
  ]);
});

test('invalid BASIC and an unknown certificate leave the decision to a valid session', async () => {
  const { who, cookie } = await setUp();
  const bad = { authorization: basic('scada', 'wrong'), certificateCommonNames: ['nobody'] };
  assert.deepEqual(await who({ ...cookie, ...bad }), ['scada', 'session']);
  assert.equal(await who(bad), undefined);
});

test('delayed BASIC leaves the decision to a valid session, and is an error without one', async () => {
  const { send, who, cookie } = await setUp();
  const bad = { authorization: basic('historian', 'wrong') };
  for (let index = 0; index < 5; index += 1) await send(bad);
  assert.deepEqual(await who({ ...cookie, ...bad }), ['scada', 'session']);
  await assert.rejects(send(bad), { code: 'TOO_MANY_FAILED_LOGINS' });
});

test('valid BASIC needs no XSRF token even when the session lacks one', async () => {
  const { who, cookie } = await setUp();
  const authorization = basic('historian', PASSWORD);
  assert.deepEqual(await who({ sessionId: cookie.sessionId, authorization }), ['historian', 'basic']);
});

test('the session of a request is found whatever else the request proves, and the request is a use of it', async () => {
  const { findSession, cookie, clock } = await setUp();
  const carry = (changes: Partial<Credentials> = {}) =>
    findSession({
      remoteAddress: '192.0.2.1',
      isXsrfExempt: false,
      isOpenToLockedSessions: false,
      header: () => undefined,
      certificateCommonNames: ['historian'],
      ...cookie,
      ...changes,
    })?.session.id;
  assert.equal(carry(), cookie.sessionId);
  clock.advance(600_000);
  assert.equal(carry({ xsrfToken: 'wrong' }), undefined);
  assert.equal(carry(), cookie.sessionId);
  clock.advance(600_000);
  assert.equal(carry({ isRecheck: true }), cookie.sessionId);
  clock.advance(301_000);
  assert.equal(carry(), undefined);
});
