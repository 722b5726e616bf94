import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FREE_FAILURES_OF_ADDRESS } from '../../../../../daemon/security/identity/attempt/attempt-table.ts';
import { createBasicProvider } from '../../../../../daemon/security/identity/provider/basic-provider.ts';
import { HIDDEN_RESPONSE_MS } from '../../../../../daemon/security/identity/password/password-authenticator.ts';
import {
  FREE_WRONG_CODES,
  MAXIMUM_CODE_DELAY_SECONDS,
} from '../../../../../daemon/security/identity/second-factor/code-delay.ts';
import { digestRecoveryCode } from '../../../../../daemon/security/identity/second-factor/recovery-code.ts';
import { createIdentityFixture, PASSWORD } from '../identity-fixture.ts';

const NEEDED = { name: 'SecondFactorRefused', code: 'SECOND_FACTOR_NEEDED' };
const WRONG = { name: 'SecondFactorRefused', code: 'SECOND_FACTOR_WRONG' };
const DELAYED = { name: 'TooManyRequests', code: 'TOO_MANY_FAILED_LOGINS' };

async function setUp() {
  const fixture = createIdentityFixture();
  await fixture.addIdentity('scada');
  const identity = fixture.addSecondFactor('scada');
  const prove = (code?: string, { password = PASSWORD, remoteAddress = '192.0.2.1', name = 'scada' } = {}) =>
    fixture.authenticator.authenticateWithSecondFactor({ name, password, remoteAddress }, code);
  const wrongCode = () => String((Number(fixture.codeOf()) + 1) % 1_000_000).padStart(6, '0');
  return { ...fixture, identity, prove, wrongCode };
}

test('password and code prove the identity', async () => {
  const { prove, identity, codeOf } = await setUp();
  assert.deepEqual(await prove(codeOf()), { identity, secondFactor: 'TOTP' });
});

test('a correct password without a code, or with a blank one, requires the code and is not a failure', async () => {
  const { prove, codeOf } = await setUp();
  for (let index = 0; index < 20; index += 1) {
    for (const code of [undefined, '', ' ']) await assert.rejects(prove(code), NEEDED);
  }
  assert.ok(await prove(codeOf()));
});

test('a wrong password is refused alike with a right, a wrong and no code, and uses none up', async () => {
  const { prove, codeOf, wrongCode } = await setUp();
  for (const code of [undefined, wrongCode(), codeOf()]) {
    assert.equal(await prove(code, { password: 'wrong' }), undefined);
  }
  assert.ok(await prove(codeOf()));
});

test('a code is ignored for an identity without a second factor', async () => {
  const { prove, addIdentity } = await setUp();
  const operator = await addIdentity('operator');
  assert.deepEqual(await prove('no code', { name: 'operator' }), {
    identity: operator,
    secondFactor: undefined,
  });
});

