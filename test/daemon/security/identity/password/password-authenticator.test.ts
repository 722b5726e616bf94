import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GATEWAY_ITSELF } from '../../../../../daemon/security/identity/password/hash-source.ts';
import { MAXIMUM_DELAY_SECONDS } from '../../../../../daemon/security/identity/attempt/attempt-counter.ts';
import { FREE_FAILURES_OF_ADDRESS } from '../../../../../daemon/security/identity/attempt/attempt-table.ts';
import { HIDDEN_RESPONSE_MS } from '../../../../../daemon/security/identity/password/password-authenticator.ts';
import { createPasswordHasher } from '../../../../../daemon/security/identity/password/password-hash.ts';
import { CHEAP_COST, createIdentityFixture, PASSWORD } from '../identity-fixture.ts';

const remoteAddress = '192.0.2.1';

async function setUp() {
  const fixture = createIdentityFixture();
  const identity = await fixture.addIdentity('scada');
  const tryPassword = (name: string, password: string) =>
    fixture.authenticator.authenticatePassword({ name, password, remoteAddress });
  return { ...fixture, identity, tryPassword };
}

test('the correct password proves the identity', async () => {
  const { tryPassword, identity } = await setUp();
  assert.equal(await tryPassword('scada', PASSWORD), identity);
});

test('an identity that has to change its password is still proved', async () => {
  const { tryPassword, identities } = await setUp();
  const changed = identities.setPasswordChangeNeeded('scada', true);
  assert.equal(await tryPassword('scada', PASSWORD), changed);
});

test('wrong, empty, huge, NUL and differently composed passwords are refused', async () => {
  const { tryPassword, limiter } = await setUp();
  const wrong = [
    'wrong',
    '',
    'x'.repeat(90_000),
    `${PASSWORD}\u0000`,
    `${PASSWORD} `,
    PASSWORD.normalize('NFD'),
    PASSWORD.toUpperCase(),
  ];
  for (const password of wrong) {
    assert.equal(await tryPassword('scada', password), undefined, password.slice(0, 40));
    (await limiter.begin({ name: 'scada', remoteAddress })).succeed();
  }
});

test('names in another case, with white space and with similar letters are refused', async () => {
  const { tryPassword } = await setUp();
  for (const name of ['Scada', ' scada', 'scada ', 'ѕcada', 'scada\u0000', '', '__proto__']) {
    assert.equal(await tryPassword(name, PASSWORD), undefined, name);
  }
});

test('known and unknown names and an identity without password cost one hash each', async () => {
  const { tryPassword, identities, threads } = await setUp();
  identities.create({ name: 'historian', permissions: [], passwordChangeNeeded: false });
  for (const name of ['scada', 'nobody', 'historian']) {
    const before = threads.hashes;
    assert.equal(await tryPassword(name, 'wrong'), undefined);
    assert.equal(threads.hashes - before, 1, name);
  }
});

test('known and unknown names are delayed alike', async () => {
  const { tryPassword } = await setUp();
  const outcomes = async (name: string) => {
    const results = [];
    for (let index = 0; index < 7; index += 1) {
      results.push(await tryPassword(name, 'wrong').catch((error: { code: string }) => error.code));
    }
    return results;
  };
  assert.deepEqual(await outcomes('scada'), await outcomes('nobody'));
});

test('after too many failures the correct password is refused from that address, and accepted from others', async () => {
  const { tryPassword, authenticator, identity, threads } = await setUp();
  for (let index = 0; index < 5; index += 1) await tryPassword('scada', 'wrong');
  const before = threads.hashes;
  await assert.rejects(tryPassword('scada', PASSWORD), {
    name: 'TooManyRequests',
    code: 'TOO_MANY_FAILED_LOGINS',
    retryAfterSeconds: 1,
  });
  assert.equal(threads.hashes, before);
  const elsewhere = { name: 'scada', password: PASSWORD, remoteAddress: '198.51.100.7' };
  assert.equal(await authenticator.authenticatePassword(elsewhere), identity);
});

