import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import { GATEWAY_ITSELF } from '../../../../../daemon/security/identity/password/hash-source.ts';
import {
  SecondFactorEnrolment,
  ENROLMENT_MS,
} from '../../../../../daemon/security/identity/second-factor/enrolment.ts';
import { STEP_SECONDS } from '../../../../../daemon/security/identity/second-factor/one-time-code.ts';
import { createAuthenticatorApp } from '../../../../support/authenticator-app.ts';
import { createIdentityFixture, PASSWORD } from '../identity-fixture.ts';

const remoteAddress = '192.0.2.1';
const NOT_BEGUN = { name: 'Conflict', code: 'SECOND_FACTOR_NOT_BEGUN' };
const WRONG = { name: 'SecondFactorRefused', code: 'SECOND_FACTOR_WRONG' };

async function setUp() {
  const fixture = createIdentityFixture();
  const identity = await fixture.addIdentity('scada', { secondFactorRequired: true });
  const ended: string[] = [];
  const enrolment = new SecondFactorEnrolment({
    ...fixture,
    random: systemRandom,
    issuer: 'Penstock gateway1',
    endSessions: (id) => ended.push(id),
  });
  const begin = (sessionId = 'session', currentPassword = PASSWORD) =>
    enrolment.begin({ identityName: 'scada', sessionId, currentPassword, remoteAddress });
  const confirm = (secondFactorCode: string, sessionId = 'session') =>
    enrolment.confirm({ identityName: 'scada', sessionId, secondFactorCode });
  const codeFor = (secret: string, steps = 0) =>
    createAuthenticatorApp(secret, () => fixture.clock.epochMs())(steps);
  const request = (secondFactorCode?: string, currentPassword = PASSWORD) => ({
    identityName: 'scada',
    currentPassword,
    secondFactorCode,
    remoteAddress,
  });
  const login = (code?: string) =>
    fixture.authenticator.authenticateWithSecondFactor(
      { name: 'scada', password: PASSWORD, remoteAddress },
      code,
    );
  const enrol = async () => {
    const { secret } = await begin();
    return { secret, codes: confirm(codeFor(secret)) };
  };
  const status = () => enrolment.status(fixture.identities.get('scada'));
  return { ...fixture, status, identity, ended, enrolment, begin, confirm, codeFor, request, login, enrol };
}

test('begin shows a secret of 160 bits and its URI, and changes nothing', async () => {
  const { begin, identities, identity, ended, status } = await setUp();
  const { secret, uri } = await begin();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.equal(
    uri,
    `otpauth://totp/Penstock%20gateway1:scada?secret=${secret}&issuer=Penstock%20gateway1&algorithm=SHA1&digits=6&period=30`,
  );
  assert.equal(identities.get('scada'), identity);
  assert.deepEqual(ended, []);
  assert.deepEqual(status(), { isActive: false, isRequired: true, recoveryCodesLeft: 0 });
});

test('a code of the secret activates it, ends all sessions and is consumed', async () => {
  const { begin, confirm, codeFor, ended, identity, status, login, clock } = await setUp();
  const { secret } = await begin();
  const code = codeFor(secret);
  assert.equal(confirm(`${code.slice(0, 3)} ${code.slice(3)}`).length, 10);
  assert.deepEqual(ended, [identity.id]);
  assert.deepEqual(status(), { isActive: true, isRequired: true, recoveryCodesLeft: 10 });
  await assert.rejects(login(), { code: 'SECOND_FACTOR_NEEDED' });
  await assert.rejects(login(code), WRONG);
  clock.advance(STEP_SECONDS * 1000);
  assert.equal((await login(codeFor(secret)))?.secondFactor, 'TOTP');
});

test('a wrong code activates nothing, and the secret can still be confirmed', async () => {
  const { begin, confirm, codeFor, identities } = await setUp();
  const { secret } = await begin();
  for (const code of ['', '12345', '1234567', 'abcdef', codeFor(secret, 2)]) {
    assert.throws(() => confirm(code), WRONG, code);
  }
  assert.equal(identities.get('scada').hasSecondFactor, undefined);
  assert.ok(confirm(codeFor(secret)));
});

test('of two secrets the later one counts', async () => {
  const { begin, confirm, codeFor } = await setUp();
  const [first, second] = [await begin(), await begin()];
  assert.notEqual(first.secret, second.secret);
  assert.throws(() => confirm(codeFor(first.secret)), WRONG);
  assert.ok(confirm(codeFor(second.secret)));
});

