import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SessionLogin } from '../../../../daemon/security/session/login.ts';
import { MemorySessionStore } from '../../../../daemon/security/session/memory-session-store.ts';
import { findRequiredActionIn } from '../../../../daemon/security/session/session.ts';
import { createIdentityFixture, PASSWORD } from '../identity/identity-fixture.ts';

const origin = { remoteAddress: '192.0.2.1', port: 443 };

async function setUp(maximumSessions?: number) {
  const fixture = createIdentityFixture();
  const identity = await fixture.addIdentity('scada');
  const sessions = new MemorySessionStore({
    clock: fixture.clock,
    inactivityIntervalMs: () => 900_000,
    maximumSessions,
  });
  const login = new SessionLogin({ ...fixture, sessions });
  const byPassword = (password = PASSWORD, requestSessionId?: string, username = 'scada') =>
    login.byPassword({ username, password, requestSessionId, origin });
  const byCertificate = (commonNames?: readonly string[], requestSessionId?: string) =>
    login.byCertificate({ commonNames, origin, requestSessionId });
  return { ...fixture, identity, sessions, byPassword, byCertificate };
}

const FAILED = { name: 'NotAuthenticated', code: 'LOGIN_FAILED' };
const DISABLED = { name: 'NotFound', code: 'LOGIN_METHOD_DISABLED' };

test('a login by password opens a session of the identity', async () => {
  const { byPassword, sessions, identity } = await setUp();
  const { session, identity: who } = await byPassword();
  assert.equal(who, identity);
  assert.equal(session.method, 'password');
  assert.deepEqual(sessions.find(session.id), session);
});

test('a login by certificate opens a session of the identity', async () => {
  const { byCertificate, sessions, identity } = await setUp();
  const { session, identity: who } = byCertificate(['scada']);
  assert.equal(who, identity);
  assert.equal(session.method, 'certificate');
  assert.ok(sessions.find(session.id));
});

test('a wrong password and an unknown name fail alike and open nothing', async () => {
  const { byPassword, sessions } = await setUp();
  await assert.rejects(byPassword('wrong'), FAILED);
  await assert.rejects(byPassword(PASSWORD, undefined, 'nobody'), FAILED);
  assert.equal(sessions.count(), 0);
});

test('no common name, an unknown one and several fail', async () => {
  const { byCertificate, sessions } = await setUp();
  for (const names of [undefined, [], ['nobody'], ['scada', 'scada'], ['Scada']]) {
    assert.throws(() => byCertificate(names), FAILED);
  }
  assert.equal(sessions.count(), 0);
});

test('each login creates a new id and ends the session of the request', async () => {
  const { byPassword, byCertificate, sessions } = await setUp();
  const first = await byPassword();
  const second = await byPassword(PASSWORD, first.session.id);
  assert.notEqual(second.session.id, first.session.id);
  assert.equal(sessions.find(first.session.id), undefined);
  const third = byCertificate(['scada'], second.session.id);
  assert.equal(sessions.find(second.session.id), undefined);
  assert.ok(sessions.find(third.session.id));
});

test('an id chosen by the client is never adopted', async () => {
  const { byPassword, sessions } = await setUp();
  const { session } = await byPassword(PASSWORD, 'chosen-by-the-client');
  assert.notEqual(session.id, 'chosen-by-the-client');
  assert.equal(sessions.find('chosen-by-the-client'), undefined);
});

test('a failed login ends the session that the request carried, and no other', async () => {
  const { byPassword, byCertificate, sessions } = await setUp();
  const [first, second, third] = [await byPassword(), await byPassword(), await byPassword()];
  await assert.rejects(byPassword('wrong', first.session.id), FAILED);
  assert.throws(() => byCertificate(['nobody'], second.session.id), FAILED);
  assert.equal(sessions.find(first.session.id) ?? sessions.find(second.session.id), undefined);
  assert.ok(sessions.find(third.session.id));
});

test('a pending password change leads to a locked session by password, an unlocked one by certificate', async () => {
  const { byPassword, byCertificate, identities } = await setUp();
  const pending = identities.setPasswordChangeNeeded('scada', true);
  const locked = await byPassword();
  assert.equal(locked.identity.passwordChangeNeeded, true);
  assert.equal(findRequiredActionIn(locked.session, pending), 'PASSWORD_CHANGE');
  assert.equal(findRequiredActionIn(byCertificate(['scada']).session, pending), undefined);
});

test('no session is opened with a disabled method, or while sessions are disabled', async () => {
  const { byPassword, byCertificate, sessions, set } = await setUp();
  set({ passwordAuthenticationEnabled: false, certificateAuthenticationEnabled: false });
  await assert.rejects(byPassword(), DISABLED);
  assert.throws(() => byCertificate(['scada']), DISABLED);
  set({
    passwordAuthenticationEnabled: true,
    certificateAuthenticationEnabled: true,
    sessionBasedAuthenticationEnabled: false,
  });
  await assert.rejects(byPassword(), DISABLED);
  assert.throws(() => byCertificate(['scada']), DISABLED);
  assert.equal(sessions.count(), 0);
});

test('no session is opened with a method that is disabled during the password check', async () => {
  const { byPassword, sessions, set } = await setUp();
  const checking = byPassword();
  set({ passwordAuthenticationEnabled: false });
  await assert.rejects(checking, DISABLED);
  assert.equal(sessions.count(), 0);
});

test('after too many failures logins by password are refused from that address; certificates are not affected', async () => {
  const { byPassword, byCertificate } = await setUp();
  for (let index = 0; index < 5; index += 1) await assert.rejects(byPassword('wrong'), FAILED);
  await assert.rejects(byPassword(), { name: 'TooManyRequests', code: 'TOO_MANY_FAILED_LOGINS' });
  assert.ok(byCertificate(['scada']));
});

test('a login is refused when other identities hold all sessions, and their sessions stay open', async () => {
  const { byPassword, byCertificate, addIdentity, sessions } = await setUp(1);
  await addIdentity('historian');
  const { session } = await byPassword();
  assert.throws(() => byCertificate(['historian']), { code: 'SESSION_LIMIT_REACHED' });
  assert.ok(sessions.find(session.id));
});
