import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import { checkClaims, isOlderThan, isRevoked } from '../../../../daemon/security/token/claims.ts';
import type { ClaimRules } from '../../../../daemon/security/token/claims.ts';
import { createTokenId, readTokenIdTime } from '../../../../daemon/security/token/token-id.ts';
import { ACCESS, claimsFor, NOW_MS, NOW_SECONDS, REFRESH } from './token-fixture.ts';

const RULES: ClaimRules = {
  kind: 'access',
  nowMs: NOW_MS,
  toleranceSeconds: 30,
  trustedIssuers: ['penstock'],
};

function check(changes: Record<string, unknown> = {}, rules: Partial<ClaimRules> = {}) {
  // As it comes from the wire: an undefined claim is absent.
  return checkClaims(JSON.parse(JSON.stringify(claimsFor(changes))) as Record<string, unknown>, {
    ...RULES,
    ...rules,
  });
}

test('checkClaims returns the claims of a valid token', () => {
  const { iss, sub, jti, exp } = check();
  assert.deepEqual(
    { iss, sub, jti, exp },
    { iss: 'penstock', sub: 'scada', jti: 'a', exp: NOW_SECONDS + 60 },
  );
});

for (const claim of ['iss', 'sub', 'aud', 'exp']) {
  test(`a token without ${claim} is refused`, () => {
    assert.throws(() => check({ [claim]: undefined }), { code: 'TOKEN_CLAIM_MISSING', claim });
  });
}

test('jti is required on refresh tokens only', () => {
  assert.equal(check({ jti: undefined }).jti, undefined);
  assert.throws(() => check({ jti: undefined, aud: REFRESH }, { kind: 'refresh' }), {
    code: 'TOKEN_CLAIM_MISSING',
    claim: 'jti',
  });
});

test('without iat the token begins at nbf; without both it does not say when', () => {
  assert.equal(check({ iat: undefined }).issuedByMs, NOW_MS + 999);
  const neither = check({ iat: undefined, nbf: undefined });
  assert.equal(neither.issuedByMs, undefined);
  assert.ok(neither.validFromMs <= 0);
});

test('a token that does not say when it was issued counts for the first identity of its name alone', () => {
  const neither = check({ iat: undefined, nbf: undefined });
  assert.equal(isOlderThan(neither, { createdAtMs: NOW_MS }), false);
  assert.equal(isOlderThan(neither, { createdAtMs: 0, isNameReused: true }), true);
  assert.equal(isOlderThan(check({}), { createdAtMs: NOW_MS, isNameReused: true }), false);
});

for (const claim of ['iss', 'sub', 'jti']) {
  test(`${claim} is a text that is not blank`, () => {
    const wrong =
      claim === 'iss'
        ? [null, 7, [], {}]
        : ['', ' ', '\t\n', '\u00a0', null, 7, true, ['scada'], {}, '\ud800'];
    for (const value of wrong) {
      assert.throws(
        () => check({ [claim]: value }),
        { code: 'TOKEN_CLAIM_INVALID', claim },
        JSON.stringify(value),
      );
    }
  });
}

test('iss is compared exactly with the list, and an empty list trusts any', () => {
  for (const iss of ['Penstock', 'penstock ', 'penstock/', 'other']) {
    assert.throws(() => check({ iss }), { code: 'TOKEN_ISSUER_REFUSED', claim: 'iss' });
    assert.equal(check({ iss }, { trustedIssuers: [] }).iss, iss);
  }
  assert.throws(() => check({ iss: '' }, { trustedIssuers: [] }), { code: 'TOKEN_CLAIM_INVALID' });
});

test('aud is a text or a list of texts that contains the value', () => {
  for (const aud of [ACCESS, [ACCESS], ['other', ACCESS]]) assert.ok(check({ aud }));
  for (const aud of [REFRESH, [REFRESH], ['other', REFRESH]]) assert.ok(check({ aud }, { kind: 'refresh' }));
  for (const aud of [
    '',
    [],
    'other',
    `${ACCESS}/`,
    `x${ACCESS}`,
    ACCESS.toUpperCase(),
    `${ACCESS},other`,
    [[ACCESS]],
  ]) {
    assert.throws(() => check({ aud }), { claim: 'aud' }, JSON.stringify(aud));
  }
  for (const aud of [null, 7, { 0: ACCESS }, [ACCESS, 7], [ACCESS, null]]) {
    assert.throws(() => check({ aud }), { code: 'TOKEN_CLAIM_INVALID', claim: 'aud' }, JSON.stringify(aud));
  }
});

test('a token is never accepted as the other kind', () => {
  assert.throws(() => check({ aud: REFRESH }), { code: 'TOKEN_AUDIENCE_REFUSED' });
  assert.throws(() => check({ aud: ACCESS }, { kind: 'refresh' }), { code: 'TOKEN_AUDIENCE_REFUSED' });
});

test('a token whose aud names both endpoints is a refresh token', () => {
  for (const aud of [
    [ACCESS, REFRESH],
    [REFRESH, ACCESS],
  ]) {
    assert.ok(check({ aud }, { kind: 'refresh' }));
    assert.throws(() => check({ aud }), { code: 'TOKEN_AUDIENCE_REFUSED' });
  }
});

