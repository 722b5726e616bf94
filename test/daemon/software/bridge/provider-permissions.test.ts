import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createBundle } from '../../../support/bundle-program.ts';
import { createBridgeBench } from '../../../support/bundle-program-bench.ts';

/** A bundle whose provider names the identity that the field `x-name`, or the given field, contains. */
function naming(headers: readonly string[] = ['x-name']): string {
  return `
    export async function activate({ registerAuthenticationProvider }) {
      await registerAuthenticationProvider({
        priority: 50,
        headers: ${JSON.stringify(headers)},
        deadlineMs: 5000,
        authenticate: ({ headers }) => Object.values(headers)[0],
      });
    }`;
}

for (const { permissions, headers, missing } of [
  { permissions: '', headers: ['x-name'], missing: 'authentication' },
  { permissions: 'net, credentials', headers: ['x-name'], missing: 'authentication' },
  { permissions: 'authentication', headers: ['x-name', 'Authorization'], missing: 'credentials' },
  { permissions: 'authentication', headers: ['Cookie'], missing: 'credentials' },
  { permissions: 'authentication', headers: ['X-XSRF-Token'], missing: 'credentials' },
  { permissions: 'authentication', headers: ['Proxy-Authorization'], missing: 'credentials' },
]) {
  test(`a bundle with "${permissions}" registers no provider for ${headers.join(', ')}: "${missing}" is missing`, async (t) => {
    const bench = await createBridgeBench(t);
    const bundle = createBundle(t, { source: naming(headers), permissions });
    await assert.rejects(bench.supervisor.start(bundle), {
      code: 'BUNDLE_ACTIVATION_FAILED',
      detail: new RegExp(`needs the permission "${missing}" in Penstock-Permissions`),
    });
    assert.deepEqual(bench.providers.list(), []);
  });
}

test('with the permission "credentials" a provider sees the fields with credentials', async (t) => {
  const bench = await createBridgeBench(t);
  bench.identities.create({ name: 'machine', permissions: [], passwordChangeNeeded: false });
  const permissions = 'authentication, credentials';
  await bench.supervisor.start(createBundle(t, { source: naming(['authorization', 'cookie']), permissions }));
  assert.equal(await bench.authenticate({ authorization: 'machine' }), 'machine');
  assert.equal(await bench.authenticate({ cookie: 'machine' }), 'machine');
});

for (const [permissions, isNamed] of [
  [[], true],
  [['rest.assets'], true],
  [['rest.assets.read'], true],
  [['rest.assets', 'rest.assets.read'], true],
  [['rest.assets', 'rest.configuration'], false],
  [['rest.admin'], false],
  [['rest.assets.other'], false],
] as const) {
  test(`a provider without Penstock-Identities ${isNamed ? 'may' : 'may not'} name an identity with [${permissions.join(', ')}]`, async (t) => {
    const bench = await createBridgeBench(t);
    bench.identities.create({ name: 'machine', permissions, passwordChangeNeeded: false });
    await bench.supervisor.start(createBundle(t, { source: naming(), permissions: 'authentication' }));
    assert.equal(await bench.authenticate({ 'x-name': 'machine' }), isNamed ? 'machine' : undefined);
    assert.equal(bench.refused.length, isNamed ? 0 : 1);
  });
}

test('with Penstock-Identities: any a provider names an administrator', async (t) => {
  const bench = await createBridgeBench(t);
  bench.identities.create({ name: 'machine', permissions: ['rest.admin'], passwordChangeNeeded: false });
  const bundle = createBundle(t, { source: naming(), permissions: 'authentication', identities: 'any' });
  await bench.supervisor.start(bundle);
  assert.equal(await bench.authenticate({ 'x-name': 'machine' }), 'machine');
  assert.deepEqual(bench.refused, []);
});

test('the permissions of an identity count at each request; each refusal is reported, and logged once', async (t) => {
  const bench = await createBridgeBench(t);
  const { identities } = bench;
  const machine = { name: 'machine', permissions: ['rest.assets'], passwordChangeNeeded: false };
  identities.create(machine);
  await bench.supervisor.start(createBundle(t, { source: naming(), permissions: 'authentication' }));
  const ask = () => bench.authenticate({ 'x-name': 'machine' });
  assert.equal(await ask(), 'machine');
  identities.setPermissions('machine', ['rest.assets', 'rest.deploy']);
  assert.equal(await ask(), undefined);
  assert.equal(await ask(), undefined);
  identities.setPermissions('machine', ['rest.assets.read']);
  assert.equal(await ask(), 'machine');
  assert.deepEqual(
    bench.refused.map(({ provider, identity, remoteAddress }) => [provider, identity.name, remoteAddress]),
    [
      ['bundle org.example.test 1.0.0', 'machine', '192.0.2.1'],
      ['bundle org.example.test 1.0.0', 'machine', '192.0.2.1'],
    ],
  );
  const lines = bench.gatewayLines.filter(({ event }) => event === 'authentication.identityRefused');
  assert.deepEqual(
    lines.map(({ level, fields }) => [level, fields['identity']]),
    [['warn', 'machine']],
  );
});
