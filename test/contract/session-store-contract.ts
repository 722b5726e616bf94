import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../daemon/base/random.ts';
import type { Identity } from '../../daemon/security/identity/identity.ts';
import type { SessionStore } from '../../daemon/security/session/session-store.ts';
import { createSession } from '../../daemon/security/session/session.ts';
import type { Session } from '../../daemon/security/session/session.ts';
import { ManualClock } from '../support/manual-clock.ts';

const origin = { remoteAddress: '192.0.2.1', port: 443 };

/** The limits under which the suite runs. */
export interface SessionStoreLimits {
  readonly inactivityIntervalMs: number;
  readonly maximumSessions: number;
  readonly maximumSessionsPerIdentity: number;
}

const LIMITS = { inactivityIntervalMs: 900_000, maximumSessions: 8, maximumSessionsPerIdentity: 3 };

/**
 * Tests what every session store must do.
 *
 * @param create creates an empty store with these limits
 */
export function testSessionStore(
  kind: string,
  create: (clock: ManualClock, limits: SessionStoreLimits) => SessionStore,
): void {
  function setUp() {
    const clock = new ManualClock();
    const store = create(clock, LIMITS);
    const open = (name: string): Session => {
      const session = createSession(
        { identity: identity(name), method: 'password', origin, nowMs: clock.monotonicMs() },
        systemRandom,
      );
      store.add(session);
      return session;
    };
    return { clock, store, open };
  }

  test(`${kind}: find returns what was added and nothing else`, () => {
    const { store, open } = setUp();
    const session = open('scada');
    assert.deepEqual(store.find(session.id), session);
    for (const id of ['', 'chosen-by-the-client', '__proto__', `${session.id} `, session.id.toLowerCase()]) {
      assert.equal(store.find(id), undefined);
    }
  });

  test(`${kind}: a session idle for 899 s is found, one idle for 901 s is not`, () => {
    const { clock, store, open } = setUp();
    const session = open('scada');
    clock.advance(899_000);
    assert.ok(store.find(session.id));
    clock.advance(2000);
    assert.equal(store.find(session.id), undefined);
    assert.equal(store.count(), 0);
  });

  test(`${kind}: touch prolongs, find does not`, () => {
    const { clock, store, open } = setUp();
    const [used, watched] = [open('scada'), open('scada')];
    clock.advance(600_000);
    store.touch(used.id);
    store.find(watched.id);
    clock.advance(600_000);
    assert.ok(store.find(used.id));
    assert.equal(store.find(watched.id), undefined);
  });

  test(`${kind}: touch does not revive an expired session`, () => {
    const { clock, store, open } = setUp();
    const session = open('scada');
    clock.advance(901_000);
    store.touch(session.id);
    assert.equal(store.find(session.id), undefined);
  });

  test(`${kind}: a session in constant use ends after twelve hours`, () => {
    const { clock, store, open } = setUp();
    const session = open('scada');
    for (let minute = 10; minute < 12 * 60; minute += 10) {
      clock.advance(600_000);
      store.touch(session.id);
    }
    assert.ok(store.find(session.id));
    clock.advance(600_000);
    assert.equal(store.find(session.id), undefined);
  });

  test(`${kind}: remove ends one session, and ending it again does nothing`, () => {
    const { store, open } = setUp();
    const [first, second] = [open('scada'), open('scada')];
    store.remove(first.id);
    store.remove(first.id);
    assert.equal(store.find(first.id), undefined);
    assert.ok(store.find(second.id));
  });

  test(`${kind}: list returns the open sessions in order of their login`, () => {
    const { clock, store, open } = setUp();
    assert.deepEqual(store.list(), []);
    const [first, second, third] = [open('scada'), open('historian'), open('scada')];
    store.remove(second.id);
    assert.deepEqual(store.list(), [first, third]);
    clock.advance(600_000);
    store.touch(third.id);
    clock.advance(600_000);
    assert.deepEqual(
      store.list().map(({ id, lastUsedMs }) => [id, lastUsedMs - first.createdAtMs]),
      [[third.id, 600_000]],
    );
  });

  test(`${kind}: handles differ from each other and tell nothing of the id`, () => {
    const { open } = setUp();
    const sessions = [open('scada'), open('scada')];
    const [first, second] = sessions;
    assert.notEqual(first?.handle, second?.handle);
    for (const { id, handle } of sessions) {
      assert.match(handle, /^[0-9a-f]{16}$/);
      assert.ok(!id.includes(handle.slice(0, 6)));
    }
  });

  test(`${kind}: removeAllOf ends only the sessions of one identity`, () => {
    const { store, open } = setUp();
    const [first, second, other] = [open('scada'), open('scada'), open('historian')];
    store.removeAllOf(first.identityId);
    assert.equal(store.find(first.id) ?? store.find(second.id), undefined);
    assert.ok(store.find(other.id));
  });

  test(`${kind}: an identity at its limit loses its session that was idle longest`, () => {
    const { clock, store, open } = setUp();
    const sessions = ['scada', 'scada', 'scada'].map((name) => {
      clock.advance(1000);
      return open(name);
    });
    clock.advance(1000);
    store.touch(sessions[0]?.id ?? '');
    const newest = open('scada');
    assert.deepEqual(
      [...sessions, newest].map(({ id }) => store.find(id) !== undefined),
      [true, false, true, true],
    );
  });

  test(`${kind}: in a full store an identity loses its own session, never another's`, () => {
    const { store, open } = setUp();
    const names = ['aaa', 'aaa', 'aaa', 'bbb', 'bbb', 'bbb', 'ccc', 'ccc'];
    const sessions = names.map((name) => open(name));
    const newest = open('ccc');
    const ended = sessions.filter(({ id }) => store.find(id) === undefined);
    assert.deepEqual(ended, [sessions[6]]);
    assert.ok(store.find(newest.id));
  });

  test(`${kind}: a session is refused when sessions of other identities fill the store`, () => {
    const { store, open } = setUp();
    const names = ['aaa', 'aaa', 'aaa', 'bbb', 'bbb', 'bbb', 'ccc', 'ccc'];
    const sessions = names.map((name) => open(name));
    assert.throws(() => open('ddd'), { name: 'Unavailable', code: 'SESSION_LIMIT_REACHED' });
    assert.ok(sessions.every(({ id }) => store.find(id) !== undefined));
  });

  test(`${kind}: expired sessions do not count against the limits`, () => {
    const { clock, open } = setUp();
    for (const name of ['aaa', 'aaa', 'aaa', 'bbb', 'bbb', 'bbb', 'ccc', 'ccc']) open(name);
    clock.advance(901_000);
    assert.doesNotThrow(() => open('ddd'));
  });
}

function identity(name: string): Identity {
  return {
    id: `id of ${name}`,
    name,
    permissions: [],
    passwordChangeNeeded: false,
    credentialsRevision: 1,
    createdAtMs: 0,
  };
}
