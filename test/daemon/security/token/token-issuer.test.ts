import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isIssuingAvailable, issueTokens } from '../../../../daemon/security/token/issue.ts';
import { readClaims, readToken } from '../../../../daemon/security/token/token-format.ts';
import type { AuthenticationMethod } from '../../../../daemon/security/identity/identity.ts';
import { ACCESS, createTokenFixture, NOW_SECONDS, REFRESH } from './token-fixture.ts';

const claimsOf = (token: string) => readClaims(readToken(token).payload);

test('issue returns a pair with the claims of the REST API and nothing else', async (t) => {
  const { issuer } = await createTokenFixture(t);
  const pair = await issuer.issue({ name: 'scada' });
  assert.equal(pair.tokenType, 'Bearer');
  const [access, refresh] = [claimsOf(pair.accessToken), claimsOf(pair.refreshToken)];
  const { jti, ...rest } = access;
  assert.equal(typeof jti, 'string');
  assert.notEqual(jti, refresh['jti']);
  const times = { iat: NOW_SECONDS, nbf: NOW_SECONDS };
  assert.deepEqual(rest, { iss: 'penstock', sub: 'scada', aud: ACCESS, ...times, exp: NOW_SECONDS + 60 });
  assert.deepEqual(Object.keys(refresh).toSorted(), ['aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'sub']);
  assert.equal(refresh['aud'], REFRESH);
  assert.equal(refresh['exp'], NOW_SECONDS + 900);
});

test('the configured lifetimes are capped silently, and the pair names the actual ones', async (t) => {
  const { issuer, issuing, set } = await createTokenFixture(t);
  set({
    rest: { jwtAccessTokenDurationSeconds: 120, jwtRefreshTokenDurationSeconds: 86_400 },
    tokenIssuingServices: [{ ...issuing, maximumTokenLifetimeSeconds: 600 }],
  });
  const pair = await issuer.issue({ name: 'scada' });
  assert.equal(pair.accessTokenExpiresInSeconds, 120);
  assert.equal(pair.refreshTokenExpiresInSeconds, 600);
  assert.equal(claimsOf(pair.accessToken)['exp'], NOW_SECONDS + 120);
  assert.equal(claimsOf(pair.refreshToken)['exp'], NOW_SECONDS + 600);
});

test('the target selects the issuing service; a target without a match is not found', async (t) => {
  const { issuer, issuing, set, settings } = await createTokenFixture(t);
  set({
    rest: { tokenIssuingServiceTarget: 'second' },
    tokenIssuingServices: [issuing, { ...issuing, pid: 'second', issuer: 'second' }],
  });
  assert.equal(claimsOf((await issuer.issue({ name: 'scada' })).accessToken)['iss'], 'second');
  set({ rest: { tokenIssuingServiceTarget: 'third' } });
  assert.equal(isIssuingAvailable(settings()), false);
  await assert.rejects(issuer.issue({ name: 'scada' }), { name: 'NotFound', code: 'TOKEN_SERVICE_MISSING' });
  set({ rest: { tokenIssuingServiceTarget: '', jwtAuthenticationEnabled: false } });
  assert.equal(isIssuingAvailable(settings()), false);
});

test('tokens are issued for every proof of identity except a token and the local socket', async (t) => {
  const { issuer, identities } = await createTokenFixture(t);
  const identity = identities.get('scada');
  const methods: readonly AuthenticationMethod[] = ['certificate', 'basic', 'session', 'custom'];
  for (const method of methods) assert.ok(await issueTokens({ identity, method }, { issuer, identities }));
  await assert.rejects(issueTokens({ identity, method: 'bearer' }, { issuer, identities }), {
    name: 'NotAuthenticated',
    code: 'BEARER_NOT_ACCEPTED',
  });
  await assert.rejects(issueTokens({ identity, method: 'local' }, { issuer, identities }), {
    name: 'NotAuthenticated',
    code: 'LOCAL_NOT_ACCEPTED',
  });
  await assert.rejects(issueTokens(undefined, { issuer, identities }), {
    name: 'NotAuthenticated',
    code: 'NOT_AUTHENTICATED',
  });
});

test('no tokens are issued for a password whose second factor has to be set up, and for other proofs they are', async (t) => {
  const { issuer, identities } = await createTokenFixture(t);
  const identity = identities.change('scada', { secondFactorRequired: true });
  for (const method of ['basic', 'session'] as const) {
    await assert.rejects(issueTokens({ identity, method, isByPassword: true }, { issuer, identities }), {
      name: 'NotPermitted',
      code: 'SECOND_FACTOR_REQUIRED',
    });
  }
  for (const method of ['certificate', 'session', 'custom'] as const) {
    assert.ok(await issueTokens({ identity, method }, { issuer, identities }));
  }
});

test('no tokens are issued while a password change is pending, whatever the proof', async (t) => {
  const { issuer, identities } = await createTokenFixture(t);
  const identity = identities.setPasswordChangeNeeded('scada', true);
  for (const method of ['certificate', 'session'] as const) {
    await assert.rejects(issueTokens({ identity, method }, { issuer, identities }), {
      name: 'NotPermitted',
      code: 'PASSWORD_CHANGE_NEEDED',
    });
  }
});
