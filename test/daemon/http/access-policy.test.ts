import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mayUse } from '../../../daemon/http/access-policy.ts';
import type { Access } from '../../../daemon/http/endpoint.ts';
import type { Principal } from '../../../daemon/identity/identity.ts';

function createPrincipal(...permissions: readonly string[]): Principal {
  return {
    method: 'basic',
    identity: {
      id: 'id-1',
      name: 'scada',
      permissions,
      passwordChangeNeeded: false,
      credentialsRevision: 1,
      createdAtMs: 0,
    },
  };
}

test('mayUse opens an endpoint for anybody to requests without an identity', () => {
  assert.ok(mayUse(undefined, 'ANYBODY'));
  assert.ok(!mayUse(undefined, 'ANY_IDENTITY'));
  assert.ok(!mayUse(undefined, 'rest.assets'));
});

test('mayUse opens an endpoint for any identity to one without permissions', () => {
  assert.ok(mayUse(createPrincipal(), 'ANY_IDENTITY'));
});

test('mayUse asks for the permission of the endpoint, which an administrator implies', () => {
  assert.ok(mayUse(createPrincipal('rest.assets'), 'rest.assets'));
  assert.ok(mayUse(createPrincipal('rest.admin'), 'rest.assets'));
  assert.ok(!mayUse(createPrincipal('rest.identity'), 'rest.assets'));
});

test('mayUse opens an endpoint with a defective access to no principal', () => {
  for (const access of [
    '',
    'anybody',
    'assets',
    'rest.',
    'undefined',
  ] as readonly string[] as readonly Access[]) {
    assert.ok(!mayUse(createPrincipal('rest.admin', access), access), access);
  }
});
