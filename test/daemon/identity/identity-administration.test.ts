import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createIdentityAdministration } from '../../../daemon/identity/identity-administration.ts';
import { passwordStrengthSchema } from '../../../daemon/settings/rest-settings.ts';
import { createIdentityFixture, PASSWORD } from './identity-fixture.ts';

async function setUp() {
  const fixture = createIdentityFixture();
  const ended: string[] = [];
  const cleared: string[] = [];
  const administration = createIdentityAdministration({
    ...fixture,
    strength: () => passwordStrengthSchema.parse({}),
    endSessions: (id) => ended.push(id),
    removeInitialPassword: (name) => Promise.resolve(void cleared.push(name)),
  });
  const chief = await fixture.addIdentity('chief', { permissions: ['rest.admin'] });
  const clerk = await fixture.addIdentity('clerk', { permissions: ['rest.identity'] });
  return { ...fixture, administration, ended, cleared, chief, clerk };
}

test('create makes an identity that can log in with its password', async () => {
  const { administration, authenticator, chief } = await setUp();
  await administration.create({ name: 'scada', password: PASSWORD, permissions: ['rest.assets'] }, chief);
  const login = { name: 'scada', password: PASSWORD, remoteAddress: '::1' };
  const proved = await authenticator.authenticatePassword(login);
  assert.deepEqual(proved?.permissions, ['rest.assets']);
});

test('create refuses what the rules for names, passwords and permissions refuse', async () => {
  const { administration, identities, chief } = await setUp();
  const refusals = [
    [{ name: 'ab' }, 'IDENTITY_NAME_INVALID'],
    [{ name: 'chief' }, 'IDENTITY_EXISTS'],
    [{ name: 'scada', permissions: ['assets'] }, 'PERMISSION_INVALID'],
    [{ name: 'scada', password: 'short' }, 'PASSWORD_TOO_WEAK'],
    [{ name: 'scada', password: ' '.repeat(12) }, 'PASSWORD_TOO_WEAK'],
    [{ name: 'scada', isPasswordEnabled: true }, 'PASSWORD_MISSING'],
    [{ name: 'scada', isPasswordEnabled: false, password: PASSWORD }, 'PASSWORD_CONTRADICTORY'],
  ] as const;
  for (const [request, code] of refusals) {
    await assert.rejects(administration.create(request, chief), { code }, code);
  }
  assert.equal(identities.list().length, 2);
});

test('change leaves what is left out, and keeps sessions while the credentials stay', async () => {
  const { administration, identities, ended, chief, clerk } = await setUp();
  await administration.change({ name: 'clerk', passwordChangeNeeded: true }, chief);
  const { passwordChangeNeeded, passwordHash, permissions } = identities.get('clerk');
  assert.deepEqual([passwordChangeNeeded, permissions], [true, ['rest.identity']]);
  assert.equal(passwordHash, clerk.passwordHash);
  assert.deepEqual(ended, []);
});

test('change ends the sessions when the credentials change, and deletes the file with the first password', async () => {
  const { administration, identities, ended, cleared, chief, clerk } = await setUp();
  await administration.change({ name: 'clerk', password: 'another password' }, chief);
  await administration.change({ name: 'clerk', isPasswordEnabled: false }, chief);
  assert.equal(identities.get('clerk').passwordHash, undefined);
  assert.deepEqual(ended, [clerk.id, clerk.id]);
  assert.deepEqual(cleared, ['clerk', 'clerk']);
});

test('the last administrator can neither be removed nor disarmed', async () => {
  const { administration, identities, chief } = await setUp();
  const last = { name: 'Conflict', code: 'LAST_ADMINISTRATOR' };
  await assert.rejects(administration.remove('chief', chief), last);
  await assert.rejects(administration.change({ name: 'chief', permissions: [] }, chief), last);
  await assert.rejects(administration.change({ name: 'chief', isPasswordEnabled: false }, chief), last);
  identities.create({ name: 'machine', permissions: ['rest.admin'], passwordChangeNeeded: false });
  await assert.rejects(administration.remove('chief', chief), last, 'no administrator has a password');
  assert.equal(identities.find('chief'), chief);
});

test('one of two administrators can be removed', async () => {
  const { administration, identities, addIdentity, ended, chief } = await setUp();
  const deputy = await addIdentity('deputy', { permissions: ['rest.admin'] });
  await administration.remove('chief', deputy);
  assert.equal(identities.find('chief'), undefined);
  assert.deepEqual(ended, [chief.id]);
});

test('whoever is no administrator makes none and changes none', async () => {
  const { administration, identities, clerk } = await setUp();
  const refusal = { name: 'NotPermitted', code: 'ADMINISTRATOR_NEEDED' };
  const admin = ['rest.admin'];
  await assert.rejects(administration.create({ name: 'mole', permissions: admin }, clerk), refusal);
  await assert.rejects(administration.change({ name: 'clerk', permissions: admin }, clerk), refusal);
  await assert.rejects(administration.change({ name: 'chief', password: PASSWORD }, clerk), refusal);
  await assert.rejects(administration.remove('chief', clerk), refusal);
  await administration.create({ name: 'scada', permissions: ['rest.assets'] }, clerk);
  assert.deepEqual(
    identities.list().map(({ name }) => name),
    ['chief', 'clerk', 'scada'],
  );
});
