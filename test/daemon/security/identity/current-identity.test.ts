import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AuthenticationMethod, Principal } from '../../../../daemon/security/identity/identity.ts';
import {
  findRequiredActionOf,
  findCurrentIdentity,
} from '../../../../daemon/security/identity/current-identity.ts';
import { createIdentities } from './identity-fixture.ts';

const METHODS: readonly AuthenticationMethod[] = ['certificate', 'basic', 'session', 'bearer', 'custom'];

function setUp() {
  const identities = createIdentities();
  const identity = identities.create({ name: 'scada', permissions: [], passwordChangeNeeded: false });
  const findAll = () =>
    METHODS.filter((method) => findCurrentIdentity({ identity, method }, identities) !== undefined);
  return { identities, identity, findAll };
}

test('findCurrentIdentity returns the present identity', () => {
  const { identities, identity, findAll } = setUp();
  const changed = identities.setPermissions('scada', ['rest.assets']);
  assert.equal(findCurrentIdentity({ identity, method: 'session' }, identities), changed);
  assert.deepEqual(findAll(), METHODS);
});

test('findCurrentIdentity returns undefined when the identity was deleted, even if another one has its name', () => {
  const { identities, findAll } = setUp();
  identities.remove('scada');
  assert.deepEqual(findAll(), []);
  identities.create({ name: 'scada', permissions: [], passwordChangeNeeded: false });
  assert.deepEqual(findAll(), []);
});

test('findCurrentIdentity: new credentials void BASIC and sessions, and nothing else', () => {
  const { identities, findAll } = setUp();
  identities.setPassword('scada', 'other', { changeNeeded: false });
  assert.deepEqual(findAll(), ['certificate', 'bearer', 'custom']);
});

test('findCurrentIdentity: a revocation of tokens voids tokens, and nothing else', () => {
  const { identities, findAll } = setUp();
  identities.revokeTokens('scada');
  assert.deepEqual(findAll(), ['certificate', 'basic', 'session', 'custom']);
  const identity = identities.get('scada');
  assert.equal(findCurrentIdentity({ identity, method: 'bearer' }, identities), identity);
});

test('findRequiredActionOf: a pending password change binds proofs by password and tokens, a missing second factor those by password', () => {
  const { identities, identity } = setUp();
  const proofs: readonly Principal[] = [
    { identity, method: 'certificate' },
    { identity, method: 'session', isByPassword: false },
    { identity, method: 'session', isByPassword: true },
    { identity, method: 'basic', isByPassword: true },
    { identity, method: 'bearer' },
  ];
  const duties = () => proofs.map((proof) => findRequiredActionOf(proof, identities.get('scada')));
  const [none, change, factor] = [undefined, 'PASSWORD_CHANGE', 'SECOND_FACTOR'];
  assert.deepEqual(duties(), [none, none, none, none, none]);
  identities.change('scada', { secondFactorRequired: true });
  assert.deepEqual(duties(), [none, none, factor, factor, none]);
  identities.setPasswordChangeNeeded('scada', true);
  assert.deepEqual(duties(), [none, none, change, change, change]);
});
