import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasBearerScheme } from '../../../../daemon/security/token/bearer-provider.ts';
import {
  claimsFor,
  createTokenFixture,
  encode,
  forge,
  FOREIGN_ISSUER,
  NOW_SECONDS,
} from './token-fixture.ts';

test('an access token proves its identity; a known one does so at once', async (t) => {
  const { provider, authenticate, issuer, identities } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  const principal = { identity: identities.get('scada'), method: 'bearer' };
  assert.deepEqual(await authenticate(accessToken), principal);
  const credentials = {
    remoteAddress: '192.0.2.1',
    authorization: `Bearer ${accessToken}`,
    isXsrfExempt: false,
    isOpenToLockedSessions: false,
    header: () => undefined,
  };
  assert.deepEqual(provider.authenticate(credentials), principal);
});

test('a token that cannot be verified in time is not called invalid', async (t) => {
  const { provider } = await createTokenFixture(t);
  assert.equal(provider.createTimeoutError?.().code, 'TOKEN_SERVICE_UNAVAILABLE');
});

test('the scheme is read in any case and with any number of spaces', async (t) => {
  const { authenticate, issuer } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  for (const field of ['bearer ', 'BEARER ', 'Bearer    ']) {
    assert.ok(await authenticate(accessToken, `${field}${accessToken}`), field);
  }
});

test('another form of the field proves nothing', async (t) => {
  const { authenticate, issuer } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  for (const field of [
    '',
    'Bearer',
    'Bearer ',
    accessToken,
    `Bearer${accessToken}`,
    `Bearer\t${accessToken}`,
    ` Bearer ${accessToken}`,
    `Bearer ${accessToken} `,
    `Bearer ${accessToken}, Bearer ${accessToken}`,
    `Bearer "${accessToken}"`,
    `Bearer token=${accessToken}`,
    `Basic ${accessToken}`,
    `Basic ${Buffer.from(`scada:${accessToken}`).toString('base64')}`,
    `Token ${accessToken}`,
  ]) {
    assert.equal(await authenticate(accessToken, field), undefined, field);
  }
});

test('hasBearerScheme recognizes bearer credentials, well formed or not', () => {
  for (const field of ['Bearer x', 'bearer x', 'Bearer', 'Bearer ', 'Bearer a b'])
    assert.ok(hasBearerScheme(field));
  for (const field of [undefined, '', 'Basic x', 'Bearerx', 'x Bearer y'])
    assert.equal(hasBearerScheme(field), false);
});

test('a refused token proves nothing and is logged without being shown', async (t) => {
  const { authenticate, own, issuer, logger } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  const tokens = [
    refreshToken,
    forge(own, claimsFor({ exp: NOW_SECONDS - 60 })),
    forge(own, claimsFor({ sub: 'nobody' })),
    forge(own, claimsFor(), { alg: 'none' }),
    `${encode({ alg: 'none' })}.${encode(claimsFor())}.`,
    'x'.repeat(9000),
    'x',
  ];
  for (const token of tokens) assert.equal(await authenticate(token), undefined);
  const lines = logger.lines.filter(({ event }) => event === 'token.refused');
  assert.equal(lines.length, tokens.length);
  const text = JSON.stringify(lines);
  for (const token of tokens.slice(0, 6)) assert.ok(!text.includes(token.slice(0, 40)));
});

test('permissions are those of the identity at the time of the request', async (t) => {
  const { authenticate, issuer, identities } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  await authenticate(accessToken);
  identities.setPermissions('scada', ['rest.deploy']);
  assert.deepEqual((await authenticate(accessToken))?.identity.permissions, ['rest.deploy']);
});

test('a known token proves nothing when its identity was deleted, created again, or has to change its password', async (t) => {
  const { authenticate, issuer, identities, clock, createIdentity } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  assert.ok(await authenticate(accessToken));
  identities.setPasswordChangeNeeded('scada', true);
  assert.equal(await authenticate(accessToken), undefined);
  identities.setPasswordChangeNeeded('scada', false);
  assert.ok(await authenticate(accessToken));
  identities.remove('scada');
  assert.equal(await authenticate(accessToken), undefined);
  clock.advance(1);
  createIdentity();
  assert.equal(await authenticate(accessToken), undefined);
});

test('a cached token is rejected while tokens are disabled, and after it has expired', async (t) => {
  const { authenticate, issuer, clock, set } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  assert.ok(await authenticate(accessToken));
  set({ rest: { jwtAuthenticationEnabled: false } });
  assert.equal(await authenticate(accessToken), undefined);
  set({ rest: { jwtAuthenticationEnabled: true } });
  assert.ok(await authenticate(accessToken));
  clock.advance(90_000);
  assert.equal(await authenticate(accessToken), undefined);
});

test('a token is rejected if tokens are disabled during its verification', async (t) => {
  const { authenticate, issuer, set } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  const pending = authenticate(accessToken);
  set({ rest: { jwtAuthenticationEnabled: false } });
  assert.equal(await pending, undefined);
});

test('a rotated key keeps access tokens valid, a replaced one does not', async (t) => {
  const { authenticate, issuer, keys, set, service } = await createTokenFixture(t);
  set({ tokenIssuingServices: [{ pid: 'local' }] });
  const { accessToken } = await issuer.issue({ name: 'scada' });
  await keys.rotate(service(), { isPreviousTrusted: true });
  assert.ok(await authenticate(accessToken));
  await keys.rotate(service(), { isPreviousTrusted: false });
  assert.equal(await authenticate(accessToken), undefined);
});

test('a trusted token with neither iat nor nbf proves its identity, unless another one had the name before', async (t) => {
  const { authenticate, foreign, identities, clock, createIdentity } = await createTokenFixture(t);
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER, iat: undefined, nbf: undefined }));
  assert.equal((await authenticate(token))?.identity.name, 'scada');
  identities.remove('scada');
  createIdentity();
  assert.equal(await authenticate(token), undefined);
  const issuedNow = (): string => {
    const iat = Math.floor(clock.epochMs() / 1000);
    return forge(foreign, claimsFor({ iss: FOREIGN_ISSUER, iat, nbf: iat }));
  };
  // Within the second of the creation, the two identities are indistinguishable.
  assert.equal(await authenticate(issuedNow()), undefined);
  clock.advance(1000);
  assert.notEqual(await authenticate(issuedNow()), undefined);
});