/** Makes an address wait where identities with a password, without one and with a pending change are known or unknown. */
async function setUpWaitingAddress() {
  const parts = await setUp();
  const { tryPassword, identities, addIdentity, limiter } = parts;
  await addIdentity('locked', { passwordChangeNeeded: true });
  identities.create({ name: 'historian', permissions: [], passwordChangeNeeded: false });
  await addIdentity('stranger');
  await addIdentity('deleted');
  for (const name of ['scada', 'locked', 'deleted']) await tryPassword(name, PASSWORD);
  identities.remove('deleted');
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) {
    (await limiter.begin({ name: `name${index}`, remoteAddress })).fail();
  }
  for (let index = 0; index < 8; index += 1) {
    parts.clock.advance(MAXIMUM_DELAY_SECONDS * 1000);
    (await limiter.begin({ name: `another${index}`, remoteAddress })).fail();
  }
  return parts;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an address that has to wait gets the same refusal at the same moment for every name', async () => {
  const { tryPassword, clock } = await setUpWaitingAddress();
  const names = ['scada', 'locked', 'deleted', 'historian', 'stranger', 'nobody'];
  for (let round = 0; round < 8; round += 1) {
    const answered: string[] = [];
    const refusals = names.map((name) =>
      tryPassword(name, 'wrong').then(
        () => assert.fail(name),
        (error: { code: string; detail: string; retryAfterSeconds: number }) => {
          answered.push(name);
          return [error.code, error.detail, error.retryAfterSeconds];
        },
      ),
    );
    await settled();
    clock.advance(HIDDEN_RESPONSE_MS - 1);
    await settled();
    assert.deepEqual(answered, []);
    clock.advance(1);
    const [first, ...others] = await Promise.all(refusals);
    assert.equal(first?.[0], 'TOO_MANY_FAILED_LOGINS');
    for (const other of others) assert.deepEqual(other, first);
  }
});

test('a correct password is accepted at a waiting address where its name is known, and nowhere else', async () => {
  const { tryPassword, clock, identity } = await setUpWaitingAddress();
  assert.equal(await tryPassword('scada', PASSWORD), identity);
  const refused = assert.rejects(tryPassword('stranger', PASSWORD), { code: 'TOO_MANY_FAILED_LOGINS' });
  await settled();
  clock.advance(HIDDEN_RESPONSE_MS);
  await refused;
});

test('a check that is late, or not performed, is answered like every other one', async () => {
  const { tryPassword, clock, hasher } = await setUpWaitingAddress();
  await hasher.stop();
  const refused = assert.rejects(tryPassword('scada', PASSWORD), { code: 'TOO_MANY_FAILED_LOGINS' });
  await settled();
  clock.advance(HIDDEN_RESPONSE_MS);
  await refused;
});

test('each threshold is logged, without the name when no identity has it', async () => {
  const { tryPassword, logger } = await setUp();
  for (let index = 0; index < 5; index += 1) await tryPassword('scada', 'wrong');
  for (let index = 0; index < 5; index += 1) await tryPassword('hunter2', 'canary-4711');
  assert.deepEqual(
    logger.lines.map(({ level, event, fields }) => [level, event, fields['identity']]),
    [
      ['warn', 'login.delayed', 'scada'],
      ['warn', 'login.delayed', undefined],
    ],
  );
  assert.doesNotMatch(JSON.stringify(logger.lines), /hunter2|canary-4711/);
});

test('an attempt that could not be checked does not count as failed', async () => {
  const { tryPassword, hasher, limiter } = await setUp();
  await hasher.stop();
  for (let index = 0; index < 10; index += 1) {
    await assert.rejects(tryPassword('scada', PASSWORD), { name: 'Unavailable' });
  }
  assert.doesNotThrow(() => limiter.begin({ name: 'scada', remoteAddress }));
});

test('a password that is changed while it is checked proves nothing', async () => {
  const { tryPassword, identities } = await setUp();
  const checking = tryPassword('scada', PASSWORD);
  identities.setPassword('scada', undefined, { changeNeeded: false });
  assert.equal(await checking, undefined);
});

test('an identity that is deleted and created again during the check is not proved', async () => {
  const { tryPassword, identities, addIdentity } = await setUp();
  const checking = tryPassword('scada', PASSWORD);
  identities.remove('scada');
  await addIdentity('scada');
  assert.equal(await checking, undefined);
});

test('a hash with other parameters is replaced at login, and the revision stays the same', async () => {
  const { tryPassword, identities, clock, threads, hasher } = await setUp();
  const other = createPasswordHasher({
    clock,
    cost: { ...CHEAP_COST, passes: 2 },
    startThread: threads.start,
  });
  const old = identities.setPassword('scada', await other.hash(PASSWORD, GATEWAY_ITSELF), {
    changeNeeded: false,
  });
  const proved = await tryPassword('scada', PASSWORD);
  assert.equal(proved?.credentialsRevision, old.credentialsRevision);
  assert.equal(hasher.needsRehash(identities.get('scada').passwordHash ?? ''), false);
  assert.ok(await tryPassword('scada', PASSWORD));
});

test('a password with control characters, as it could be set earlier, still proves its identity', async () => {
  const { addIdentity, hasher, authenticator } = createIdentityFixture();
  for (const [name, password] of [
    ['bell', 'ring\u0007 ring'],
    ['null', 'nothing\0 here'],
  ] as const) {
    await addIdentity(name, { passwordHash: await hasher.hash(password, GATEWAY_ITSELF) });
    const proved = await authenticator.authenticatePassword({ name, password, remoteAddress: '192.0.2.1' });
    assert.equal(proved?.name, name);
  }
});
