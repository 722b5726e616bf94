import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  MAXIMUM_HASHES_AT_ONCE,
  MAXIMUM_HASHES_WAITING,
  MAXIMUM_HASHES_WAITING_PER_SOURCE,
  PasswordHashPool,
} from '../../../../../daemon/security/identity/password/password-hash-pool.ts';
import { startHashThread } from '../../../../../daemon/security/identity/password/password-hash-thread.ts';
import type {
  HashRequest,
  HashThread,
} from '../../../../../daemon/security/identity/password/password-hash-thread.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { SimulatedTime } from '../../../../simulation/world/simulated-time.ts';
import { CHEAP_COST } from '../identity-fixture.ts';

const SOURCE = ['192.0.2.1', 'scada'];

/** A thread that finishes when the test ends it. */
class HeldThread implements HashThread {
  finish: ((tag: Uint8Array) => void) | undefined;
  isEnded = false;
  #fail: ((reason: Error) => void) | undefined;

  derive(): Promise<Uint8Array> {
    assert.equal(this.finish, undefined, 'one at a time');
    return new Promise<Uint8Array>((resolve, reject) => {
      this.finish = resolve;
      this.#fail = reject;
    }).finally(() => {
      this.finish = undefined;
    });
  }

  isAlive(): boolean {
    return !this.isEnded;
  }

  crash(): void {
    this.isEnded = true;
    this.#fail?.(new Error('crashed'));
  }

  end(): Promise<void> {
    this.crash();
    return Promise.resolve();
  }
}

function createHeldPool() {
  const clock = new ManualClock();
  const threads: HeldThread[] = [];
  const startThread = () => {
    const thread = new HeldThread();
    threads.push(thread);
    return thread;
  };
  const pool = new PasswordHashPool({ clock, startThread });
  const alive = () => threads.filter((thread) => thread.isAlive());
  const running = () => threads.filter(({ finish }) => finish !== undefined);
  return { clock, threads, pool, alive, running };
}

