import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TooManyRequests, Unavailable } from '../../../daemon/base/errors.ts';
import type { AuthenticationProvider } from '../../../daemon/identity/authentication-provider.ts';
import { Authenticator } from '../../../daemon/identity/authenticator.ts';
import type { Identity, Principal } from '../../../daemon/identity/identity.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';

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

function unavailable(code: string): Unavailable {
  return new Unavailable({ code, detail: 'later', retryAfterSeconds: 1 });
}

test('providers are asked in the order of their priority, then of their registration', () => {
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

test('after a late "no" the next providers are asked', async () => {
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
  add('busy', 1, fail(unavailable('BUSY')));
  add('busy too', 2, () => Promise.reject(unavailable('BUSY_TOO')));
  add('yes', 3, () => yes);
  assert.equal(await ask(), yes);
});

test('when no provider returns a principal the first refusal is thrown', async () => {
  const { add, ask, logger } = setUp();
  const refusal = new TooManyRequests({ code: 'SLOW_DOWN', detail: 'later', retryAfterSeconds: 9 });
  add('throttled', 1, () => Promise.reject(refusal));
  add('busy', 2, fail(unavailable('BUSY')));
  add('no', 3);
  await assert.rejects(async () => ask(), refusal);
  assert.equal(logger.lines.length, 0);
});

test('a refusal given at once is thrown at once', () => {
  const { add, ask } = setUp();
  add('busy', 1, fail(unavailable('BUSY')));
  assert.throws(ask, { code: 'BUSY' });
});
