import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TooManyRequests } from '../../../../../daemon/base/errors.ts';
import {
  FORGET_AFTER_MS,
  MAXIMUM_DELAY_SECONDS,
} from '../../../../../daemon/security/identity/attempt/attempt-counter.ts';
import {
  AttemptLimiter,
  MAXIMUM_WAITING,
} from '../../../../../daemon/security/identity/attempt/attempt-limiter.ts';
import type { Attempt } from '../../../../../daemon/security/identity/attempt/attempt-limiter.ts';
import {
  FREE_FAILURES,
  FREE_FAILURES_OF_ADDRESS,
  MAXIMUM_UNKNOWN_NAMES,
} from '../../../../../daemon/security/identity/attempt/attempt-table.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const HERE = '192.0.2.1';
const ELSEWHERE = '192.0.2.2';

function createLimiter(maximumEntries?: number) {
  const clock = new ManualClock();
  const limiter = new AttemptLimiter({ clock, maximumEntries });
  const ask = (name: string, remoteAddress: string) => limiter.begin({ name, remoteAddress });
  const begin = (name: string, remoteAddress: string): Attempt => {
    const attempt = ask(name, remoteAddress);
    if (attempt instanceof Promise) throw new Error(`${name} has to wait for others`);
    return attempt;
  };
  const fail = (name: string, address: string) => begin(name, address).fail();
  const failOften = (count: number, name: string, address: string) => {
    for (let index = 0; index < count; index += 1) fail(name, address);
  };
  /** Seconds to wait before the next attempt; 0 when a correct password is accepted. */
  const delayOf = (name: string, address: string): number => {
    try {
      const attempt = begin(name, address);
      attempt.abandon();
      return attempt.maySucceed ? 0 : (attempt.refuse?.().retryAfterSeconds ?? 0);
    } catch (error) {
      assert.ok(error instanceof TooManyRequests);
      assert.equal(error.code, 'TOO_MANY_FAILED_LOGINS');
      return error.retryAfterSeconds;
    }
  };
  return { clock, ask, begin, fail, failOften, delayOf };
}

test('five failures are free, the fifth starts the delay', () => {
  const { fail, failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES - 1, 'admin', HERE);
  assert.equal(delayOf('admin', HERE), 0);
  assert.equal(fail('admin', HERE), 1);
  assert.equal(delayOf('admin', HERE), 1);
});

test('the delay doubles with each failure up to a minute', () => {
  const { clock, fail, failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES - 1, 'admin', HERE);
  const delays = Array.from({ length: 8 }, () => {
    const delaySeconds = fail('admin', HERE);
    clock.advance(delaySeconds * 1000 - 1);
    assert.equal(delayOf('admin', HERE), 1);
    clock.advance(1);
    return delaySeconds;
  });
  assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, MAXIMUM_DELAY_SECONDS, MAXIMUM_DELAY_SECONDS]);
});

test('a hundred failures never lead to more than a minute', () => {
  const { clock, failOften, delayOf } = createLimiter();
  for (let index = 0; index < 100; index += 1) {
    failOften(1, 'admin', HERE);
    clock.advance(60_000);
  }
  failOften(1, 'admin', HERE);
  assert.equal(delayOf('admin', HERE), MAXIMUM_DELAY_SECONDS);
});

test('attempts during the delay are refused and do not prolong it', () => {
  const { clock, failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES, 'admin', HERE);
  clock.advance(500);
  for (let index = 0; index < 20; index += 1) delayOf('admin', HERE);
  clock.advance(500);
  assert.equal(delayOf('admin', HERE), 0);
});

test('a delay affects no other address and no other name', () => {
  const { failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES, 'admin', HERE);
  assert.equal(delayOf('admin', ELSEWHERE), 0);
  assert.equal(delayOf('scada', HERE), 0);
});

test('a success resets the count', () => {
  const { begin, failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES - 1, 'admin', HERE);
  begin('admin', HERE).succeed();
  failOften(FREE_FAILURES - 1, 'admin', HERE);
  assert.equal(delayOf('admin', HERE), 0);
});

test('failures are forgotten after a quarter of an hour without another one', () => {
  const { clock, begin, fail, failOften } = createLimiter();
  begin('admin', HERE).succeed();
  failOften(FREE_FAILURES - 1, 'admin', HERE);
  clock.advance(FORGET_AFTER_MS);
  assert.equal(fail('admin', HERE), 0);
});

