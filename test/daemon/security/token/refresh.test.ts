import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { test } from 'node:test';

import { Unavailable } from '../../../../daemon/base/errors.ts';
import { isRefreshAvailable } from '../../../../daemon/security/token/refresh.ts';
import { TokenError } from '../../../../daemon/security/token/token-error.ts';
import { estimateBytes } from '../../../../daemon/security/token/used-token-store.ts';
import {
  claimsFor,
  createTokenFixture,
  forge,
  FOREIGN_ISSUER,
  NOW_SECONDS,
  REFRESH,
} from './token-fixture.ts';

const USED = { name: 'TokenRefused', code: 'TOKEN_USED' };

function refreshClaims(changes: Record<string, unknown> = {}) {
  return claimsFor({ aud: REFRESH, exp: NOW_SECONDS + 900, ...changes });
}

test('a refresh token returns a new pair once; used again it is refused and reported', async (t) => {
  const { refresh, issuer, verifier, replays } = await createTokenFixture(t);
  const first = await issuer.issue({ name: 'scada' });
  const second = await refresh(first.refreshToken);
  assert.notEqual(second.refreshToken, first.refreshToken);
  assert.ok(await verifier.verify(second.accessToken, 'access'));
  assert.deepEqual(replays, []);
  await assert.rejects(refresh(first.refreshToken), USED);
  assert.deepEqual(
    replays.map(({ iss, identityName }) => [iss, identityName]),
    [['penstock', 'scada']],
  );
  assert.ok(await refresh(second.refreshToken));
});

test('a refresh names the identity of the tokens', async (t) => {
  const { tokenRefresh, issuer } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  const { identityName } = await tokenRefresh.refresh(refreshToken, () => undefined);
  assert.equal(identityName, 'scada');
});

