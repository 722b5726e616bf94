import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AuthenticationMethod, Principal } from '../../../daemon/identity/identity.ts';
import { findPresentIdentity, isLockedOut } from '../../../daemon/identity/present-identity.ts';
import { createIdentities } from './identity-fixture.ts';

const METHODS: readonly AuthenticationMethod[] = ['certificate', 'basic', 'session', 'bearer', 'custom'];

function setUp() {
  const identities = createIdentities();
  const identity = identities.create({ name: 'scada', permissions: [], passwordChangeNeeded: false });
  const findAll = () =>
    METHODS.filter((method) => findPresentIdentity({ identity, method }, identities) !== undefined);
  return { identities, identity, findAll };
}

test('findPresentIdentity returns the present identity', () => {
  const { identities, identity, findAll } = setUp();
  const changed = identities.setPermissions('scada', ['rest.assets']);
  assert.equal(findPresentIdentity({ identity, method: 'session' }, identities), changed);
  assert.deepEqual(findAll(), METHODS);
});

test('findPresentIdentity returns undefined when the identity was deleted, even if another one has its name', () => {
  const { identities, findAll } = setUp();
  identities.remove('scada');
  assert.deepEqual(findAll(), []);
  identities.create({ name: 'scada', permissions: [], passwordChangeNeeded: false });
  assert.deepEqual(findAll(), []);
});

test('findPresentIdentity: new credentials void BASIC and sessions, and nothing else', () => {
  const { identities, findAll } = setUp();
  identities.setPassword('scada', 'other', { changeNeeded: false });
  assert.deepEqual(findAll(), ['certificate', 'bearer', 'custom']);
});

test('findPresentIdentity: a revocation of tokens voids tokens, and nothing else', () => {
  const { identities, findAll } = setUp();
  identities.revokeTokens('scada');
  assert.deepEqual(findAll(), ['certificate', 'basic', 'session', 'custom']);
  const identity = identities.get('scada');
  assert.equal(findPresentIdentity({ identity, method: 'bearer' }, identities), identity);
});

test('isLockedOut: a pending password change voids proofs by password and tokens, no certificate', () => {
  const { identities, identity } = setUp();
  const proofs: readonly Principal[] = [
    { identity, method: 'certificate' },
    { identity, method: 'session', isByPassword: false },
    { identity, method: 'session', isByPassword: true },
    { identity, method: 'basic', isByPassword: true },
    { identity, method: 'bearer' },
  ];
  const locked = () => proofs.map((proof) => isLockedOut(proof, identities.get('scada')));
  assert.deepEqual(locked(), [false, false, false, false, false]);
  identities.setPasswordChangeNeeded('scada', true);
  assert.deepEqual(locked(), [false, false, true, true, true]);
});