test('an attempt whose password was not checked does not count', () => {
  const { begin, failOften, fail } = createLimiter();
  failOften(FREE_FAILURES - 2, 'admin', HERE);
  for (let index = 0; index < 10; index += 1) begin('admin', HERE).abandon();
  assert.equal(fail('admin', HERE), 0);
});

test('once failures are no longer free, attempts are admitted one at a time', async () => {
  const { clock, ask, begin, failOften } = createLimiter();
  failOften(FREE_FAILURES, 'admin', HERE);
  clock.advance(1000);
  const first = begin('admin', HERE);
  const second = ask('admin', HERE);
  assert.ok(second instanceof Promise);
  assert.equal(first.fail(), 2);
  await assert.rejects(second, { code: 'TOO_MANY_FAILED_LOGINS', retryAfterSeconds: 2 });
});

test('names tried from one address delay that address, for unknown names as for known ones', () => {
  const { clock, fail, delayOf } = createLimiter();
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) fail(`name${index}`, HERE);
  assert.equal(delayOf('another', HERE), 1);
  assert.equal(delayOf('another', ELSEWHERE), 0);
  clock.advance(1000);
  fail('another', HERE);
  assert.equal(delayOf('yet another', HERE), 2);
});

test('a name that logged in from an address is not refused because of other attempts from there', () => {
  const { begin, fail, delayOf } = createLimiter();
  begin('operator', HERE).succeed();
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) fail(`name${index}`, HERE);
  assert.equal(delayOf('operator', HERE), 0);
  assert.equal(delayOf('another', HERE), 1);
});

test('a success does not clear the count of the address', () => {
  const { begin, fail, delayOf } = createLimiter();
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS - 1; index += 1) fail(`name${index}`, HERE);
  begin('mallory', HERE).succeed();
  fail('last', HERE);
  assert.equal(delayOf('another', HERE), 1);
});

test('addresses of one /64 count as one', () => {
  const { fail, delayOf } = createLimiter();
  for (let index = 0; index < FREE_FAILURES; index += 1) fail('admin', `2001:db8::${index}`);
  assert.equal(delayOf('admin', '2001:db8::ffff'), 1);
});

test('the memory is bounded, and the least recently used entry is evicted first', () => {
  const { fail, failOften, delayOf } = createLimiter(8);
  failOften(FREE_FAILURES, 'admin', HERE);
  for (let index = 0; index < 3; index += 1) fail('admin', `192.0.2.${index + 10}`);
  assert.equal(delayOf('admin', HERE), 1);
  for (let index = 0; index < 4; index += 1) fail('admin', `192.0.2.${index + 20}`);
  assert.equal(delayOf('admin', HERE), 0);
});

test('attempts that are refused or not checked evict nothing', () => {
  const { clock, begin, failOften, delayOf } = createLimiter(8);
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) {
    clock.advance(60_000);
    failOften(1, 'admin', HERE);
  }
  for (let index = 0; index < 100; index += 1) assert.ok(delayOf(`name${index}`, HERE) > 0);
  for (let index = 0; index < 100; index += 1) begin(`name${index}`, `198.51.100.${index}`).abandon();
  clock.advance(1000);
  assert.equal(delayOf('admin', HERE), MAXIMUM_DELAY_SECONDS - 1);
});

test('concurrent attempts count when they arrive: no more are admitted than in sequence', async () => {
  const { ask, begin, delayOf } = createLimiter();
  const volley = Array.from({ length: FREE_FAILURES }, () => begin('admin', HERE));
  const waiting = Array.from({ length: MAXIMUM_WAITING }, () => ask('admin', HERE));
  assert.ok(waiting.every((attempt) => attempt instanceof Promise));
  assert.equal(delayOf('admin', HERE), 1, 'no more may wait');
  assert.equal(delayOf('admin', ELSEWHERE), 0);
  assert.deepEqual(
    volley.map((attempt) => attempt.fail()),
    [0, 0, 0, 0, 1],
  );
  for (const attempt of waiting)
    await assert.rejects(async () => attempt, { code: 'TOO_MANY_FAILED_LOGINS' });
});

test('waiting attempts continue one by one, in their order, as earlier ones succeed', async () => {
  const { ask, begin } = createLimiter();
  const volley = Array.from({ length: FREE_FAILURES }, () => begin('admin', HERE));
  const order: number[] = [];
  const waiting = [0, 1, 2].map(async (index) => {
    const attempt = await ask('admin', HERE);
    order.push(index);
    return attempt;
  });
  volley[0]?.succeed();
  const first = await waiting[0];
  assert.deepEqual(order, [0]);
  volley[1]?.succeed();
  await waiting[1];
  assert.deepEqual(order, [0, 1]);
  first?.succeed();
  await waiting[2];
  assert.deepEqual(order, [0, 1, 2]);
});

