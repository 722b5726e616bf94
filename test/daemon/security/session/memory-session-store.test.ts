import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import {
  MemorySessionStore,
  MAXIMUM_SESSIONS,
  MAXIMUM_SESSIONS_PER_IDENTITY,
} from '../../../../daemon/security/session/memory-session-store.ts';
import { createSession } from '../../../../daemon/security/session/session.ts';
import { testSessionStore } from '../../../contract/session-store-contract.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const origin = { remoteAddress: '192.0.2.1', port: 443 };

testSessionStore(
  'MemorySessionStore',
  (clock, { inactivityIntervalMs, ...limits }) =>
    new MemorySessionStore({ clock, inactivityIntervalMs: () => inactivityIntervalMs, ...limits }),
);

function setUp() {
  const clock = new ManualClock();
  let intervalMs = 900_000;
  let asked = 0;
  const store = new MemorySessionStore({
    clock,
    inactivityIntervalMs: () => {
      asked += 1;
      return intervalMs;
    },
  });
  const open = (name: string) => {
    const identity = { id: name, name, permissions: [], passwordChangeNeeded: false };
    const session = createSession(
      {
        identity: { ...identity, credentialsRevision: 1, createdAtMs: 0 },
        method: 'password',
        origin,
        nowMs: clock.monotonicMs(),
      },
      systemRandom,
    );
    store.add(session);
    return session;
  };
  return {
    clock,
    store,
    open,
    timesAsked: () => asked,
    setIntervalMs: (ms: number) => {
      intervalMs = ms;
    },
  };
}

test('a changed inactivity interval applies to open sessions', () => {
  const { clock, store, open, setIntervalMs } = setUp();
  const session = open('scada');
  clock.advance(100_000);
  setIntervalMs(60_000);
  assert.equal(store.find(session.id), undefined);
});

test('the default limits are 1000 sessions in all and 50 of one identity', () => {
  assert.deepEqual([MAXIMUM_SESSIONS, MAXIMUM_SESSIONS_PER_IDENTITY], [1000, 50]);
  const { store, open } = setUp();
  const sessions = Array.from({ length: 51 }, () => open('scada'));
  assert.equal(store.count(), 50);
  assert.equal(store.find(sessions[0]?.id ?? ''), undefined);
});

test('expired sessions are removed between start and stop, and at no other time', async () => {
  const { clock, store, open, timesAsked } = setUp();
  open('scada');
  clock.advance(120_000);
  assert.equal(timesAsked(), 0);
  await store.start();
  clock.advance(30_000);
  assert.equal(timesAsked(), 1);
  clock.advance(900_000);
  const asked = timesAsked();
  clock.advance(120_000);
  assert.equal(timesAsked(), asked);
  open('scada');
  await store.stop();
  await store.stop();
  clock.advance(120_000);
  assert.equal(timesAsked(), asked);
});

test('the end of each session is reported once, for any reason', async () => {
  const clock = new ManualClock();
  const ended: string[] = [];
  const store = new MemorySessionStore({
    clock,
    inactivityIntervalMs: () => 900_000,
    onEnded: (id) => ended.push(id),
    maximumSessionsPerIdentity: 2,
  });
  const open = (name: string): string => {
    const identity = { id: name, name, permissions: [], passwordChangeNeeded: false };
    const session = createSession(
      {
        identity: { ...identity, credentialsRevision: 1, createdAtMs: 0 },
        method: 'password',
        origin,
        nowMs: clock.monotonicMs(),
      },
      systemRandom,
    );
    store.add(session);
    return session.id;
  };
  const removed = open('scada');
  store.remove(removed);
  store.remove(removed);
  const ofIdentity = [open('historian'), open('historian')];
  store.removeAllOf('historian');
  const displaced = [open('operator'), open('operator'), open('operator')];
  assert.deepEqual(ended, [removed, ...ofIdentity, displaced[0]]);
  await store.start();
  clock.advance(930_000);
  await store.stop();
  assert.deepEqual(ended.slice(-2), displaced.slice(1));
  assert.equal(ended.length, 6);
});