function request(): HashRequest {
  return { ...CHEAP_COST, password: new Uint8Array([1]), salt: new Uint8Array(16), tagLength: 32 };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('no thread starts before there is work', () => {
  assert.equal(createHeldPool().threads.length, 0);
});

test('at most two hashes run at once, and all are computed in turn', async () => {
  const { pool, threads, running } = createHeldPool();
  const results = Array.from({ length: 10 }, () => pool.run(request(), SOURCE));
  let done = 0;
  while (running().length > 0) {
    assert.ok(running().length <= MAXIMUM_HASHES_AT_ONCE);
    running()[0]?.finish?.(new Uint8Array([done]));
    done += 1;
    await settled();
  }
  assert.equal((await Promise.all(results)).length, 10);
  assert.equal(threads.length, MAXIMUM_HASHES_AT_ONCE);
});

test('beyond the limit of running and waiting hashes the largest source is refused, not a newcomer', async () => {
  const { pool, running } = createHeldPool();
  const runMany = (count: number, name: string) =>
    Array.from({ length: count }, () => pool.run(request(), ['192.0.2.1', name]));
  const first = runMany(MAXIMUM_HASHES_AT_ONCE, 'first');
  const waiting = ['a', 'b', 'c'].flatMap((name) => runMany(MAXIMUM_HASHES_WAITING_PER_SOURCE, name));
  const rest = runMany(MAXIMUM_HASHES_WAITING - waiting.length - 1, 'd');
  const last = pool.run(request(), ['192.0.2.1', 'e']);
  const administrator = pool.run(request(), ['198.51.100.7', 'admin']);
  const expected = { name: 'Unavailable', code: 'PASSWORD_QUEUE_FULL', retryAfterSeconds: 1 };
  await assert.rejects(Promise.race(waiting), expected);
  await assert.rejects(pool.run(request(), ['192.0.2.1', 'd']), expected);
  for (const { finish } of running()) finish?.(new Uint8Array([1]));
  await settled();
  for (const { finish } of running()) finish?.(new Uint8Array([2]));
  assert.deepEqual(await administrator, new Uint8Array([2]));
  await Promise.all([pool.stop(), Promise.allSettled([...first, ...waiting, ...rest, last])]);
});

test('a source has no more waiting hashes than its share', async () => {
  const { pool } = createHeldPool();
  const accepted = Array.from({ length: MAXIMUM_HASHES_AT_ONCE + MAXIMUM_HASHES_WAITING_PER_SOURCE }, () =>
    pool.run(request(), SOURCE),
  );
  const expected = { name: 'Unavailable', code: 'PASSWORD_QUEUE_FULL', retryAfterSeconds: 1 };
  await assert.rejects(pool.run(request(), SOURCE), expected);
  await Promise.all([pool.stop(), Promise.allSettled(accepted)]);
});

test('the request of a crashed thread is rejected and another thread takes the next', async () => {
  const { pool, threads, alive } = createHeldPool();
  const lost = pool.run(request(), SOURCE);
  threads[0]?.crash();
  await assert.rejects(lost, { name: 'Unavailable', code: 'PASSWORD_HASHING_FAILED' });
  const next = pool.run(request(), SOURCE);
  alive()[0]?.finish?.(new Uint8Array([7]));
  assert.deepEqual(await next, new Uint8Array([7]));
  assert.equal(threads.length, 2);
});

test('an idle thread that died is replaced', async () => {
  const { pool, threads, alive } = createHeldPool();
  const first = pool.run(request(), SOURCE);
  threads[0]?.finish?.(new Uint8Array([1]));
  await first;
  await settled();
  threads[0]?.crash();
  const second = pool.run(request(), SOURCE);
  alive()[0]?.finish?.(new Uint8Array([2]));
  assert.deepEqual(await second, new Uint8Array([2]));
});

test('a thread that cannot start rejects the request', async () => {
  const startThread = () => {
    throw new Error('no more threads');
  };
  const pool = new PasswordHashPool({ clock: new ManualClock(), startThread });
  await assert.rejects(pool.run(request(), SOURCE), { code: 'PASSWORD_HASHING_FAILED' });
});

test('threads idle for ten seconds end, and start again when needed', async () => {
  const { clock, pool, threads, alive } = createHeldPool();
  const first = pool.run(request(), SOURCE);
  threads[0]?.finish?.(new Uint8Array([1]));
  await first;
  await settled();
  clock.advance(9000);
  assert.equal(alive().length, 1);
  clock.advance(2000);
  assert.equal(alive().length, 0);
  const second = pool.run(request(), SOURCE);
  alive()[0]?.finish?.(new Uint8Array([2]));
  assert.deepEqual(await second, new Uint8Array([2]));
});

test('stop rejects running and waiting hashes, ends the threads, and may be repeated', async () => {
  const { pool, alive } = createHeldPool();
  const results = Array.from({ length: 5 }, () => pool.run(request(), SOURCE));
  const [outcomes] = await Promise.all([Promise.allSettled(results), pool.stop()]);
  const codes = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : '',
  );
  assert.deepEqual(new Set(codes), new Set(['PASSWORD_HASHING_STOPPED']));
  assert.equal(alive().length, 0);
  await pool.stop();
  await assert.rejects(pool.run(request(), SOURCE), { code: 'PASSWORD_HASHING_STOPPED' });
});

test('a real thread that is ended rejects its request without a trace of the password', async () => {
  const thread = startHashThread();
  const password = new TextEncoder().encode('canary-4711');
  const lost = thread.derive({ ...CHEAP_COST, password, salt: new Uint8Array(1), tagLength: 32 });
  await assert.rejects(lost, (error: Error) => !`${error.stack}`.includes('canary-4711'));
  assert.equal(thread.isAlive(), true);
  const pending = thread.derive({ ...request(), memoryKib: 65_536 });
  await Promise.all([assert.rejects(pending), thread.end()]);
  assert.equal(thread.isAlive(), false);
});

test('a pool that has stopped leaves nothing to come', async () => {
  const clock = new SimulatedTime();
  const pool = new PasswordHashPool({ clock, startThread: startHashThread });
  await pool.run(request(), SOURCE);
  await pool.stop();
  assert.equal(clock.pendingEvents, 0);
});