test('an attempt that was not checked makes room for a waiting one', async () => {
  const { ask, begin } = createLimiter();
  const volley = Array.from({ length: FREE_FAILURES }, () => begin('admin', HERE));
  const next = ask('admin', HERE);
  volley[0]?.abandon();
  assert.equal((await next).maySucceed, true);
});

test('a wrong password among those in progress resumes no attempt before the others are decided', async () => {
  const { ask, begin } = createLimiter();
  const volley = Array.from({ length: FREE_FAILURES }, () => begin('admin', HERE));
  let isDecided = false;
  const next = Promise.resolve(ask('admin', HERE)).finally(() => (isDecided = true));
  volley[0]?.fail();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDecided, false);
  volley[1]?.succeed();
  assert.equal((await next).maySucceed, true);
});

test('a correct password among concurrent attempts releases what they have taken', () => {
  const { begin, delayOf } = createLimiter();
  const volley = Array.from({ length: FREE_FAILURES }, () => begin('admin', HERE));
  for (const attempt of volley) attempt.succeed();
  assert.equal(delayOf('admin', HERE), 0);
});

test('earlier failures leave less room for concurrent attempts', () => {
  const { ask, begin, failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES - 2, 'admin', HERE);
  begin('admin', HERE);
  assert.equal(delayOf('admin', HERE), 0);
  begin('admin', HERE);
  assert.ok(ask('admin', HERE) instanceof Promise);
});

test('concurrent attempts over many names count for their address when they arrive', () => {
  const { begin, delayOf } = createLimiter();
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) begin(`name${index}`, HERE);
  assert.equal(delayOf('another', HERE), 1);
  assert.equal(delayOf('another', ELSEWHERE), 0);
});

test('while an address waits, known and unknown names are refused alike, whatever was tried before', () => {
  const { clock, begin, fail } = createLimiter();
  begin('operator', HERE).succeed();
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) fail(`name${index}`, HERE);
  for (let index = 0; index < 3 * FREE_FAILURES; index += 1) {
    const attempts = ['operator', 'nobody'].map((name) => begin(name, HERE));
    assert.deepEqual(
      attempts.map(({ refuse }) => refuse?.().retryAfterSeconds),
      [1, 1],
    );
    for (const attempt of attempts) attempt.fail();
  }
  clock.advance(1000);
  for (const name of ['operator', 'nobody']) {
    const attempt = begin(name, HERE);
    assert.equal(attempt.refuse, undefined, name);
    attempt.abandon();
  }
});

test('a known name can be guessed no more often while its address waits', () => {
  const { clock, begin, fail } = createLimiter();
  begin('operator', HERE).succeed();
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS + 5; index += 1) {
    fail(`name${index}`, HERE);
    clock.advance(
      index < FREE_FAILURES_OF_ADDRESS - 1 ? 0 : 2 ** (index - FREE_FAILURES_OF_ADDRESS + 1) * 1000,
    );
  }
  fail('last', HERE);
  const guesses = Array.from({ length: 20 }, () => begin('operator', HERE));
  assert.equal(guesses.filter(({ maySucceed }) => maySucceed).length, FREE_FAILURES);
});

test('names invented at an address do not erase its earlier counts', () => {
  const { clock, begin, failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES, 'admin', HERE);
  clock.advance(1000);
  failOften(1, 'admin', HERE);
  for (let index = 0; index < 3 * MAXIMUM_UNKNOWN_NAMES; index += 1) {
    const attempt = begin(`name${index}`, HERE);
    if (attempt.refuse === undefined) attempt.fail();
    clock.advance(1);
  }
  assert.ok(delayOf('admin', HERE) > 0);
});

test('an address with a login is remembered longer than those without', () => {
  const { begin, fail, delayOf } = createLimiter(8);
  begin('operator', HERE).succeed();
  for (let index = 0; index < 50; index += 1) fail('admin', `198.51.100.${index}`);
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) fail(`name${index}`, HERE);
  assert.equal(delayOf('operator', HERE), 0);
});

test('a name of any length is counted', () => {
  const { failOften, delayOf } = createLimiter();
  failOften(FREE_FAILURES, 'x'.repeat(100_000), HERE);
  assert.equal(delayOf('x'.repeat(90_000), HERE), 1);
});
