import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ErrorCodeOf } from '../../../../daemon/base/error-codes.ts';
import { TooManyRequests, Unavailable } from '../../../../daemon/base/errors.ts';
import type { AuthenticationProvider } from '../../../../daemon/security/identity/provider/authentication-provider.ts';
import { Authenticator, SHARED_LIMIT_MS } from '../../../../daemon/security/identity/authenticator.ts';
import type { Identity, Principal } from '../../../../daemon/security/identity/identity.ts';
import {
  ProviderCircuitBreaker,
  FIRST_PAUSE_MS,
  MAXIMUM_PAUSE_MS,
  TIMEOUT_THRESHOLD,
} from '../../../../daemon/security/identity/provider/provider-circuit-breaker.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

type Answer = ReturnType<AuthenticationProvider['authenticate']>;

const credentials = {
  remoteAddress: '192.0.2.1',
  isXsrfExempt: false,
  isOpenToLockedSessions: false,
  header: () => undefined,
};

function setUp() {
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const authenticator = new Authenticator({ clock, logger });
  const asked: string[] = [];
  const add = (name: string, priority: number, answer: () => Answer = () => undefined) =>
    authenticator.add({
      name,
      priority,
      authenticate: () => {
        asked.push(name);
        return answer();
      },
    });
  return { clock, logger, authenticator, asked, add, ask: () => authenticator.authenticate(credentials) };
}

function principal(name: string): Principal {
  const identity: Identity = {
    id: name,
    name,
    permissions: [],
    passwordChangeNeeded: false,
    credentialsRevision: 1,
    createdAtMs: 0,
  };
  return { identity, method: 'custom' };
}

function fail(error: Error): () => never {
  return () => {
    throw error;
  };
}

function unavailable(code: ErrorCodeOf<503>): Unavailable {
  return new Unavailable({ code, detail: 'later', retryAfterSeconds: 1 });
}

test('providers are called in the order of their priority, then of their registration', () => {
  const { add, ask, asked } = setUp();
  add('late', 400);
  add('second', 100);
  add('third', 100);
  add('first', 50);
  assert.equal(ask(), undefined);
  assert.deepEqual(asked, ['first', 'second', 'third', 'late']);
});

test('the first provider that returns a principal decides', () => {
  const { add, ask, asked } = setUp();
  const yes = principal('scada');
  add('no', 1);
  add('yes', 2, () => yes);
  add('never', 3);
  assert.equal(ask(), yes);
  assert.deepEqual(asked, ['no', 'yes']);
});

test('no promise is created as long as every provider answers at once', () => {
  const { add, ask } = setUp();
  add('yes', 1, () => principal('scada'));
  add('slow', 2, () => Promise.resolve(undefined));
  assert.ok(!(ask() instanceof Promise));
});

test('after a late "no" the next providers are called', async () => {
  const { add, ask, asked } = setUp();
  const yes = principal('scada');
  add('slow', 1, () => Promise.resolve(undefined));
  add('slow too', 2, () => Promise.resolve(undefined));
  add('yes', 3, () => yes);
  assert.equal(await ask(), yes);
  assert.deepEqual(asked, ['slow', 'slow too', 'yes']);
});

test('a removed provider is no longer asked, and a request in progress keeps its list', async () => {
  const { add, ask, asked } = setUp();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  add('slow', 1, () => promise);
  const remove = add('removed', 2);
  const underWay = ask();
  remove();
  remove();
  resolve(undefined);
  await underWay;
  assert.deepEqual(asked, ['slow', 'removed']);
  await ask();
  assert.deepEqual(asked, ['slow', 'removed', 'slow']);
});

test('a provider that throws or rejects counts as "no" and is logged once', async () => {
  const { add, ask, logger } = setUp();
  const yes = principal('scada');
  add('throws', 1, fail(new Error('broken')));
  add('rejects', 2, () => Promise.reject(new Error('broken too')));
  add('yes', 3, () => yes);
  for (let index = 0; index < 3; index += 1) assert.equal(await ask(), yes);
  assert.deepEqual(
    logger.lines.map(({ level, fields }) => [level, fields['provider']]),
    [
      ['warn', 'throws'],
      ['warn', 'rejects'],
    ],
  );
});

test('a provider that fails again after a success is logged again', () => {
  const { add, ask, logger } = setUp();
  const answers = [fail(new Error('broken')), () => principal('scada'), fail(new Error('broken'))];
  add('moody', 1, () => answers.shift()?.());
  for (let index = 0; index < 3; index += 1) void ask();
  assert.equal(logger.lines.length, 2);
});

test('a provider without an answer within five seconds counts as "no"', async () => {
  const { add, ask, clock, logger } = setUp();
  const yes = principal('scada');
  add('hangs', 1, () => new Promise(() => undefined));
  add('yes', 2, () => yes);
  const answer = ask();
  clock.advance(5000);
  assert.equal(await answer, yes);
  assert.equal(logger.lines[0]?.fields['provider'], 'hangs');
});

