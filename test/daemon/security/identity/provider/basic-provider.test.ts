import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GATEWAY_ITSELF } from '../../../../../daemon/security/identity/password/hash-source.ts';
import {
  createBasicProvider,
  CredentialCache,
  MAXIMUM_VERIFIED_PAIRS,
} from '../../../../../daemon/security/identity/provider/basic-provider.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createIdentityFixture, PASSWORD } from '../identity-fixture.ts';

async function setUp() {
  const fixture = createIdentityFixture();
  const identity = await fixture.addIdentity('scada');
  fixture.set({ basicAuthenticationEnabled: true });
  const provider = createBasicProvider(fixture);
  const sendAtOnce = (authorization: string | undefined, remoteAddress = '192.0.2.1') =>
    provider.authenticate({
      remoteAddress,
      authorization,
      isXsrfExempt: false,
      header: () => undefined,
      isOpenToLockedSessions: false,
    });
  const send = async (...request: Parameters<typeof sendAtOnce>) => sendAtOnce(...request);
  fixture.threads.hashes = 0;
  return { ...fixture, identity, send, sendAtOnce };
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

const RIGHT = basic('scada', PASSWORD);

test('BASIC proves an identity; the password may contain colons and any characters', async () => {
  const { send, identity } = await setUp();
  assert.deepEqual(await send(RIGHT), { identity, method: 'basic', isByPassword: true });
});

test('BASIC is off by default and needs password authentication as well', async () => {
  const { sendAtOnce, set, threads } = await setUp();
  assert.equal(createIdentityFixture().rest().basicAuthenticationEnabled, false);
  set({ basicAuthenticationEnabled: false });
  assert.equal(sendAtOnce(RIGHT), undefined);
  set({ basicAuthenticationEnabled: true, passwordAuthenticationEnabled: false });
  assert.equal(sendAtOnce(RIGHT), undefined);
  assert.equal(threads.hashes, 0);
});

test('disabling BASIC also invalidates verified pairs', async () => {
  const { send, sendAtOnce, set } = await setUp();
  await send(RIGHT);
  set({ basicAuthenticationEnabled: false });
  assert.equal(sendAtOnce(RIGHT), undefined);
});

test('BASIC is rejected if it is disabled during the check', async () => {
  const { send, set } = await setUp();
  const checking = send(RIGHT);
  set({ passwordAuthenticationEnabled: false });
  assert.equal(await checking, undefined);
});

test('missing and malformed credentials cost no hash', async () => {
  const { sendAtOnce, threads } = await setUp();
  for (const field of [undefined, 'Basic ???', `Basic ${'A'.repeat(9000)}`, 'Bearer abc']) {
    assert.equal(sendAtOnce(field), undefined);
  }
  assert.equal(threads.hashes, 0);
});

test('a wrong password and an unknown name are refused at the same cost', async () => {
  const { send, threads } = await setUp();
  assert.equal(await send(basic('scada', 'wrong')), undefined);
  assert.equal(threads.hashes, 1);
  assert.equal(await send(basic('nobody', PASSWORD)), undefined);
  assert.equal(threads.hashes, 2);
});

test('an identity that has to change its password is refused, at once also after a verified pair', async () => {
  const { send, identities } = await setUp();
  await send(RIGHT);
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal(await send(RIGHT), undefined);
});

test('a verified pair is answered at once and without a hash for 60 s', async () => {
  const { send, sendAtOnce, clock, threads, identity } = await setUp();
  await send(RIGHT);
  clock.advance(59_000);
  assert.deepEqual(sendAtOnce(RIGHT), { identity, method: 'basic', isByPassword: true });
  assert.equal(threads.hashes, 1);
  clock.advance(1000);
  assert.deepEqual(await send(RIGHT), { identity, method: 'basic', isByPassword: true });
  assert.equal(threads.hashes, 2);
});

test('a verified pair is forgotten when the password changes or the identity is created again', async () => {
  const { send, identities, hasher, addIdentity, threads } = await setUp();
  await send(RIGHT);
  identities.setPassword('scada', await hasher.hash('another', GATEWAY_ITSELF), { changeNeeded: false });
  assert.equal(await send(RIGHT), undefined);
  identities.remove('scada');
  await addIdentity('scada', { passwordHash: await hasher.hash('another', GATEWAY_ITSELF) });
  const before = threads.hashes;
  assert.equal(await send(RIGHT), undefined);
  assert.equal(threads.hashes - before, 1);
});

test('a verified pair has the current permissions', async () => {
  const { send, sendAtOnce, identities } = await setUp();
  await send(RIGHT);
  const changed = identities.setPermissions('scada', []);
  assert.deepEqual(sendAtOnce(RIGHT), { identity: changed, method: 'basic', isByPassword: true });
});

test('equal pairs that arrive together share one hash and count as one attempt', async () => {
  const { send, threads, identity } = await setUp();
  const answers = await Promise.all(Array.from({ length: 100 }, () => send(RIGHT)));
  assert.ok(answers.every((answer) => answer?.identity === identity));
  assert.equal(threads.hashes, 1);
  await Promise.all(Array.from({ length: 100 }, () => send(basic('scada', 'wrong'))));
  assert.equal(threads.hashes, 2);
});

test('a flood of wrong pairs is delayed as logins are; another address is served', async () => {
  const { send, threads, identity } = await setUp();
  for (let index = 0; index < 5; index += 1) await send(basic('scada', `wrong${index}`));
  await assert.rejects(send(RIGHT), { name: 'TooManyRequests' });
  assert.equal(threads.hashes, 5);
  assert.deepEqual(await send(RIGHT, '198.51.100.7'), { identity, method: 'basic', isByPassword: true });
});

test('wrong pairs of one address are not shared with another', async () => {
  const { send, threads } = await setUp();
  const wrong = basic('scada', 'wrong');
  await Promise.all([send(wrong), send(wrong, '198.51.100.7')]);
  assert.equal(threads.hashes, 2);
});

test('a pair that cannot be checked in time is not called wrong', () => {
  const provider = createBasicProvider(createIdentityFixture());
  assert.equal(provider.createTimeoutError?.().code, 'PASSWORD_QUEUE_FULL');
});

test('the memory of verified pairs is bounded', () => {
  const pairs = new CredentialCache(new ManualClock());
  const identity = {
    id: 'id',
    name: 'scada',
    permissions: [],
    passwordChangeNeeded: false,
    credentialsRevision: 1,
    createdAtMs: 0,
  };
  for (let index = 0; index <= MAXIMUM_VERIFIED_PAIRS; index += 1) pairs.remember(`pair${index}`, identity);
  assert.equal(pairs.has('pair0', identity), false);
  assert.equal(pairs.has('pair1', identity), true);
  assert.equal(pairs.has(`pair${MAXIMUM_VERIFIED_PAIRS}`, identity), true);
});
