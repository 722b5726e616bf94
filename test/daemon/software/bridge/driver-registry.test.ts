import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openDriverTypeStore } from '../../../../daemon/software/bridge/driver-type-store.ts';
import { DriverLinks } from '../../../../daemon/software/bridge/driver-links.ts';
import { DriverRegistry } from '../../../../daemon/software/bridge/driver-registry.ts';
import type { BundleSession } from '../../../../daemon/software/bundle/bundle-host.ts';
import { parsePermissions } from '../../../../daemon/software/bundle/bundle-permissions.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const SCHEMA = { type: 'object', properties: {} };
const SHARE = 32;

/** Creates registries over one file, as of a gateway that is started again. */
function createRuns(t: TestContext) {
  const file = path.join(createTemporaryDirectory(t), 'kinds.json');
  const present = new Set<string>();
  const used = new Set<string>();
  const start = async () =>
    new DriverRegistry({
      builtIn: [],
      store: await openDriverTypeStore(file),
      links: new DriverLinks(),
      isLenient: () => false,
      isPresent: (bundle) => present.has(bundle),
      isUsed: (type) => used.has(type),
    });
  return { present, used, start };
}

function createSession(name: string): BundleSession {
  return {
    id: { name, version: '1.0.0' },
    permissions: parsePermissions({ permissions: '', identities: undefined }),
    call: () => Promise.reject(new Error('no bundle')),
    notify: () => undefined,
  };
}

/** Registers kinds as a bundle does that is installed and runs. */
async function install(
  { present }: { readonly present: Set<string> },
  registry: DriverRegistry,
  name: string,
  types: readonly string[],
): Promise<BundleSession> {
  present.add(name);
  const session = createSession(name);
  for (const type of types) {
    await registry.register(session, { type, bundle: name, settings: SCHEMA, address: SCHEMA });
  }
  return session;
}

function typesOf(registry: DriverRegistry): readonly string[] {
  return registry.list().map(({ type }) => type);
}

function nameKinds(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

test('kinds of removed bundles leave room for those of every other bundle', async (t) => {
  const runs = createRuns(t);
  const registry = await runs.start();
  for (const number of [1, 2, 3, 4, 5]) {
    const session = await install(runs, registry, `gone${number}`, nameKinds(`gone${number}`, SHARE));
    registry.withdraw(session);
    runs.present.delete(`gone${number}`);
  }
  await install(runs, registry, 'meter', ['meter']);
  await registry.forgetRemoved();
  assert.deepEqual(typesOf(registry), ['meter']);
  assert.deepEqual(typesOf(await runs.start()), ['meter']);
});

test('a kind that the configuration uses stays known without its bundle', async (t) => {
  const runs = createRuns(t);
  const registry = await runs.start();
  const session = await install(runs, registry, 'gone', ['meter', 'valve']);
  registry.withdraw(session);
  runs.present.delete('gone');
  runs.used.add('meter');
  await registry.forgetRemoved();
  assert.deepEqual(typesOf(registry), ['meter']);
  assert.deepEqual(typesOf(await runs.start()), ['meter']);
});

test('a bundle that is installed keeps its kinds while it does not run', async (t) => {
  const runs = createRuns(t);
  const registry = await runs.start();
  registry.withdraw(await install(runs, registry, 'meters', ['meter']));
  await registry.forgetRemoved();
  assert.deepEqual(typesOf(await runs.start()), ['meter']);
});

test('a bundle has a share of its own, whatever others register', async (t) => {
  const runs = createRuns(t);
  const registry = await runs.start();
  for (const name of ['one', 'two', 'three', 'four']) {
    await install(runs, registry, name, nameKinds(name, SHARE));
  }
  await assert.rejects(install(runs, registry, 'one', ['one-more']), { code: 'DRIVER_TYPES_EXCEEDED' });
  await install(runs, registry, 'five', nameKinds('five', SHARE));
});

test('kinds that a bundle served before give way to those that it serves now', async (t) => {
  const runs = createRuns(t);
  const registry = await runs.start();
  registry.withdraw(await install(runs, registry, 'meters', nameKinds('former', SHARE)));
  runs.used.add('former-0');
  await install(runs, registry, 'meters', nameKinds('present', SHARE - 1));
  const expected = ['former-0', ...nameKinds('present', SHARE - 1)];
  assert.deepEqual(typesOf(registry).toSorted(), expected.toSorted());
  assert.deepEqual(typesOf(await runs.start()).toSorted(), expected.toSorted());
});
