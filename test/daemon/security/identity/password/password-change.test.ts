import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PasswordChange } from '../../../../../daemon/security/identity/password/password-change.ts';
import { passwordStrengthSchema } from '../../../../../daemon/settings/rest-settings.ts';
import type { PasswordStrength } from '../../../../../daemon/settings/rest-settings.ts';
import { createIdentityFixture, PASSWORD } from '../identity-fixture.ts';

const NEW = 'another password';
const remoteAddress = '192.0.2.1';

async function setUp(strength: Partial<PasswordStrength> = {}) {
  const fixture = createIdentityFixture();
  const identity = await fixture.addIdentity('scada', { passwordChangeNeeded: true });
  const ended: string[] = [];
  const removed: string[] = [];
  const passwordChange = new PasswordChange({
    ...fixture,
    strength: () => ({ ...passwordStrengthSchema.parse({}), ...strength }),
    endSessions: (identityId) => ended.push(identityId),
    removeInitialPassword: (name) => {
      removed.push(name);
      return name === 'admin' ? Promise.reject(new Error('read-only disk')) : Promise.resolve();
    },
  });
  const change = (currentPassword: string, newPassword: string, identityName = 'scada') =>
    passwordChange.change({ identityName, currentPassword, newPassword, remoteAddress });
  const login = (password: string) =>
    fixture.authenticator.authenticatePassword({ name: 'scada', password, remoteAddress });
  return { ...fixture, identity, change, login, ended, removed };
}

test('a change sets the new password and removes the need for a change', async () => {
  const { change, login, identity } = await setUp();
  await change(PASSWORD, NEW);
  const after = await login(NEW);
  assert.equal(after?.passwordChangeNeeded, false);
  assert.equal(after?.credentialsRevision, identity.credentialsRevision + 1);
  assert.equal(await login(PASSWORD), undefined);
});

test('a change ends all sessions of the identity and deletes the first password', async () => {
  const { change, identity, ended, removed } = await setUp();
  await change(PASSWORD, NEW);
  assert.deepEqual(ended, [identity.id]);
  assert.deepEqual(removed, ['scada']);
});

test('a blank password is refused before anything is checked', async () => {
  const { change, threads } = await setUp();
  const before = threads.hashes;
  for (const [current, next] of [
    ['', NEW],
    [' \t', NEW],
    [PASSWORD, ''],
    [PASSWORD, '\u00a0 '],
  ] as const) {
    await assert.rejects(change(current, next), { name: 'InvalidRequest', code: 'PASSWORD_BLANK' });
  }
  assert.equal(threads.hashes, before);
});

test('a wrong current password is refused before the new one is checked', async () => {
  const { change } = await setUp();
  for (const next of [NEW, 'short', 'wrong']) {
    await assert.rejects(change('wrong', next), { name: 'NotAuthenticated', code: 'CURRENT_PASSWORD_WRONG' });
  }
});

test('an unchanged password is refused before its strength is checked', async () => {
  const { change } = await setUp({ minimumLength: 200 });
  await assert.rejects(change(PASSWORD, PASSWORD), { name: 'InvalidRequest', code: 'PASSWORD_UNCHANGED' });
});

test('a weak password is refused with every broken rule', async () => {
  const { change } = await setUp({ minimumLength: 8, requireDigits: true });
  await assert.rejects(change(PASSWORD, 'short'), (error: { code: string; detail: string }) => {
    assert.equal(error.code, 'PASSWORD_TOO_WEAK');
    assert.match(error.detail, /8 characters.*; .*digit/);
    return true;
  });
});

test('a failed change does not affect identity and sessions', async () => {
  const { change, identities, identity, ended } = await setUp();
  await assert.rejects(change(PASSWORD, 'short'));
  await assert.rejects(change('wrong', NEW));
  assert.equal(identities.get('scada'), identity);
  assert.deepEqual(ended, []);
});

test('repeated wrong current passwords count as failed logins', async () => {
  const { change, login } = await setUp();
  for (let index = 0; index < 5; index += 1) await assert.rejects(change('wrong', NEW));
  await assert.rejects(change(PASSWORD, NEW), { name: 'TooManyRequests' });
  await assert.rejects(login(PASSWORD), { name: 'TooManyRequests' });
});

test('an identity without password cannot set one this way', async () => {
  const { change, identities } = await setUp();
  identities.setPassword('scada', undefined, { changeNeeded: false });
  await assert.rejects(change(PASSWORD, NEW), { code: 'CURRENT_PASSWORD_WRONG' });
});

test('of two concurrent changes exactly one wins', async () => {
  const { change, identities } = await setUp();
  const outcomes = await Promise.allSettled([change(PASSWORD, NEW), change(PASSWORD, `${NEW} too`)]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(identities.get('scada').credentialsRevision, 2);
});

test('a change is complete even when the file of the first password cannot be deleted', async () => {
  const { change, addIdentity, logger, identities } = await setUp();
  await addIdentity('admin');
  await change(PASSWORD, NEW, 'admin');
  assert.equal(identities.get('admin').credentialsRevision, 2);
  assert.equal(logger.lines[0]?.event, 'identity.initialPasswordNotDeleted');
});