test('of two proofs at once with one code exactly one succeeds', async () => {
  const { prove, codeOf } = await setUp();
  const outcomes = await Promise.allSettled([
    prove(codeOf(), { remoteAddress: '192.0.2.1' }),
    prove(codeOf(), { remoteAddress: '192.0.2.2' }),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  await assert.rejects(prove(codeOf()), WRONG);
});

test('wrong codes count as failed logins, and right passwords between them do not help', async () => {
  const { prove, wrongCode, authenticator } = await setUp();
  const remoteAddress = '192.0.2.1';
  for (let index = 0; index < 5; index += 1) {
    await assert.rejects(prove(wrongCode()), WRONG);
    await assert.rejects(prove(index < 4 ? undefined : wrongCode()), index < 4 ? NEEDED : DELAYED);
    if (index === 4) break;
    assert.ok(await authenticator.authenticatePassword({ name: 'scada', password: PASSWORD, remoteAddress }));
  }
});

test('BASIC neither accepts an identity with a second factor nor forgets its wrong codes', async () => {
  const { prove, wrongCode, set, ...fixture } = await setUp();
  set({ basicAuthenticationEnabled: true });
  const provider = createBasicProvider(fixture);
  const send = async () =>
    provider.authenticate({
      remoteAddress: '192.0.2.1',
      authorization: `Basic ${Buffer.from(`scada:${PASSWORD}`).toString('base64')}`,
      isXsrfExempt: false,
      isOpenToLockedSessions: true,
      header: () => undefined,
    });
  for (let index = 0; index < 5; index += 1) {
    assert.equal(await send(), undefined);
    await assert.rejects(prove(wrongCode()), WRONG);
  }
  await assert.rejects(prove(wrongCode()), DELAYED);
});

test('BASIC that was accepted stops working once a second factor is set up or required', async () => {
  const { set, identities, addIdentity, ...fixture } = await setUp();
  await addIdentity('operator');
  set({ basicAuthenticationEnabled: true });
  const provider = createBasicProvider({ ...fixture, identities });
  const send = async () =>
    provider.authenticate({
      remoteAddress: '192.0.2.1',
      authorization: `Basic ${Buffer.from(`operator:${PASSWORD}`).toString('base64')}`,
      isXsrfExempt: false,
      isOpenToLockedSessions: false,
      header: () => undefined,
    });
  assert.ok(await send());
  identities.change('operator', { secondFactorRequired: true });
  assert.equal(await send(), undefined);
  identities.change('operator', { secondFactorRequired: false });
  assert.ok(await send());
  fixture.addSecondFactor('operator');
  assert.equal(await send(), undefined);
});

test('wrong codes from many addresses delay the codes of the identity, not its recovery codes', async () => {
  const { prove, wrongCode, codeOf, clock, identities, identity } = await setUp();
  const recovery = 'ABCD-EFGH-IJKL-MNOP';
  const factor = identities.findSecondFactor('scada');
  assert.ok(factor !== undefined);
  const digest = digestRecoveryCode(identity.id, recovery) ?? '';
  identities.updateSecondFactor('scada', { ...factor, recoveryDigests: [digest] });
  for (let index = 0; index < FREE_WRONG_CODES; index += 1) {
    await assert.rejects(prove(wrongCode(), { remoteAddress: `192.0.2.${index}` }), WRONG);
  }
  const remoteAddress = '198.51.100.1';
  await assert.rejects(prove(codeOf(), { remoteAddress }), DELAYED);
  await assert.rejects(prove(undefined, { remoteAddress }), NEEDED);
  clock.advance(1000);
  assert.ok(await prove(codeOf(), { remoteAddress }));
  for (let index = 0; index < FREE_WRONG_CODES; index += 1) {
    await assert.rejects(prove(wrongCode(), { remoteAddress: `192.0.3.${index}` }), WRONG);
  }
  await assert.rejects(prove(codeOf(1), { remoteAddress }), DELAYED);
  assert.equal((await prove(recovery, { remoteAddress }))?.secondFactor, 'RECOVERY_CODE');
  await assert.rejects(prove(recovery, { remoteAddress }), WRONG);
});

test('the delay of codes grows up to its limit, and is forgotten after a day', async () => {
  const { prove, wrongCode, codeOf, clock } = await setUp();
  for (let index = 0; index < 30; index += 1) {
    await assert.rejects(prove(wrongCode(), { remoteAddress: `192.0.2.${index}` }), WRONG);
    clock.advance(MAXIMUM_CODE_DELAY_SECONDS * 1000);
  }
  await assert.rejects(prove(wrongCode(), { remoteAddress: '198.51.100.1' }), WRONG);
  clock.advance(MAXIMUM_CODE_DELAY_SECONDS * 1000 - 1);
  await assert.rejects(prove(codeOf(), { remoteAddress: '198.51.100.2' }), DELAYED);
  clock.advance(24 * 60 * 60_000);
  await assert.rejects(prove(wrongCode(), { remoteAddress: '198.51.100.1' }), WRONG);
  assert.ok(await prove(codeOf(), { remoteAddress: '198.51.100.2' }));
});

test('a code whose use cannot be stored is refused without a failed attempt, and works later', async () => {
  const { prove, codeOf, identities } = await setUp();
  const update = identities.updateSecondFactor.bind(identities);
  identities.updateSecondFactor = () => {
    throw new Error('the disk is full');
  };
  for (let index = 0; index < 10; index += 1) {
    await assert.rejects(prove(codeOf()), { message: 'the disk is full' });
  }
  identities.updateSecondFactor = update;
  assert.ok(await prove(codeOf()));
});

test('while an address has to wait, a right password of a name known there is still asked for its code', async () => {
  const { prove, codeOf, clock, limiter } = await setUp();
  const remoteAddress = '192.0.2.1';
  assert.ok(await prove(codeOf()));
  for (let index = 0; index < FREE_FAILURES_OF_ADDRESS; index += 1) {
    (await limiter.begin({ name: `name${index}`, remoteAddress })).fail();
  }
  const asked = assert.rejects(prove(), NEEDED);
  const unknown = assert.rejects(prove(undefined, { name: 'nobody' }), DELAYED);
  await clock.nextTurn();
  clock.advance(HIDDEN_RESPONSE_MS);
  await Promise.all([asked, unknown]);
});