test('a secret is confirmed in its own session only, in time, and once', async () => {
  const { begin, confirm, codeFor, clock } = await setUp();
  assert.throws(() => confirm('123456'), NOT_BEGUN);
  const { secret } = await begin();
  assert.throws(() => confirm(codeFor(secret), 'another session'), NOT_BEGUN);
  clock.advance(ENROLMENT_MS);
  assert.throws(() => confirm(codeFor(secret)), NOT_BEGUN);
  const late = await begin();
  clock.advance(ENROLMENT_MS - 1);
  assert.ok(confirm(codeFor(late.secret)));
  assert.throws(() => confirm(codeFor(late.secret)), NOT_BEGUN);
});

test('a secret is void once the password has been changed', async () => {
  const { begin, confirm, codeFor, identities, hasher } = await setUp();
  const { secret } = await begin();
  const hash = await hasher.hash('another password', GATEWAY_ITSELF);
  identities.setPassword('scada', hash, { changeNeeded: false });
  assert.throws(() => confirm(codeFor(secret)), NOT_BEGUN);
});

test('begin refuses a blank and a wrong password, and an identity that has a second factor', async () => {
  const { begin, enrol, identities } = await setUp();
  await assert.rejects(begin('session', ' '), { name: 'InvalidRequest', code: 'PASSWORD_BLANK' });
  await assert.rejects(begin('session', 'wrong'), { code: 'CURRENT_PASSWORD_WRONG' });
  await enrol();
  await assert.rejects(begin(), { name: 'Conflict', code: 'SECOND_FACTOR_ACTIVE' });
  assert.equal(identities.get('scada').hasSecondFactor, true);
});

test('begin that is overtaken by a confirmed secret is refused', async () => {
  const { begin, confirm, codeFor } = await setUp();
  const { secret } = await begin();
  const late = begin('another session');
  confirm(codeFor(secret));
  await assert.rejects(late, { code: 'SECOND_FACTOR_ACTIVE' });
});

test('each recovery code logs in once', async () => {
  const { enrol, login } = await setUp();
  const { codes } = await enrol();
  for (const code of codes) assert.equal((await login(code))?.secondFactor, 'RECOVERY_CODE');
  await assert.rejects(login(codes[0]), WRONG);
});

test('renewRecoveryCodes replaces them, given password and code, and ends no session', async () => {
  const { enrol, enrolment, request, codeFor, clock, ended, login } = await setUp();
  const { secret, codes } = await enrol();
  clock.advance(STEP_SECONDS * 1000);
  await assert.rejects(enrolment.renewRecoveryCodes(request()), { code: 'SECOND_FACTOR_NEEDED' });
  await assert.rejects(enrolment.renewRecoveryCodes(request(codeFor(secret), 'wrong')), {
    code: 'CURRENT_PASSWORD_WRONG',
  });
  const renewed = await enrolment.renewRecoveryCodes(request(codeFor(secret)));
  assert.deepEqual([renewed.length, ended.length], [10, 1]);
  await assert.rejects(login(codes[0]), WRONG);
  assert.ok(await login(renewed[0]));
  await assert.rejects(enrolment.renewRecoveryCodes(request(codeFor(secret))), WRONG);
});

test('remove ends the second factor and all sessions, given password and code or recovery code', async () => {
  const { enrol, enrolment, request, ended, identities, login } = await setUp();
  const { codes } = await enrol();
  await assert.rejects(enrolment.remove(request()), { code: 'SECOND_FACTOR_NEEDED' });
  await assert.rejects(enrolment.remove(request('000000', '')), { code: 'PASSWORD_BLANK' });
  assert.equal(identities.get('scada').hasSecondFactor, true);
  await enrolment.remove(request(codes[3]));
  assert.equal(ended.length, 2);
  assert.equal(identities.findSecondFactor('scada'), undefined);
  assert.ok(await login());
  const inactive = { name: 'Conflict', code: 'SECOND_FACTOR_NOT_ACTIVE' };
  await assert.rejects(enrolment.remove(request(codes[4])), inactive);
  await assert.rejects(enrolment.renewRecoveryCodes(request(codes[4])), inactive);
});

test('of two ends at once with two codes, one is refused', async () => {
  const { enrol, enrolment, request, ended } = await setUp();
  const { codes } = await enrol();
  const outcomes = await Promise.allSettled([0, 1].map((index) => enrolment.remove(request(codes[index]))));
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(ended.length, 2);
});