test('credentials that a provider could not verify in time are not called wrong, unless another one accepts them', async () => {
  const { clock, authenticator, add, ask } = setUp();
  authenticator.add({
    name: 'late',
    priority: 0,
    authenticate: () => new Promise<undefined>(() => undefined),
    createTimeoutError: () =>
      new Unavailable({ code: 'PASSWORD_QUEUE_FULL', detail: 'later', retryAfterSeconds: 1 }),
  });
  const alone = ask();
  clock.advance(5000);
  await assert.rejects(Promise.resolve(alone), { code: 'PASSWORD_QUEUE_FULL' });
  add('other', 1, () => principal('other'));
  const accompanied = ask();
  clock.advance(5000);
  assert.equal((await accompanied)?.identity.name, 'other');
});

test('a provider may set its own deadline, and a failure after it is ignored', async () => {
  const { authenticator, clock } = setUp();
  const { promise, reject } = Promise.withResolvers<undefined>();
  authenticator.add({ name: 'hangs', priority: 1, deadlineMs: 100, authenticate: () => promise });
  const answer = authenticator.authenticate(credentials);
  clock.advance(100);
  assert.equal(await answer, undefined);
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('a provider that could not verify the credentials is overruled by one that returns a principal', async () => {
  const { add, ask } = setUp();
  const yes = principal('scada');
  add('busy', 1, fail(unavailable('PASSWORD_QUEUE_FULL')));
  add('busy too', 2, () => Promise.reject(unavailable('YAML_QUEUE_FULL')));
  add('yes', 3, () => yes);
  assert.equal(await ask(), yes);
});

test('when no provider returns a principal the first refusal is thrown', async () => {
  const { add, ask, logger } = setUp();
  const refusal = new TooManyRequests({
    code: 'TOO_MANY_FAILED_LOGINS',
    detail: 'later',
    retryAfterSeconds: 9,
  });
  add('throttled', 1, () => Promise.reject(refusal));
  add('busy', 2, fail(unavailable('PASSWORD_QUEUE_FULL')));
  add('no', 3);
  await assert.rejects(async () => ask(), refusal);
  assert.equal(logger.lines.length, 0);
});

test('a refusal given at once is thrown at once', () => {
  const { add, ask } = setUp();
  add('busy', 1, fail(unavailable('PASSWORD_QUEUE_FULL')));
  assert.throws(ask, { code: 'PASSWORD_QUEUE_FULL' });
});

const silent = (): Promise<undefined> => new Promise(() => undefined);

/** Adds providers with a circuitBreaker; `answers` can be changed. */
function setUpWatched(names: readonly string[], deadlineMs = 1000) {
  const parts = setUp();
  const { authenticator, clock, logger, asked } = parts;
  const answers = new Map<string, () => Answer>();
  const circuitBreakers = names.map((name, index) => {
    const circuitBreaker = new ProviderCircuitBreaker({ name, clock, logger });
    const authenticate = (): Answer => {
      asked.push(name);
      return (answers.get(name) ?? silent)();
    };
    authenticator.add({ name, priority: index, deadlineMs, circuitBreaker, authenticate });
    return circuitBreaker;
  });
  /** Lets a request begin, and its time pass; returns how long it took, in steps of 100 ms. */
  async function pass(): Promise<number> {
    let isDone = false;
    const startMs = clock.monotonicMs();
    const answer = Promise.resolve(parts.ask()).finally(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) break;
      clock.advance(100);
    }
    assert.equal(await answer, undefined);
    return clock.monotonicMs() - startMs;
  }
  return { ...parts, answers, circuitBreakers, pass };
}

const changesOf = (logger: ReturnType<typeof createMemoryLogger>) =>
  logger.lines
    .filter(({ event }) => /Suspended|Resumed/.test(event))
    .map(({ event, fields }) => [event, fields['provider']]);

test('all providers with a circuitBreaker together delay a request by no more than the shared limit', async () => {
  const { pass, asked } = setUpWatched(['a', 'b', 'c', 'd', 'e']);
  assert.equal(await pass(), SHARED_LIMIT_MS);
  assert.deepEqual(asked, ['a', 'b']);
});

test('a deadline above the shared limit is cut to it, and providers of the gateway have a limit for themselves', async () => {
  const { pass, add, clock, ask } = setUpWatched(['a'], 5000);
  assert.equal(await pass(), SHARED_LIMIT_MS);
  const yes = principal('scada');
  const { promise, resolve } = Promise.withResolvers<Principal>();
  add('built in', 9, () => promise);
  const answer = ask();
  clock.advance(SHARED_LIMIT_MS);
  await new Promise((done) => setImmediate(done));
  clock.advance(4000);
  resolve(yes);
  assert.equal(await answer, yes);
});

test('after a few requests silent providers delay no request any more', async () => {
  const { pass, asked, logger, clock } = setUpWatched(['a', 'b', 'c']);
  const delays: number[] = [];
  for (let request = 0; request < 2 * TIMEOUT_THRESHOLD + 1; request += 1) delays.push(await pass());
  assert.deepEqual(delays, [2000, 2000, 2000, 1000, 1000, 1000, 0]);
  asked.length = 0;
  clock.advance(FIRST_PAUSE_MS);
  // Probes share the limit as well.
  assert.equal(await pass(), 2000);
  assert.equal(await pass(), 1000);
  assert.equal(await pass(), 0);
  assert.deepEqual(asked, ['a', 'b', 'c']);
  assert.deepEqual(changesOf(logger), [
    ['authentication.providerSuspended', 'a'],
    ['authentication.providerSuspended', 'b'],
    ['authentication.providerSuspended', 'c'],
  ]);
});

test('a suspended provider is probed with one request after its pause, and resumed when it responds', async () => {
  const { ask, pass, clock, asked, answers, logger, circuitBreakers } = setUpWatched(['a']);
  for (let request = 0; request < TIMEOUT_THRESHOLD; request += 1) await pass();
  const [circuitBreaker] = circuitBreakers;
  const nextProbeAtMs = clock.epochMs() + FIRST_PAUSE_MS;
  assert.deepEqual(circuitBreaker?.condition(), {
    state: 'SUSPENDED',
    nextProbeAtMs,
    timeouts: TIMEOUT_THRESHOLD,
  });
  asked.length = 0;
  clock.advance(FIRST_PAUSE_MS - 1);
  assert.equal(await pass(), 0);
  assert.deepEqual(asked, []);
  clock.advance(1);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  answers.set('a', () => promise);
  const probe = ask();
  assert.equal(await pass(), 0);
  assert.deepEqual(asked, ['a']);
  // A "no" is an answer.
  resolve(undefined);
  assert.equal(await probe, undefined);
  assert.deepEqual(circuitBreaker?.condition(), { state: 'ANSWERING', timeouts: TIMEOUT_THRESHOLD });
  await pass();
  assert.deepEqual(asked, ['a', 'a']);
  assert.deepEqual(changesOf(logger), [
    ['authentication.providerSuspended', 'a'],
    ['authentication.providerResumed', 'a'],
  ]);
});

test('the pauses of a provider that stays silent grow up to a limit, without further log lines', async () => {
  const { pass, clock, logger, circuitBreakers } = setUpWatched(['a']);
  for (let request = 0; request < TIMEOUT_THRESHOLD; request += 1) await pass();
  const pauses: number[] = [];
  for (let probe = 0; probe < 9; probe += 1) {
    pauses.push((circuitBreakers[0]?.condition().nextProbeAtMs ?? 0) - clock.epochMs());
    clock.advance(pauses.at(-1) ?? 0);
    assert.equal(await pass(), 1000);
  }
  assert.deepEqual(pauses.slice(0, 3), [FIRST_PAUSE_MS, 2 * FIRST_PAUSE_MS, 4 * FIRST_PAUSE_MS]);
  assert.equal(pauses.at(-1), MAXIMUM_PAUSE_MS);
  assert.equal(changesOf(logger).length, 1);
});

test('a provider that answers in between, also with an error, is not suspended', async () => {
  const { pass, answers, logger } = setUpWatched(['a']);
  for (let round = 0; round < 3; round += 1) {
    answers.delete('a');
    for (let request = 1; request < TIMEOUT_THRESHOLD; request += 1) await pass();
    answers.set('a', () => Promise.reject(new Error('broken')));
    await pass();
  }
  assert.deepEqual(changesOf(logger), []);
});

test('a request that a provider is not concerned with neither ends its suspension nor is its probe', async () => {
  const { pass, clock, answers, circuitBreakers } = setUpWatched(['a']);
  for (let request = 0; request < TIMEOUT_THRESHOLD; request += 1) await pass();
  clock.advance(FIRST_PAUSE_MS);
  answers.set('a', () => undefined);
  assert.equal(await pass(), 0);
  assert.equal(circuitBreakers[0]?.condition().state, 'SUSPENDED');
  answers.delete('a');
  assert.equal(await pass(), 1000);
});

test('a provider to which others left too little time is not called silent', async () => {
  const { pass, circuitBreakers, answers } = setUpWatched(['a', 'b'], 1800);
  for (let request = 1; request < TIMEOUT_THRESHOLD; request += 1)
    assert.equal(await pass(), SHARED_LIMIT_MS);
  assert.deepEqual(
    circuitBreakers.map((circuitBreaker) => circuitBreaker.condition().timeouts),
    [TIMEOUT_THRESHOLD - 1, 0],
  );
  answers.set('a', () => Promise.resolve(undefined));
  assert.equal(await pass(), 1800);
  assert.equal(circuitBreakers[1]?.condition().timeouts, 1);
});
