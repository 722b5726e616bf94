import assert from 'node:assert/strict';
import { test } from 'node:test';

import { IdentityAdministration } from '../../../../daemon/security/identity/identity-administration.ts';
import type { Identity, Principal } from '../../../../daemon/security/identity/identity.ts';
import { passwordStrengthSchema } from '../../../../daemon/settings/rest-settings.ts';
import { createIdentityFixture, PASSWORD } from './identity-fixture.ts';

async function setUp() {
  const fixture = createIdentityFixture();
  const ended: string[] = [];
  const cleared: string[] = [];
  const administration = new IdentityAdministration({
    ...fixture,
    strength: () => passwordStrengthSchema.parse({}),
    endSessions: (id) => ended.push(id),
    removeInitialPassword: (name) => Promise.resolve(void cleared.push(name)),
  });
  const chief = callerOf(await fixture.addIdentity('chief', { permissions: ['rest.admin'] }));
  const clerk = callerOf(await fixture.addIdentity('clerk', { permissions: ['rest.identity'] }));
  return { ...fixture, administration, ended, cleared, chief, clerk };
}

function callerOf(identity: Identity): Principal {
  return { identity, method: 'certificate' };
}

test('create adds an identity that can log in with its password', async () => {
  const { administration, authenticator, chief } = await setUp();
  await administration.create({ name: 'scada', password: PASSWORD, permissions: ['rest.assets'] }, chief);
  const login = { name: 'scada', password: PASSWORD, remoteAddress: '::1' };
  const proved = await authenticator.authenticatePassword(login);
  assert.deepEqual(proved?.permissions, ['rest.assets']);
});

