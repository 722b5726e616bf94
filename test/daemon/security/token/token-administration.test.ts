import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { RevokedCredential } from '../../../../daemon/security/identity/credential-revocations.ts';
import type { Principal } from '../../../../daemon/security/identity/identity.ts';
import { issueTokens } from '../../../../daemon/security/token/issue.ts';
import { TokenAdministration } from '../../../../daemon/security/token/token-administration.ts';
import { TokenIssuer } from '../../../../daemon/security/token/token-issuer.ts';
import {
  claimsFor,
  createTokenFixture,
  forge,
  FOREIGN_ISSUER,
  NOW_SECONDS,
  REFRESH,
} from './token-fixture.ts';
import type { TokenFixtureOptions } from './token-fixture.ts';

async function setUp(t: TestContext, options: TokenFixtureOptions = {}) {
  const fixture = await createTokenFixture(t, options);
  const ended: RevokedCredential[] = [];
  const credentialRevocations = { announce: (proof: RevokedCredential) => ended.push(proof) };
  const administration = new TokenAdministration({ ...fixture, credentialRevocations });
  const principalOf = (name: string): Principal => ({
    identity: fixture.identities.get(name),
    method: 'basic',
  });
  const add = (name: string, ...permissions: string[]): Principal => {
    fixture.identities.create({ name, permissions, passwordChangeNeeded: false });
    return principalOf(name);
  };
  const scada = principalOf('scada');
  const issue = () => issueTokens(principalOf('scada'), fixture);
  return { ...fixture, administration, ended, add, scada, issue };
}

test('tokens issued before a revocation are void, known ones too, and those issued afterwards work', async (t) => {
  const { administration, scada, issue, authenticate, refresh, ended } = await setUp(t);
  const before = await issue();
  assert.ok(await authenticate(before.accessToken));
  administration.revoke('scada', scada);
  assert.deepEqual(ended, [{ kind: 'TOKENS_OF_IDENTITY', identityId: scada.identity.id }]);
  // Same millisecond of the manual clock.
  const after = await issue();
  assert.equal(await authenticate(before.accessToken), undefined);
  await assert.rejects(refresh(before.refreshToken), { name: 'TokenRefused', code: 'TOKEN_REVOKED' });
  assert.ok(await authenticate(after.accessToken));
  const renewed = await refresh(after.refreshToken);
  assert.ok(await authenticate(renewed.accessToken));
  administration.revoke('scada', scada);
  assert.equal(await authenticate(renewed.accessToken), undefined);
  assert.ok(await authenticate((await issue()).accessToken));
});

test('a clock that is set back neither saves revoked tokens nor voids later ones', async (t) => {
  const { administration, scada, issue, authenticate, refresh, clock } = await setUp(t);
  clock.setEpoch(NOW_SECONDS * 1000 + 20_000);
  const before = await issue();
  clock.setEpoch(NOW_SECONDS * 1000);
  administration.revoke('scada', scada);
  const after = await issue();
  for (const nowMs of [0, 20_000]) {
    clock.setEpoch(NOW_SECONDS * 1000 + nowMs);
    assert.equal(await authenticate(before.accessToken), undefined);
    assert.ok(await authenticate(after.accessToken));
  }
  await assert.rejects(refresh(before.refreshToken), { code: 'TOKEN_REVOKED' });
});

test('tokens of another issuer are void unless they are of a later second', async (t) => {
  const { administration, scada, authenticate, refresh, foreign, clock } = await setUp(t);
  const made = (changes: object = {}) => forge(foreign, claimsFor({ iss: FOREIGN_ISSUER, ...changes }));
  const before = made();
  assert.ok(await authenticate(before));
  administration.revoke('scada', scada);
  assert.equal(await authenticate(before), undefined);
  assert.equal(await authenticate(made({ iat: undefined, nbf: undefined })), undefined);
  await assert.rejects(refresh(made({ aud: REFRESH })), { code: 'TOKEN_REVOKED' });
  clock.advance(1000);
  assert.ok(await authenticate(made({ iat: NOW_SECONDS + 1, nbf: NOW_SECONDS + 1 })));
});

test('tokens of other identities stay', async (t) => {
  const { administration, scada, issuer, authenticate, add } = await setUp(t);
  add('historian');
  const { accessToken } = await issuer.issue({ name: 'historian' });
  administration.revoke('scada', scada);
  assert.ok(await authenticate(accessToken));
});

