import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import type { Credentials } from '../../../../daemon/security/identity/provider/authentication-provider.ts';
import {
  createRequestSessionFinder,
  createSessionProvider,
} from '../../../../daemon/security/session/request-session.ts';
import { MemorySessionStore } from '../../../../daemon/security/session/memory-session-store.ts';
import { createSession } from '../../../../daemon/security/session/session.ts';
import type { LoginMethod } from '../../../../daemon/security/session/session.ts';
import { createIdentityFixture } from '../identity/identity-fixture.ts';

const origin = { remoteAddress: '192.0.2.1', port: 443 };

function setUp(method: LoginMethod = 'password') {
  const fixture = createIdentityFixture();
  const { clock, identities, rest } = fixture;
  const identity = identities.create({
    name: 'scada',
    permissions: ['rest.assets'],
    passwordChangeNeeded: false,
  });
  const inactivityIntervalMs = () => rest().sessionInactivityIntervalSeconds * 1000;
  const sessions = new MemorySessionStore({ clock, inactivityIntervalMs });
  const provider = createSessionProvider(createRequestSessionFinder({ sessions, identities, rest }));
  const open = () => {
    const made = createSession({ identity, method, origin, nowMs: clock.monotonicMs() }, systemRandom);
    sessions.add(made);
    return made;
  };
  const session = open();
  const send = (changes: Partial<Credentials> = {}) =>
    provider.authenticate({
      remoteAddress: '192.0.2.1',
      sessionId: session.id,
      xsrfToken: session.xsrfToken,
      isXsrfExempt: false,
      header: () => undefined,
      isOpenToLockedSessions: false,
      ...changes,
    });
  return { ...fixture, identity, sessions, session, open, send };
}

test('cookie and XSRF token prove the identity, at once', () => {
  const { send, identity, session } = setUp();
  assert.deepEqual(send(), {
    identity,
    method: 'session',
    sessionId: session.id,
    isByPassword: true,
  });
});

test('an id that is chosen by the client, of an ended session, empty or absent proves nothing', () => {
  const { send, sessions, session } = setUp();
  for (const sessionId of ['chosen', '', '__proto__', `${session.id}x`, undefined]) {
    assert.equal(send({ sessionId }), undefined);
  }
  sessions.remove(session.id);
  assert.equal(send(), undefined);
  assert.equal(sessions.count(), 0);
});

test('a missing, empty, truncated, repeated or foreign XSRF token proves nothing', () => {
  const { send, open, session } = setUp();
  const { xsrfToken } = session;
  const wrong = [undefined, '', xsrfToken.slice(0, -1), `${xsrfToken}, ${xsrfToken}`, open().xsrfToken];
  for (const token of wrong) assert.equal(send({ xsrfToken: token }), undefined, token);
});

test('an exempt endpoint needs no XSRF token', () => {
  const { send, identity } = setUp();
  assert.equal(send({ xsrfToken: undefined, isXsrfExempt: true })?.identity, identity);
});

test('a wrong XSRF token neither ends nor refreshes the session', () => {
  const { send, clock } = setUp();
  clock.advance(600_000);
  assert.equal(send({ xsrfToken: 'wrong' }), undefined);
  clock.advance(299_000);
  assert.ok(send());
  clock.advance(600_000);
  send({ xsrfToken: 'wrong' });
  clock.advance(301_000);
  assert.equal(send(), undefined);
});

test('a session idle for 899 s is valid, one idle for 901 s is not', () => {
  const { send, clock } = setUp();
  clock.advance(899_000);
  assert.ok(send());
  clock.advance(899_000);
  assert.ok(send());
  clock.advance(901_000);
  assert.equal(send(), undefined);
});

test('a recheck proves the identity without counting as a use of the session', () => {
  const { send, clock } = setUp();
  clock.advance(600_000);
  assert.ok(send({ isRecheck: true }));
  clock.advance(301_000);
  assert.equal(send({ isRecheck: true }), undefined);
});

test('background requests of a page do not extend the session', () => {
  const { send, clock } = setUp();
  for (let minute = 0; minute < 14; minute += 1) {
    clock.advance(60_000);
    assert.ok(send({ isBackground: true }));
  }
  clock.advance(61_000);
  assert.equal(send({ isBackground: true }), undefined);
});

test('a session in constant use ends after twelve hours', () => {
  const { send, clock } = setUp();
  for (let minute = 0; minute < 12 * 60 - 10; minute += 10) {
    clock.advance(600_000);
    assert.ok(send());
  }
  clock.advance(600_000);
  assert.equal(send(), undefined);
});

test('sessions that are disabled end immediately', () => {
  const { send, set } = setUp();
  set({ sessionBasedAuthenticationEnabled: false });
  assert.equal(send(), undefined);
});

test('credentials that change end the session', () => {
  const { send, identities, sessions } = setUp();
  identities.setPassword('scada', '$hash', { changeNeeded: false });
  assert.equal(send(), undefined);
  assert.equal(sessions.count(), 0);
});

test('an identity that is deleted ends the session, and one created again does not restore it', () => {
  const { send, identities, sessions } = setUp();
  identities.remove('scada');
  identities.create({ name: 'scada', permissions: [], passwordChangeNeeded: false });
  assert.equal(send(), undefined);
  assert.equal(sessions.count(), 0);
});

test('a permission that is withdrawn is gone at the next request, and the session stays open', () => {
  const { send, identities } = setUp();
  const changed = identities.setPermissions('scada', []);
  assert.equal(send()?.identity, changed);
});

test('a forced password change locks open password sessions at once, and lifting it unlocks them', () => {
  const { send, identities } = setUp();
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal(send(), undefined);
  assert.ok(send({ isOpenToLockedSessions: true }));
  identities.setPasswordChangeNeeded('scada', false);
  assert.ok(send());
});

test('a locked session needs its XSRF token as well', () => {
  const { send, identities } = setUp();
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal(send({ isOpenToLockedSessions: true, xsrfToken: undefined }), undefined);
});

test('a refusal because of the lock does not refresh the session', () => {
  const { send, identities, clock } = setUp();
  identities.setPasswordChangeNeeded('scada', true);
  clock.advance(600_000);
  assert.equal(send(), undefined);
  clock.advance(301_000);
  assert.equal(send({ isOpenToLockedSessions: true }), undefined);
});

test('a certificate session is never locked', () => {
  const { send, identities } = setUp('certificate');
  identities.setPasswordChangeNeeded('scada', true);
  assert.ok(send());
});
