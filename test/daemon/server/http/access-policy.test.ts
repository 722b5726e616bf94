import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mayUse } from '../../../../daemon/server/http/access-policy.ts';
import type { Access } from '../../../../daemon/interface/endpoint.ts';
import type { Principal } from '../../../../daemon/security/identity/identity.ts';

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

test('mayUse admits requests without an identity only to endpoints with access PUBLIC', () => {
  assert.ok(mayUse(undefined, 'PUBLIC'));
  assert.ok(!mayUse(undefined, 'ANY_IDENTITY'));
  assert.ok(!mayUse(undefined, 'rest.assets'));
});

test('mayUse admits an identity without permissions to endpoints with access ANY_IDENTITY', () => {
  assert.ok(mayUse(createPrincipal(), 'ANY_IDENTITY'));
});

test('mayUse requires the permission of the endpoint, which rest.admin implies', () => {
  assert.ok(mayUse(createPrincipal('rest.assets'), 'rest.assets'));
  assert.ok(mayUse(createPrincipal('rest.admin'), 'rest.assets'));
  assert.ok(!mayUse(createPrincipal('rest.identity'), 'rest.assets'));
});

test('mayUse admits no principal to an endpoint with an invalid access', () => {
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
