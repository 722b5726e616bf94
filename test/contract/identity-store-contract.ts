import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { InvalidRequest } from '../../daemon/base/errors.ts';
import { findUnchanged } from '../../daemon/security/identity/identity-store.ts';
import type { IdentityStore } from '../../daemon/security/identity/identity-store.ts';

const scada = { name: 'scada', permissions: ['rest.assets'], passwordChangeNeeded: false };

/**
 * Tests what every identity store must do.
 *
 * @param create creates an empty store
 */
export function testIdentityStore(kind: string, create: () => IdentityStore): void {
  test(`${kind}: find returns undefined and get throws for an unknown name`, () => {
    const store = create();
    assert.equal(store.find('scada'), undefined);
    assert.throws(() => store.get('scada'), { name: 'NotFound', code: 'IDENTITY_NOT_FOUND' });
  });

  test(`${kind}: create returns an identity of revision 1 with its own id`, () => {
    const store = create();
    const [first, second] = [store.create(scada), store.create({ ...scada, name: 'historian' })];
    assert.equal(first.credentialsRevision, 1);
    assert.notEqual(first.id, second.id);
    assert.deepEqual(store.find('scada'), first);
  });

  test(`${kind}: create refuses a name that is taken`, () => {
    const store = create();
    store.create(scada);
    assert.throws(() => store.create(scada), { name: 'Conflict', code: 'IDENTITY_EXISTS' });
  });

  test(`${kind}: create refuses invalid names and permissions`, () => {
    const store = create();
    assert.throws(() => store.create({ ...scada, name: 'ab' }), { code: 'IDENTITY_NAME_INVALID' });
    assert.throws(() => store.create({ ...scada, permissions: ['assets'] }), { code: 'PERMISSION_INVALID' });
    assert.deepEqual(store.list(), []);
  });

  test(`${kind}: change leaves absent fields as they are, and raises the revision with new credentials only`, () => {
    const store = create();
    store.create({ ...scada, passwordHash: 'first' });
    const permitted = store.change('scada', { permissions: ['rest.admin', 'rest.admin'] });
    assert.deepEqual([permitted.permissions, permitted.passwordHash], [['rest.admin'], 'first']);
    assert.equal(permitted.credentialsRevision, 1);
    const changed = store.change('scada', { passwordHash: null, passwordChangeNeeded: true });
    assert.deepEqual([changed.passwordHash, changed.passwordChangeNeeded], [undefined, true]);
    assert.deepEqual([changed.permissions, changed.credentialsRevision], [['rest.admin'], 2]);
    assert.equal(store.find('scada'), changed);
  });

  test(`${kind}: revokeTokens gives the identity a generation that none had before, and changes nothing else`, () => {
    const store = create();
    const before = store.create({ ...scada, passwordHash: 'first' });
    store.create({ ...scada, name: 'historian' });
    const generations = new Set<string | undefined>();
    for (let count = 1; count <= 3; count += 1) {
      const { tokenRevocation, ...others } = store.revokeTokens('scada');
      assert.deepEqual(others, before);
      generations.add(tokenRevocation?.generation);
      assert.equal(generations.size, count);
    }
    const after = store.setPassword('scada', 'second', { changeNeeded: false });
    assert.ok(generations.has(after.tokenRevocation?.generation));
    assert.equal(store.find('historian')?.tokenRevocation, undefined);
    assert.throws(() => store.revokeTokens('nobody'), { code: 'IDENTITY_NOT_FOUND' });
  });

  test(`${kind}: setting and removing a second factor raise the revision, its use does not`, () => {
    const store = create();
    store.create(scada);
    assert.equal(store.findSecondFactor('scada'), undefined);
    const factor = {
      secret: new Uint8Array([1, 2, 255]),
      usedSteps: [56_666_666],
      recoveryDigests: ['a', 'b'],
    };
    const enrolled = store.setSecondFactor('scada', factor);
    assert.deepEqual([enrolled.hasSecondFactor, enrolled.credentialsRevision], [true, 2]);
    assert.deepEqual(store.findSecondFactor('scada'), factor);
    const used = { ...factor, usedSteps: [56_666_666, 56_666_667], recoveryDigests: [] };
    store.updateSecondFactor('scada', used);
    assert.deepEqual(store.findSecondFactor('scada'), used);
    assert.equal(store.find('scada'), enrolled);
    const without = store.setSecondFactor('scada', undefined);
    assert.deepEqual([without.hasSecondFactor, without.credentialsRevision], [undefined, 3]);
    assert.equal(store.findSecondFactor('scada'), undefined);
  });

  test(`${kind}: a second factor stays through changes of everything else`, () => {
    const store = create();
    store.create({ ...scada, passwordHash: 'first' });
    const factor = { secret: new Uint8Array(20), usedSteps: [], recoveryDigests: [] };
    store.setSecondFactor('scada', factor);
    store.setPassword('scada', 'second', { changeNeeded: true });
    store.change('scada', { permissions: [], passwordHash: null });
    assert.equal(store.get('scada').hasSecondFactor, true);
    assert.deepEqual(store.findSecondFactor('scada'), factor);
  });

  test(`${kind}: change removes a second factor with new credentials, and does nothing when there is none`, () => {
    const store = create();
    store.create(scada);
    assert.equal(store.change('scada', { isSecondFactorRemoved: true }).credentialsRevision, 1);
    store.setSecondFactor('scada', { secret: new Uint8Array(20), usedSteps: [], recoveryDigests: [] });
    const removed = store.change('scada', { isSecondFactorRemoved: true });
    assert.deepEqual([removed.hasSecondFactor, removed.credentialsRevision], [undefined, 3]);
    assert.equal(store.findSecondFactor('scada'), undefined);
  });

  test(`${kind}: whether a second factor is required is kept, at the same revision`, () => {
    const store = create();
    assert.equal(store.create({ ...scada, secondFactorRequired: true }).secondFactorRequired, true);
    const optional = store.change('scada', { secondFactorRequired: false });
    assert.deepEqual([optional.secondFactorRequired, optional.credentialsRevision], [undefined, 1]);
    assert.equal(store.change('scada', { secondFactorRequired: true }).secondFactorRequired, true);
    assert.equal(store.setPermissions('scada', []).secondFactorRequired, true);
  });

  test(`${kind}: an identity that is created again does not inherit a second factor`, () => {
    const store = create();
    store.create(scada);
    store.setSecondFactor('scada', { secret: new Uint8Array(20), usedSteps: [], recoveryDigests: [] });
    store.remove('scada');
    assert.equal(store.create(scada).hasSecondFactor, undefined);
    assert.equal(store.findSecondFactor('scada'), undefined);
  });

  test(`${kind}: change changes nothing when a permission is invalid`, () => {
    const store = create();
    const before = store.create(scada);
    const changes = { permissions: ['admin'], passwordChangeNeeded: true };
    assert.throws(() => store.change('scada', changes), { code: 'PERMISSION_INVALID' });
    assert.equal(store.find('scada'), before);
  });

  test(`${kind}: grants are kept as they are given, through changes of everything else`, () => {
    const store = create();
    const grants = [
      { assets: ['line1-*'], operations: ['READ'] },
      {
        assets: ['boiler'],
        channels: ['setpoint'],
        operations: ['READ', 'WRITE'],
        until: '2026-12-01T18:00:00+01:00',
        reason: 'permit 4711',
      },
    ] as const;
    assert.deepEqual(store.create({ ...scada, grants }).grants, grants);
    assert.deepEqual(store.change('scada', { passwordHash: '$hash' }).grants, grants);
    assert.deepEqual(store.setPermissions('scada', []).grants, grants);
    assert.ok(Object.isFrozen(store.get('scada').grants?.[1]?.channels));
    assert.equal(store.change('scada', { grants: [] }).grants, undefined);
    assert.equal(store.create({ ...scada, name: 'historian' }).grants, undefined);
  });

  test(`${kind}: a grant that is not allowed is refused by its place, and changes nothing`, () => {
    const store = create();
    const before = store.create(scada);
    const good = { assets: ['*'], operations: ['READ'] } as const;
    const bad = [
      [{ ...good, assets: [] }, 'grants[1].assets:'],
      [{ ...good, assets: ['line1', 'line 2'] }, 'grants[1].assets[1]:'],
      [{ ...good, assets: [''] }, 'grants[1].assets[0]:'],
      [{ ...good, channels: ['boiler/setpoint'] }, 'grants[1].channels[0]:'],
      [{ ...good, operations: [] }, 'grants[1].operations:'],
      [{ ...good, operations: ['READ', 'READ'] }, 'grants[1].operations:'],
      [{ ...good, operations: ['CONTROL'] }, 'grants[1].operations[0]:'],
      [{ ...good, until: '2026-12-01T18:00:00' }, 'grants[1].until:'],
      [{ ...good, until: '2026-02-30T18:00:00Z' }, 'grants[1].until:'],
      [{ ...good, until: '2026-12-01T24:00:00Z' }, 'grants[1].until:'],
      [{ ...good, reason: 'permit\u202e4711' }, 'grants[1].reason:'],
      [{ ...good, asset: 'boiler' }, 'grants[1].asset:'],
    ] as const;
    for (const [grant, place] of bad) {
      const grants = [good, grant as typeof good];
      const isRefused = ({ code, detail, reasons }: InvalidRequest): boolean =>
        code === 'GRANT_INVALID' && detail.startsWith(place) && reasons?.[0]?.code === 'AT_KEY';
      assert.throws(() => store.change('scada', { grants, permissions: [] }), isRefused, place);
      assert.throws(() => store.create({ ...scada, name: 'historian', grants }), isRefused, place);
    }
    const past = { ...good, until: '2001-01-01T00:00Z' };
    const many = Array.from({ length: 10_001 }, () => good);
    assert.throws(() => store.change('scada', { grants: many }), { code: 'GRANT_INVALID' });
    assert.equal(store.find('scada'), before);
    assert.deepEqual(store.change('scada', { grants: [past] }).grants, [past]);
    assert.equal(store.change('scada', { grants: many.slice(1) }).grants?.length, 10_000);
  });

  test(`${kind}: a name counts as used once an identity of it was deleted`, () => {
    const store = create();
    assert.equal(store.isNameUsed('scada'), false);
    store.create(scada);
    assert.equal(store.isNameUsed('scada'), false);
    store.remove('scada');
    assert.equal(store.isNameUsed('scada'), true);
  });

  test(`${kind}: names are compared exactly`, () => {
    const store = create();
    store.create(scada);
    for (const other of ['Scada', 'scada ', 'ѕcada', 'scada\u0000', '__proto__', 'constructor']) {
      assert.equal(store.find(other), undefined, other);
    }
  });

  test(`${kind}: a name that is a property of every object is treated like any other`, () => {
    const store = create();
    const identity = store.create({ ...scada, name: '__proto__' });
    assert.equal(store.find('__proto__'), identity);
  });

  test(`${kind}: list keeps the order of creation after later changes`, () => {
    const store = create();
    for (const name of ['zeta', 'alpha', 'mid']) store.create({ ...scada, name });
    store.setPermissions('alpha', []);
    store.remove('zeta');
    store.create({ ...scada, name: 'zeta' });
    assert.deepEqual(
      store.list().map(({ name }) => name),
      ['alpha', 'mid', 'zeta'],
    );
  });

  test(`${kind}: identities are frozen and do not change afterwards`, () => {
    const store = create();
    const before = store.create(scada);
    store.setPermissions('scada', ['rest.deploy']);
    assert.ok(Object.isFrozen(before) && Object.isFrozen(before.permissions));
    assert.deepEqual(before.permissions, ['rest.assets']);
  });

  test(`${kind}: setPassword raises the revision and records whether a change is needed`, () => {
    const store = create();
    store.create({ ...scada, passwordChangeNeeded: true });
    const changed = store.setPassword('scada', '$hash', { changeNeeded: false });
    assert.equal(changed.credentialsRevision, 2);
    assert.equal(changed.passwordHash, '$hash');
    assert.equal(changed.passwordChangeNeeded, false);
    const without = store.setPassword('scada', undefined, { changeNeeded: false });
    assert.equal(without.credentialsRevision, 3);
    assert.equal(without.passwordHash, undefined);
  });

  test(`${kind}: upgradePasswordHash keeps the revision`, () => {
    const store = create();
    const identity = store.create({ ...scada, passwordHash: '$old' });
    store.upgradePasswordHash(identity, '$new');
    assert.equal(store.get('scada').passwordHash, '$new');
    assert.equal(store.get('scada').credentialsRevision, 1);
  });

  test(`${kind}: upgradePasswordHash does nothing once the credentials have changed`, () => {
    const store = create();
    const identity = store.create({ ...scada, passwordHash: '$old' });
    store.setPassword('scada', '$changed', { changeNeeded: false });
    store.upgradePasswordHash(identity, '$new');
    assert.equal(store.get('scada').passwordHash, '$changed');
    store.remove('scada');
    store.upgradePasswordHash(identity, '$new');
    assert.equal(store.find('scada'), undefined);
  });

  test(`${kind}: setPermissions removes repeated names and keeps the revision`, () => {
    const store = create();
    store.create(scada);
    const changed = store.setPermissions('scada', ['rest.deploy', 'rest.assets', 'rest.deploy']);
    assert.deepEqual(changed.permissions, ['rest.deploy', 'rest.assets']);
    assert.equal(changed.credentialsRevision, 1);
    assert.throws(() => store.setPermissions('scada', ['rest.']), { code: 'PERMISSION_INVALID' });
  });

  test(`${kind}: setPasswordChangeNeeded keeps the revision`, () => {
    const store = create();
    store.create(scada);
    const changed = store.setPasswordChangeNeeded('scada', true);
    assert.equal(changed.passwordChangeNeeded, true);
    assert.equal(changed.credentialsRevision, 1);
  });

  test(`${kind}: methods that take a name throw for an unknown one`, () => {
    const store = create();
    const expected = { code: 'IDENTITY_NOT_FOUND' };
    assert.throws(() => store.setPassword('scada', undefined, { changeNeeded: false }), expected);
    assert.throws(() => store.setPermissions('scada', []), expected);
    assert.throws(() => store.setPasswordChangeNeeded('scada', true), expected);
    assert.throws(() => store.remove('scada'), expected);
  });

  test(`${kind}: an identity that is deleted and created again is a new one`, () => {
    const store = create();
    const before = store.create(scada);
    store.remove('scada');
    const after = store.create(scada);
    assert.notEqual(after.id, before.id);
    assert.deepEqual([before.isNameReused, after.isNameReused], [undefined, true]);
    assert.equal(store.setPermissions('scada', []).isNameReused, true);
    // A clock that was set back does not make tokens of the earlier one those of the new one.
    assert.equal(before.tokenRevocation, undefined);
    assert.equal(typeof after.tokenRevocation?.generation, 'string');
    assert.deepEqual(store.get('scada').tokenRevocation, after.tokenRevocation);
    const other = store.create({ ...scada, name: 'historian' });
    assert.equal(other.isNameReused, undefined);
    store.setPermissions('scada', scada.permissions);
    assert.equal(findUnchanged(store, before), undefined);
    assert.equal(findUnchanged(store, after), store.get('scada'));
  });
}
