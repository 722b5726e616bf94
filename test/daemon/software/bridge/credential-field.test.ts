import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isCredentialField } from '../../../../daemon/software/bridge/credential-field.ts';

test('isCredentialField knows the fields that carry credentials for the gateway, a proxy or another server', () => {
  const fields = [
    'authorization',
    'proxy-authorization',
    'x-forwarded-authorization',
    'cookie',
    'cookie2',
    'x-xsrf-token',
    'x-csrf-token',
    'x-auth-token',
    'x-auth-request-access-token',
    'x-forwarded-access-token',
    'x-amz-security-token',
    'x-session-id',
    'x-goog-iap-jwt-assertion',
    'x-client-secret',
    'x-password',
    'dpop',
  ];
  assert.deepEqual(
    fields.filter((name) => !isCredentialField(name)),
    [],
  );
});

test('isCredentialField leaves out the fields that a provider defines for its own clients', () => {
  const fields = ['x-api-key', 'x-name', 'x-machine', 'user-agent', 'x-device-token', 'x-signature'];
  assert.deepEqual(fields.filter(isCredentialField), []);
});
