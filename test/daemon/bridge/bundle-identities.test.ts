import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readForBundle, writeForBundle } from '../../../daemon/bridge/asset-calls.ts';
import { BundleIdentities } from '../../../daemon/bridge/bundle-identities.ts';
import { AssetAccess } from '../../../daemon/access/asset-access.ts';
import type { Grant } from '../../../daemon/identity/grant.ts';
import { createAccessBench } from '../access/access-fixture.ts';
import { createIdentities } from '../identity/identity-fixture.ts';

const BUNDLE = { id: { name: 'com.example.scaler' } };
const NAME = 'bundle:com.example.scaler';
const READ_LEVEL: Grant = { assets: ['pump'], channels: ['level'], operations: ['READ'] };
const WRITES = [{ name: 'speed', type: 'DOUBLE', value: 3 }];

function createBench() {
  const { asset, driver, clock, access: reference } = createAccessBench([]);
  const identities = createIdentities(clock);
  const created: string[] = [];
  const bundles = new BundleIdentities({ identities, onCreated: ({ name }) => created.push(name) });
  const get = (pid: string): typeof asset => {
    // Refuses an unknown asset as the registry does.
    if (pid !== 'pump') reference.open(bundles.callerOf(BUNDLE), pid);
    return asset;
  };
  const access = new AssetAccess({ registry: { get, list: () => [asset] }, identities, clock });
  const outcomeOf = async (
    call: Promise<readonly { readonly name: string; readonly failure?: unknown }[]>,
  ) => {
    try {
      return (await call).map(({ name, failure }) => (failure === undefined ? name : `${name}!`)).join(' ');
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };
  return {
    identities,
    bundles,
    created,
    driver,
    read: (pid: string, channels?: string[]) =>
      outcomeOf(readForBundle({ access, caller: bundles.callerOf(BUNDLE) }, { asset: pid, channels })),
    write: () =>
      outcomeOf(
        writeForBundle({ access, caller: bundles.callerOf(BUNDLE) }, { asset: 'pump', channels: WRITES }),
      ),
  };
}

test('a bundle that has never had an identity gets one for all assets, without a password', async () => {
  const { identities, bundles, created, read, write } = createBench();
  bundles.ensure(BUNDLE);
  bundles.ensure(BUNDLE);
  assert.deepEqual(created, [NAME]);
  const { permissions, passwordHash } = identities.get(NAME);
  assert.deepEqual([permissions, passwordHash], [['rest.assets'], undefined]);
  assert.deepEqual([await read('pump'), await write()], ['level total', 'speed']);
});

test('the grants of its identity narrow what a bundle may do, at its next call', async () => {
  const { identities, bundles, read, write, driver } = createBench();
  bundles.ensure(BUNDLE);
  identities.change(NAME, { permissions: [], grants: [READ_LEVEL] });
  assert.equal(await read('pump'), 'level');
  assert.equal(await read('pump', ['total', 'level']), 'total! level');
  assert.equal(await write(), 'speed!');
  assert.deepEqual(driver.written, []);
});

test('a bundle cannot tell an asset without a grant from one that does not exist', async () => {
  const { identities, bundles, read } = createBench();
  bundles.ensure(BUNDLE);
  identities.change(NAME, { permissions: [], grants: [{ ...READ_LEVEL, assets: ['boiler'] }] });
  assert.deepEqual([await read('pump'), await read('nobody')], ['ASSET_UNKNOWN', 'ASSET_UNKNOWN']);
});

test('a bundle whose identity was deleted may do nothing, until it is created again', async () => {
  const { identities, created, read } = createBench();
  assert.equal(await read('pump'), 'level total');
  identities.remove(NAME);
  assert.equal(await read('pump'), 'ASSET_UNKNOWN');
  assert.deepEqual(created, [NAME]);
  identities.create({ name: NAME, permissions: [], grants: [READ_LEVEL], passwordChangeNeeded: false });
  assert.equal(await read('pump'), 'level');
});