test('no other spelling of a used token is accepted', async (t) => {
  const { refresh, issuer } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  await refresh(refreshToken);
  const [header = '', payload = '', signature = ''] = refreshToken.split('.');
  const stray = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1);
  for (const variant of [
    `${refreshToken}=`,
    `${refreshToken}.`,
    ` ${refreshToken}`,
    `${header}.${payload}.${stray}`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}\n.${signature}`,
    `Bearer ${refreshToken}`,
    `"${refreshToken}"`,
  ]) {
    await assert.rejects(refresh(variant), { name: 'TokenRefused', code: 'TOKEN_MALFORMED' }, variant);
  }
});

test('an ECDSA signature changed through its malleability does not make the token another one', async (t) => {
  const { refresh, own } = await createTokenFixture(t);
  const token = forge(own, refreshClaims());
  const [header = '', payload = '', signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  // (r, n - s) is as good a signature as (r, s): n is the order of P-256 (FIPS 186-5).
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  await refresh(token);
  await assert.rejects(refresh(`${header}.${payload}.${other.toString('base64url')}`), USED);
});

test('of 50 concurrent uses exactly one succeeds', async (t) => {
  const { refresh, issuer, replays } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => refresh(refreshToken)));
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(failed.length, 49);
  for (const { reason } of failed) assert.equal((reason as { code: string }).code, 'TOKEN_USED');
  assert.equal(replays.length, 49);
});

test('of 50 concurrent uses exactly one succeeds although every other issue fails', async (t) => {
  let count = 0;
  const { refresh, issuer } = await createTokenFixture(t, {
    wrapIssuer: (real) => ({
      async issue(name) {
        count += 1;
        if (count > 1 && count % 2 === 0)
          throw new TokenError({ code: 'SIGNING_KEY_UNUSABLE', detail: 'no key' });
        return real.issue(name);
      },
    }),
  });
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => refresh(refreshToken)));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

for (const [what, error] of [
  ['fails', new TokenError({ code: 'SIGNING_KEY_UNUSABLE', detail: 'no key' })],
  [
    'is temporarily unable',
    new Unavailable({ code: 'TOKEN_SERVICE_UNAVAILABLE', detail: 'busy', retryAfterSeconds: 5 }),
  ],
] as const) {
  test(`when issuing ${what} the token is not consumed`, async (t) => {
    let isBroken = false;
    const { refresh, issuer } = await createTokenFixture(t, {
      wrapIssuer: (real) => ({ issue: (name) => (isBroken ? Promise.reject(error) : real.issue(name)) }),
    });
    const { refreshToken } = await issuer.issue({ name: 'scada' });
    isBroken = true;
    await assert.rejects(refresh(refreshToken), { code: error.code });
    isBroken = false;
    assert.ok(await refresh(refreshToken));
  });
}

test('while the signing key is unreadable a refresh fails, and the token works afterwards', async (t) => {
  const { refresh, issuer, ownFiles } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  renameSync(ownFiles.privateKeyFile, `${ownFiles.privateKeyFile}.away`);
  await assert.rejects(refresh(refreshToken), { name: 'TokenError' });
  renameSync(`${ownFiles.privateKeyFile}.away`, ownFiles.privateKeyFile);
  assert.ok(await refresh(refreshToken));
});

test('a full ledger refuses, and the token works once there is room again', async (t) => {
  // The share of an identity is an eighth.
  const maximumLedgerBytes = 8 * estimateBytes('penstock', 'a');
  const { refresh, own, clock } = await createTokenFixture(t, { maximumLedgerBytes });
  await refresh(forge(own, refreshClaims({ jti: 'a' })));
  const token = forge(own, refreshClaims({ jti: 'b', exp: NOW_SECONDS + 3600 }));
  await assert.rejects(refresh(token), { name: 'Unavailable', code: 'TOKEN_LEDGER_FULL' });
  clock.advance(1_200_000);
  assert.ok(await refresh(token));
});

test('an access token is not accepted, and a refresh token is not accepted for access', async (t) => {
  const { refresh, issuer, verifier } = await createTokenFixture(t);
  const { accessToken, refreshToken } = await issuer.issue({ name: 'scada' });
  await assert.rejects(refresh(accessToken), { code: 'TOKEN_AUDIENCE_REFUSED' });
  await verifier.verify(accessToken, 'access');
  await assert.rejects(refresh(accessToken), { code: 'TOKEN_AUDIENCE_REFUSED' });
  await assert.rejects(verifier.verify(refreshToken, 'access'), { code: 'TOKEN_AUDIENCE_REFUSED' });
});

for (const claim of ['iss', 'jti', 'sub', 'aud', 'exp']) {
  test(`a refresh token without ${claim} is refused`, async (t) => {
    const { refresh, own } = await createTokenFixture(t);
    await assert.rejects(refresh(forge(own, refreshClaims({ [claim]: undefined }))), {
      code: 'TOKEN_CLAIM_MISSING',
      claim,
    });
  });
}

test('an expired refresh token is refused', async (t) => {
  const { refresh, issuer, clock } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  clock.advance(930_000);
  await assert.rejects(refresh(refreshToken), { code: 'TOKEN_EXPIRED' });
});

test('a used token is refused up to the last moment in which its times are valid', async (t) => {
  const { refresh, issuer, clock } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  await refresh(refreshToken);
  clock.advance(929_999);
  await assert.rejects(refresh(refreshToken), USED);
});

test('a token of a trusted external issuer is accepted once; the same jti of another issuer is another token', async (t) => {
  const { refresh, own, foreign } = await createTokenFixture(t);
  const outside = forge(foreign, refreshClaims({ iss: FOREIGN_ISSUER, aud: ['other', REFRESH] }));
  const inside = forge(own, refreshClaims());
  assert.ok(await refresh(outside));
  assert.ok(await refresh(inside));
  await assert.rejects(refresh(outside), USED);
  await assert.rejects(refresh(inside), USED);
});

test('no jti with separators is taken for another pair of issuer and jti', async (t) => {
  const { refresh, foreign, setVerification } = await createTokenFixture(t);
  setVerification({ trustedIssuers: [] });
  const pairs = [
    ['plant', 'a:b'],
    ['plant:a', 'b'],
    ['plant', 'a\0b'],
    ['plant\0a', 'b'],
    ['plant","a', 'b'],
    ['plant', 'a","b'],
  ];
  for (const [iss, jti] of pairs) assert.ok(await refresh(forge(foreign, refreshClaims({ iss, jti }))));
});

test('a token that expires in 2200 leads to capped lifetimes, and stays used', async (t) => {
  const { refresh, foreign, clock } = await createTokenFixture(t);
  const token = forge(foreign, refreshClaims({ iss: FOREIGN_ISSUER, exp: 7_258_118_400 }));
  const pair = await refresh(token);
  assert.equal(pair.refreshTokenExpiresInSeconds, 900);
  clock.advance(365 * 86_400_000);
  await assert.rejects(refresh(token), USED);
});

test('a token whose exp is 1e308 is refused', async (t) => {
  const { refresh, foreign } = await createTokenFixture(t);
  const token = forge(foreign, refreshClaims({ iss: FOREIGN_ISSUER, exp: 1e308 }));
  await assert.rejects(refresh(token), { code: 'TOKEN_CLAIM_INVALID', claim: 'exp' });
});

test('a token of an identity that no longer exists is refused', async (t) => {
  const { refresh, issuer, identities } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  identities.remove('scada');
  await assert.rejects(refresh(refreshToken), {
    name: 'TokenRefused',
    code: 'TOKEN_IDENTITY_UNKNOWN',
  });
});

test('an identity created again in the same second does not inherit tokens', async (t) => {
  const { refresh, issuer, identities, clock, createIdentity } = await createTokenFixture(t);
  clock.advance(100);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  clock.advance(100);
  identities.remove('scada');
  createIdentity('scada');
  await assert.rejects(refresh(refreshToken), { code: 'TOKEN_OLDER_THAN_IDENTITY' });
  assert.ok(await refresh((await issuer.issue(identities.get('scada'))).refreshToken));
});

test('an identity created again after the clock was set back does not inherit tokens', async (t) => {
  const { refresh, issuer, identities, clock, createIdentity } = await createTokenFixture(t);
  clock.advance(100_000);
  const { refreshToken } = await issuer.issue(identities.get('scada'));
  clock.setEpoch(clock.epochMs() - 90_000);
  identities.remove('scada');
  createIdentity('scada');
  clock.setEpoch(clock.epochMs() + 90_000);
  await assert.rejects(refresh(refreshToken), { code: 'TOKEN_REVOKED' });
  assert.ok(await refresh((await issuer.issue(identities.get('scada'))).refreshToken));
});

test('while a password change is pending a refresh is forbidden, and the token not consumed', async (t) => {
  const { refresh, issuer, identities } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  identities.setPasswordChangeNeeded('scada', true);
  await assert.rejects(refresh(refreshToken), {
    name: 'NotPermitted',
    code: 'PASSWORD_CHANGE_NEEDED',
  });
  identities.setPasswordChangeNeeded('scada', false);
  assert.ok(await refresh(refreshToken));
});

test('a second factor changes nothing for tokens', async (t) => {
  const { refresh, issuer, identities } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  identities.change('scada', { secondFactorRequired: true });
  const { refreshToken: next } = await refresh(refreshToken);
  identities.setSecondFactor('scada', { secret: new Uint8Array(20), usedSteps: [], recoveryDigests: [] });
  assert.ok(await refresh(next));
});

test('an identity deleted while its new pair is signed gets none, and the token is not consumed', async (t) => {
  const fixture = await createTokenFixture(t, {
    wrapIssuer: (real) => ({
      async issue(identity) {
        const pair = await real.issue(identity);
        if (isDeleting) fixture.identities.remove(identity.name);
        return pair;
      },
    }),
  });
  let isDeleting = false;
  const { refresh, issuer, replays } = fixture;
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  isDeleting = true;
  await assert.rejects(refresh(refreshToken), { code: 'TOKEN_IDENTITY_UNKNOWN' });
  assert.deepEqual(replays, []);
});

test('replacing a key voids its refresh tokens, rotating it does not', async (t) => {
  const { refresh, issuer, keys, set, service } = await createTokenFixture(t);
  set({ tokenIssuingServices: [{ pid: 'local' }] });
  const [first, second] = [await issuer.issue({ name: 'scada' }), await issuer.issue({ name: 'scada' })];
  await keys.rotate(service(), { isPreviousTrusted: true });
  assert.ok(await refresh(first.refreshToken));
  await keys.rotate(service(), { isPreviousTrusted: false });
  await assert.rejects(refresh(second.refreshToken), { code: 'TOKEN_SIGNATURE_INVALID' });
});

test('refresh is available while tokens are on and services of both kinds match the targets', async (t) => {
  const { set, settings } = await createTokenFixture(t);
  assert.equal(isRefreshAvailable(settings()), true);
  for (const rest of [
    { jwtAuthenticationEnabled: false },
    { tokenIssuingServiceTarget: 'other' },
    { tokenVerificationServiceTarget: 'other' },
  ]) {
    set({ rest });
    assert.equal(isRefreshAvailable(settings()), false);
    set({
      rest: {
        jwtAuthenticationEnabled: true,
        tokenIssuingServiceTarget: '',
        tokenVerificationServiceTarget: '',
      },
    });
  }
});