test('create refuses names, passwords and permissions that break the rules', async () => {
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

test('change keeps omitted fields, and keeps sessions while the credentials stay the same', async () => {
  const { administration, identities, ended, chief, clerk } = await setUp();
  await administration.change({ name: 'clerk', passwordChangeNeeded: true }, chief);
  const { passwordChangeNeeded, passwordHash, permissions } = identities.get('clerk');
  assert.deepEqual([passwordChangeNeeded, permissions], [true, ['rest.identity']]);
  assert.equal(passwordHash, clerk.identity.passwordHash);
  assert.deepEqual(ended, []);
});

test('change ends the sessions when the credentials change, and deletes the file with the first password', async () => {
  const { administration, identities, ended, cleared, chief, clerk } = await setUp();
  await administration.change({ name: 'clerk', password: 'another password' }, chief);
  await administration.change({ name: 'clerk', isPasswordEnabled: false }, chief);
  assert.equal(identities.get('clerk').passwordHash, undefined);
  assert.deepEqual(ended, [clerk.identity.id, clerk.identity.id]);
  assert.deepEqual(cleared, ['clerk', 'clerk']);
});

test('change requires a second factor without ending sessions, and takes that back', async () => {
  const { administration, identities, ended, chief } = await setUp();
  await administration.change({ name: 'clerk', secondFactorRequired: true }, chief);
  assert.equal(identities.get('clerk').secondFactorRequired, true);
  await administration.change({ name: 'clerk', passwordChangeNeeded: false }, chief);
  assert.equal(identities.get('clerk').secondFactorRequired, true);
  await administration.change({ name: 'clerk', secondFactorRequired: false }, chief);
  assert.equal(identities.get('clerk').secondFactorRequired, undefined);
  assert.deepEqual(ended, []);
  const created = await administration.create({ name: 'panel', secondFactorRequired: true }, chief);
  assert.equal(created.secondFactorRequired, true);
});

test('a second factor is removed by a change, which ends the sessions and keeps the password', async () => {
  const { administration, identities, addSecondFactor, ended, cleared, chief, clerk } = await setUp();
  addSecondFactor('clerk');
  await administration.change({ name: 'clerk', isSecondFactorEnabled: true }, chief);
  assert.equal(identities.get('clerk').hasSecondFactor, true);
  await administration.change({ name: 'clerk', isSecondFactorEnabled: false }, chief);
  const { hasSecondFactor, passwordHash } = identities.get('clerk');
  assert.deepEqual([hasSecondFactor, passwordHash], [undefined, clerk.identity.passwordHash]);
  assert.deepEqual([ended, cleared], [[clerk.identity.id], []]);
  await administration.change({ name: 'clerk', isSecondFactorEnabled: false }, chief);
  assert.deepEqual(ended, [clerk.identity.id]);
});

test('a new password keeps the second factor', async () => {
  const { administration, identities, addSecondFactor, chief } = await setUp();
  addSecondFactor('clerk');
  await administration.change({ name: 'clerk', password: 'another password' }, chief);
  assert.equal(identities.get('clerk').hasSecondFactor, true);
  assert.ok(identities.findSecondFactor('clerk'));
});

test('no caller sets up the second factor of another identity, or removes that of one with other permissions', async () => {
  const { administration, addSecondFactor, chief, clerk } = await setUp();
  const change = (request: object, caller: Principal) =>
    administration.change({ name: 'chief', ...request }, caller);
  await assert.rejects(change({ isSecondFactorEnabled: true }, chief), { code: 'SECOND_FACTOR_NOT_SET_UP' });
  await assert.rejects(administration.create({ name: 'panel', isSecondFactorEnabled: true }, chief), {
    code: 'SECOND_FACTOR_NOT_SET_UP',
  });
  addSecondFactor('chief');
  for (const request of [{ isSecondFactorEnabled: false }, { secondFactorRequired: true }]) {
    await assert.rejects(change(request, clerk), { code: 'PERMISSION_BEYOND_OWN' });
  }
});

test('the last administrator can neither be removed nor lose its permission', async () => {
  const { administration, identities, chief } = await setUp();
  const last = { name: 'Conflict', code: 'LAST_ADMINISTRATOR' };
  await assert.rejects(administration.remove('chief', chief), last);
  await assert.rejects(administration.change({ name: 'chief', permissions: [] }, chief), last);
  await assert.rejects(administration.change({ name: 'chief', isPasswordEnabled: false }, chief), last);
  identities.create({ name: 'machine', permissions: ['rest.admin'], passwordChangeNeeded: false });
  await assert.rejects(administration.remove('chief', chief), last, 'no administrator has a password');
  assert.equal(identities.find('chief'), chief.identity);
});

test('one of two administrators can be removed', async () => {
  const { administration, identities, addIdentity, ended, chief } = await setUp();
  const deputy = callerOf(await addIdentity('deputy', { permissions: ['rest.admin'] }));
  await administration.remove('chief', deputy);
  assert.equal(identities.find('chief'), undefined);
  assert.deepEqual(ended, [chief.identity.id]);
});

test('only holders of a permission can grant it, and only they can change its other holders', async () => {
  const { administration, identities, addIdentity, clerk } = await setUp();
  await addIdentity('scada', { permissions: ['rest.assets', 'rest.events'] });
  await addIdentity('guest', { permissions: [] });
  const missing = (text: string) => ({
    name: 'NotPermitted',
    code: 'PERMISSION_BEYOND_OWN',
    detail: new RegExp(`missing permission ${text}: `),
  });
  const permissions = ['rest.identity', 'rest.deploy', 'rest.configuration'];
  const both = missing('rest.deploy, rest.configuration');
  await assert.rejects(administration.create({ name: 'mole', permissions }, clerk), both);
  await assert.rejects(administration.change({ name: 'clerk', permissions }, clerk), both);
  await assert.rejects(administration.change({ name: 'guest', permissions }, clerk), both);
  const admin = missing('rest.admin');
  await assert.rejects(administration.change({ name: 'clerk', permissions: ['rest.admin'] }, clerk), admin);
  await assert.rejects(administration.remove('chief', clerk), admin);
  const held = missing('rest.assets, rest.events');
  for (const change of [
    { password: PASSWORD },
    { permissions: [] },
    { permissions: ['rest.assets'] },
    { passwordChangeNeeded: true },
    { isPasswordEnabled: false },
  ]) {
    await assert.rejects(administration.change({ name: 'scada', ...change }, clerk), held);
  }
  await assert.rejects(administration.remove('scada', clerk), held);
  assert.deepEqual(
    identities.list().map((identity) => [identity.name, identity.permissions]),
    [
      ['chief', ['rest.admin']],
      ['clerk', ['rest.identity']],
      ['scada', ['rest.assets', 'rest.events']],
      ['guest', []],
    ],
  );
});

test('an identity that has the permissions of others can change them', async () => {
  const { administration, identities, addIdentity } = await setUp();
  const keeper = callerOf(await addIdentity('keeper', { permissions: ['rest.identity', 'rest.assets'] }));
  await administration.create({ name: 'scada', permissions: ['rest.assets'] }, keeper);
  await administration.change({ name: 'scada', permissions: ['rest.identity'], password: PASSWORD }, keeper);
  await administration.remove('clerk', keeper);
  assert.deepEqual(
    identities.list().map(({ name }) => name),
    ['chief', 'keeper', 'scada'],
  );
  await administration.remove('scada', keeper);
  // It removes one of its permissions, and cannot restore it.
  await administration.change({ name: 'keeper', permissions: ['rest.identity'] }, keeper);
  await assert.rejects(administration.create({ name: 'scada', permissions: ['rest.assets'] }, keeper), {
    code: 'PERMISSION_BEYOND_OWN',
  });
});

test('a caller that loses a permission, or is deleted, while a password is hashed cannot grant it', async () => {
  const { administration, identities, addIdentity, chief } = await setUp();
  const keeper = callerOf(await addIdentity('keeper', { permissions: ['rest.identity', 'rest.assets'] }));
  await addIdentity('scada');
  const act = () => [
    administration.create({ name: 'mole', password: PASSWORD, permissions: ['rest.assets'] }, keeper),
    administration.change({ name: 'scada', password: 'another password' }, keeper),
  ];
  const before = act();
  await administration.change({ name: 'keeper', permissions: ['rest.identity'] }, chief);
  for (const done of before) await assert.rejects(done, { code: 'PERMISSION_BEYOND_OWN' });
  await administration.change({ name: 'keeper', permissions: ['rest.admin'] }, chief);
  const again = act();
  await administration.remove('keeper', chief);
  for (const done of again) await assert.rejects(done, { code: 'NOT_AUTHENTICATED' });
  assert.equal(identities.find('mole'), undefined);
});

test('a caller that gives a grant, or changes its holder, needs the permission that the grant is part of', async () => {
  const { administration, addIdentity, identities, chief, clerk } = await setUp();
  const reader = callerOf(
    await addIdentity('reader', { permissions: ['rest.identity', 'rest.assets.read'] }),
  );
  const read = { assets: ['boiler'], operations: ['READ'] } as const;
  const write = { assets: ['boiler'], operations: ['READ', 'WRITE'] } as const;
  const giveBy = (caller: Principal, ...grants: readonly (typeof read | typeof write)[]) =>
    administration.change({ name: 'guest', grants }, caller);
  await administration.create({ name: 'guest', permissions: [] }, clerk);
  const beyond = { code: 'PERMISSION_BEYOND_OWN' };
  await assert.rejects(giveBy(clerk, read), beyond);
  await assert.rejects(giveBy(reader, read, write), beyond);
  await assert.rejects(administration.create({ name: 'other', grants: [write] }, reader), beyond);
  assert.equal(identities.get('guest').grants, undefined);
  await giveBy(reader, read);
  await assert.rejects(administration.change({ name: 'guest', passwordChangeNeeded: true }, clerk), beyond);
  await assert.rejects(administration.remove('guest', clerk), beyond);
  await giveBy(chief, write);
  await assert.rejects(giveBy(reader), beyond);
  assert.deepEqual(identities.get('guest').grants, [write]);
  await giveBy(chief);
  await administration.remove('guest', clerk);
});