test('tokens that were revoked while they were signed are not returned', async (t) => {
  const { administration, scada, issue, authenticate, refresh, interrupt } = await setUpInterrupted(t);
  interrupt(() => administration.revoke('scada', scada));
  const { accessToken, refreshToken } = await issue();
  assert.ok(await authenticate(accessToken));
  interrupt(() => administration.revoke('scada', scada));
  await assert.rejects(refresh(refreshToken), { code: 'TOKEN_REVOKED' });
});

test('tokens are signed again if their key is replaced during the call', async (t) => {
  const { administration, keys, settings, service, clock, authenticate, set } = await setUp(t);
  set({ tokenIssuingServices: [{ pid: 'local' }] });
  const keysBefore = [await keys.getSigningKey(service())];
  const revisionsBefore = [keys.revision()];
  await administration.rotateKey({ isRevoking: true });
  // What the issuer saw before the rotation, which is over when it has signed.
  const issuer = new TokenIssuer({
    keys: {
      revision: () => revisionsBefore.pop() ?? keys.revision(),
      getSigningKey: async (of) => keysBefore.pop() ?? keys.getSigningKey(of),
    },
    settings,
    clock,
  });
  const { accessToken } = await issuer.issue({ name: 'scada' });
  assert.ok(await authenticate(accessToken));
});

test('each identity revokes its own tokens; those of others need the permission and no fewer permissions', async (t) => {
  const { administration, scada, identities, add } = await setUp(t);
  const [clerk, chief, guest] = [
    add('clerk', 'rest.identity', 'rest.assets'),
    add('chief', 'rest.admin'),
    add('guest'),
  ];
  for (const [caller, name, code] of [
    [guest, 'scada', 'PERMISSION_MISSING'],
    [guest, 'nobody', 'PERMISSION_MISSING'],
    [scada, 'guest', 'PERMISSION_MISSING'],
    [clerk, 'chief', 'PERMISSION_BEYOND_OWN'],
    [clerk, 'nobody', 'IDENTITY_NOT_FOUND'],
    [chief, 'nobody', 'IDENTITY_NOT_FOUND'],
  ] as const) {
    assert.throws(() => administration.revoke(name, caller), { code }, `${caller.identity.name} ${name}`);
  }
  assert.ok(identities.list().every(({ tokenRevocation }) => tokenRevocation === undefined));
  for (const [caller, name] of [
    [guest, 'guest'],
    [clerk, 'scada'],
    [clerk, 'clerk'],
    [chief, 'clerk'],
    [chief, 'chief'],
  ] as const) {
    administration.revoke(name, caller);
    assert.ok(identities.get(name).tokenRevocation !== undefined);
  }
});

test('a key is rotated with and without an end of its tokens', async (t) => {
  const { administration, authenticate, issuer, set, ended } = await setUp(t);
  set({ tokenIssuingServices: [{ pid: 'local' }] });
  const first = await issuer.issue({ name: 'scada' });
  const kept = await administration.rotateKey({ isRevoking: false });
  assert.equal(kept.servicePid, 'local');
  const second = await issuer.issue({ name: 'scada' });
  assert.ok(await authenticate(first.accessToken));
  assert.deepEqual(ended, []);
  const replaced = await administration.rotateKey({ servicePid: 'local', isRevoking: true });
  assert.notEqual(replaced.kid, kept.kid);
  assert.deepEqual(ended, [{ kind: 'TOKENS_OF_KEY' }]);
  for (const { accessToken } of [first, second]) assert.equal(await authenticate(accessToken), undefined);
  assert.ok(await authenticate((await issuer.issue({ name: 'scada' })).accessToken));
});

test('a key of the configuration, and that of an unknown service, is not rotated', async (t) => {
  const { administration, set } = await setUp(t);
  for (const isRevoking of [false, true]) {
    await assert.rejects(administration.rotateKey({ isRevoking }), { code: 'SIGNING_KEY_CONFIGURED' });
    await assert.rejects(administration.rotateKey({ servicePid: 'other', isRevoking }), {
      code: 'TOKEN_SERVICE_MISSING',
    });
  }
  set({ tokenIssuingServices: [] });
  await assert.rejects(administration.rotateKey({ isRevoking: false }), { code: 'TOKEN_SERVICE_MISSING' });
});

/** A fixture in which something happens once while tokens are signed. */
async function setUpInterrupted(t: TestContext) {
  let pending: (() => void) | undefined;
  const fixture = await setUp(t, {
    wrapIssuer: (real) => ({
      async issue(identity) {
        const pair = await real.issue(identity);
        const action = pending;
        pending = undefined;
        action?.();
        return pair;
      },
    }),
  });
  const interrupt = (action: () => void): void => {
    pending = action;
  };
  return { ...fixture, interrupt };
}