for (const claim of ['exp', 'nbf', 'iat']) {
  test(`${claim} is a moment in time`, () => {
    for (const value of ['1800000000', null, true, [], {}, -1, 1e308, 1e13, Number.MAX_SAFE_INTEGER]) {
      assert.throws(
        () => check({ [claim]: value }),
        { code: 'TOKEN_CLAIM_INVALID', claim },
        JSON.stringify(value),
      );
    }
  });
}

test('exp with a fraction and exp in the year 2200 are moments in time', () => {
  assert.equal(check({ exp: NOW_SECONDS + 0.5 }).exp, NOW_SECONDS + 0.5);
  assert.equal(check({ exp: 7_258_118_400 }).exp, 7_258_118_400);
});

test('exp is valid up to the tolerance and not a millisecond longer', () => {
  const exp = NOW_SECONDS - 30;
  assert.ok(check({ exp }, { nowMs: NOW_MS - 1 }));
  assert.throws(() => check({ exp }), { code: 'TOKEN_EXPIRED', claim: 'exp' });
  assert.throws(() => check({ exp: NOW_SECONDS }, { toleranceSeconds: 0 }), { code: 'TOKEN_EXPIRED' });
  assert.ok(check({ exp: NOW_SECONDS + 0.001 }, { toleranceSeconds: 0 }));
});

for (const claim of ['nbf', 'iat']) {
  test(`${claim} in the future is valid from the tolerance on`, () => {
    const value = NOW_SECONDS + 30;
    assert.ok(check({ [claim]: value }));
    assert.throws(() => check({ [claim]: value + 0.001 }), { code: 'TOKEN_NOT_YET_VALID', claim });
    assert.throws(() => check({ [claim]: NOW_SECONDS + 1 }, { toleranceSeconds: 0 }), {
      code: 'TOKEN_NOT_YET_VALID',
      claim,
    });
  });
}

test('a whole iat is older than its identity from the second before on', () => {
  const issued = (iat: number, jti = 'a') => check({ iat, jti });
  assert.equal(isOlderThan(issued(NOW_SECONDS), { createdAtMs: NOW_MS + 999 }), false);
  assert.equal(isOlderThan(issued(NOW_SECONDS - 1), { createdAtMs: NOW_MS }), true);
  assert.equal(isOlderThan(issued(NOW_SECONDS - 0.5), { createdAtMs: NOW_MS }), true);
  assert.equal(isOlderThan(issued(NOW_SECONDS - 0.5), { createdAtMs: NOW_MS - 500 }), false);
});

test('an identifier of version 7 supplies the millisecond, provided that it agrees with iat', () => {
  const jti = createTokenId(NOW_MS, systemRandom);
  assert.equal(check({ jti }).issuedByMs, NOW_MS);
  assert.equal(isOlderThan(check({ jti }), { createdAtMs: NOW_MS }), false);
  assert.equal(isOlderThan(check({ jti }), { createdAtMs: NOW_MS + 1 }), true);
  assert.equal(check({ jti: createTokenId(NOW_MS + 5000, systemRandom) }).issuedByMs, NOW_MS + 999);
  assert.equal(check({ jti: createTokenId(NOW_MS - 5000, systemRandom) }).issuedByMs, NOW_MS + 999);
});

test('a token of the gateway is revoked unless it names the latest revocation, whatever its time', () => {
  const own = (generation?: string, iat = NOW_SECONDS) => check({ generation, iat }, { isOwn: true });
  const tokenRevocation = { generation: 'second', atMs: NOW_MS };
  for (const iat of [NOW_SECONDS - 20, NOW_SECONDS, NOW_SECONDS + 20]) {
    assert.equal(isRevoked(own(undefined, iat), {}), false);
    assert.equal(isRevoked(own(undefined, iat), { tokenRevocation }), true);
    assert.equal(isRevoked(own('first', iat), { tokenRevocation }), true);
    assert.equal(isRevoked(own('second', iat), { tokenRevocation }), false);
    // The identity was deleted and created again, or is that of an older backup.
    assert.equal(isRevoked(own('second', iat), {}), true);
  }
});

test('a token of another issuer is revoked unless it is of a later second, whatever it names', () => {
  const tokenRevocation = { generation: 'second', atMs: NOW_MS + 500 };
  const foreign = (changes: object) => check({ generation: 'second', ...changes });
  assert.equal(isRevoked(foreign({}), {}), false);
  assert.equal(isRevoked(foreign({}), { tokenRevocation }), true);
  assert.equal(isRevoked(foreign({ iat: NOW_SECONDS + 0.9 }), { tokenRevocation }), true);
  assert.equal(isRevoked(foreign({ iat: NOW_SECONDS + 1 }), { tokenRevocation }), false);
  assert.equal(isRevoked(foreign({ iat: undefined, nbf: undefined }), { tokenRevocation }), true);
  // Another issuer may give the claim any meaning.
  assert.equal(check({ generation: { any: 1 } }).generation, undefined);
  assert.throws(() => check({ generation: { any: 1 } }, { isOwn: true }), { claim: 'generation' });
});

test('createTokenId creates different UUIDs of version 7 that contain their time', () => {
  const made = Array.from({ length: 1000 }, () => createTokenId(NOW_MS, systemRandom));
  assert.equal(new Set(made).size, made.length);
  for (const id of made) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(readTokenIdTime(id), NOW_MS);
  }
  // RFC 9562, appendix A.6.
  assert.equal(readTokenIdTime('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), 0x17f22e279b0);
  for (const other of ['', 'a', '919108f7-52d1-4320-9bac-f847db4148a8'])
    assert.equal(readTokenIdTime(other), undefined);
});
