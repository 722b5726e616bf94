import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { InvalidRequest } from '../../../../daemon/base/errors.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { ConfigurationError } from '../../../../daemon/configuration/configuration-error.ts';
import { ConfigurationStore } from '../../../../daemon/configuration/store/configuration-store.ts';
import type { ProvisionedIdentity } from '../../../../daemon/configuration/provision/provision-document.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../../daemon/configuration/store/snapshot-store.ts';
import type { ProvisionSource } from '../../../../daemon/settings/settings-file.ts';
import { createSlicingClock, ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { createSource, FACTORIES, PLANT } from '../plant-fixture.ts';

/** A gateway whose daemon can be restarted on the same state. */
function createGateway(t: TestContext, file = ':memory:') {
  const store = openStore(file, [configurationMigrations]);
  t.after(() => store.close());
  const snapshots = new SnapshotStore(store, new ManualClock());
  const logger = createMemoryLogger();
  const identities: ProvisionedIdentity[] = [];
  const start = (
    createMissingIdentity = async (identity: ProvisionedIdentity): Promise<boolean> => {
      if (identities.some(({ name }) => name === identity.name)) return false;
      identities.push(identity);
      return true;
    },
  ) =>
    new ConfigurationStore({
      snapshots,
      factories: () => FACTORIES,
      createMissingIdentity,
      logger,
      clock: new ManualClock(),
    });
  return { store, snapshots, logger, identities, start };
}

const LINE_2 = 'drivers:\n  - {pid: line2, type: bench, host: 192.0.2.8}\n';

async function refusalOf(
  service: ConfigurationStore,
  sources: readonly ProvisionSource[],
): Promise<ConfigurationError> {
  try {
    await service.provision(sources);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error;
  }
  return assert.fail('the configuration was accepted');
}

test('current throws before a configuration was loaded', (t) => {
  assert.throws(() => createGateway(t).start().current());
});

test('without snapshot and sources the defaults are in force and nothing is stored', async (t) => {
  const { snapshots, start } = createGateway(t);
  const service = start();
  assert.deepEqual(await service.provision([]), {
    snapshotId: undefined,
    changes: { changes: [], omitted: 0 },
    mergedSources: [],
    createdIdentities: [],
  });
  assert.deepEqual(service.current().plant, { drivers: [], assets: [] });
  assert.equal(snapshots.findNewest(), undefined);
});

test('a changed source creates a new snapshot and an unchanged one creates none', async (t) => {
  const { start } = createGateway(t);
  const service = start();
  assert.equal((await service.provision([createSource('a', LINE_2)])).snapshotId, 1);
  assert.deepEqual(await service.provision([createSource('a', `# comment\n${LINE_2}`)]), {
    snapshotId: undefined,
    changes: { changes: [], omitted: 0 },
    mergedSources: [],
    createdIdentities: [],
  });
  const changed = createSource('a', LINE_2.replace('192.0.2.8', '192.0.2.9'));
  assert.equal((await service.provision([changed])).snapshotId, 2);
  assert.deepEqual(service.current().plant.drivers[0]?.settings, { host: '192.0.2.9', port: 502 });
});

test('a change made by other means is kept until the source changes', async (t) => {
  const { snapshots, start } = createGateway(t);
  await start().provision([createSource('a', LINE_2)]);
  snapshots.save({ rest: { basicAuthenticationEnabled: true } });
  const service = start();
  await service.provision([createSource('a', LINE_2)]);
  assert.deepEqual(service.current().plant.drivers, []);
  assert.equal(service.current().rest.basicAuthenticationEnabled, true);
});

test('a source that comes back after it was left out is merged again', async (t) => {
  const { start } = createGateway(t);
  const service = start();
  await service.provision([createSource('a', LINE_2)]);
  await service.provision([]);
  assert.equal(service.current().plant.drivers.length, 1);
  assert.deepEqual((await service.provision([createSource('a', LINE_2)])).mergedSources, ['a']);
});

test('the newest snapshot is in force after a restart', async (t) => {
  const { snapshots, start } = createGateway(t);
  snapshots.save({});
  snapshots.save(PLANT);
  const service = start();
  await service.provision([]);
  assert.equal(service.current().plant.assets[0]?.pid, 'boiler');
});

test('current stays the same object while the configuration stays equal, and follows the newest snapshot', async (t) => {
  const { snapshots, start } = createGateway(t);
  const service = start();
  await service.provision([]);
  const first = service.current();
  await service.provision([createSource('a', '# nothing\n{}\n')]);
  assert.equal(service.current(), first);
  snapshots.save(PLANT);
  await service.provision([]);
  assert.equal(service.current().plant.assets.length, 1);
});

test('an invalid source leaves the running configuration in force and every error is listed at its line', async (t) => {
  const { snapshots, identities, start } = createGateway(t);
  snapshots.save(PLANT);
  const service = start();
  await service.provision([]);
  const before = service.current();
  const error = await refusalOf(service, [
    createSource('a.yaml', 'rest:\n  allowedPorts: [x]\nidentities:\n  - name: scada\n'),
    createSource('b.yaml', 'drivers:\n  - pid: line2\n    type: bench\n    port: 0\n'),
    createSource('c.yaml', 'identities:\n  - name: xy\n  - name: weak\n    password: short\n'),
  ]);
  assert.equal(error.code, 'CONFIGURATION_INVALID');
  assert.deepEqual(
    error.faults.map(({ file, line, key }) => `${file}:${String(line)}: ${String(key)}`).sort(),
    [
      'a.yaml:2: rest.allowedPorts[0]',
      'b.yaml:2: drivers[0].host',
      'b.yaml:4: drivers[0].port',
      'c.yaml:2: identities[0].name',
    ],
  );
  assert.match(error.detail, /^b\.yaml:4: drivers\[0\]\.port: /m);
  assert.equal(service.current(), before);
  assert.equal(snapshots.findNewest()?.id, 1);
  assert.deepEqual(snapshots.readDigests(), new Map());
  assert.deepEqual(identities, []);
});

test('a source with an invalid outline is refused without errors that follow from it', async (t) => {
  const error = await refusalOf(createGateway(t).start(), [
    createSource('a.yaml', 'drivers: {pid: line1}\n'),
    createSource('b.yaml', 'assets: [{pid: boiler, driver: line1}]\n'),
  ]);
  assert.deepEqual(
    error.faults.map(({ file, key }) => ({ file, key })),
    [{ file: 'a.yaml', key: 'drivers' }],
  );
});

test('a source that conflicts with the stored document is refused and the stored part is named', async (t) => {
  const { snapshots, start } = createGateway(t);
  snapshots.save(PLANT);
  const error = await refusalOf(start(), [
    createSource('a.yaml', 'drivers:\n  - {pid: line1, type: unheard, host: x}\n'),
  ]);
  assert.equal(error.code, 'CONFIGURATION_INVALID');
  assert.equal(error.faults[0]?.file, 'a.yaml');
});

test('a password that is weaker than the merged rules require is refused without showing it', async (t) => {
  const error = await refusalOf(createGateway(t).start(), [
    createSource(
      'a.yaml',
      'passwordStrength: {requireDigits: true}\nidentities:\n  - name: scada\n    password: canary-word\n',
    ),
  ]);
  assert.deepEqual(
    error.faults.map(({ line, key }) => ({ line, key })),
    [{ line: 4, key: 'identities[0].password' }],
  );
  assert.doesNotMatch(error.detail, /canary/);
});

test('a stored snapshot that is no longer valid is refused by number and stays stored', async (t) => {
  const { snapshots, start } = createGateway(t);
  snapshots.save({ drivers: [{ pid: 'line1', type: 'removed' }] });
  for (const sources of [[], [createSource('a.yaml', LINE_2)]]) {
    const error = await refusalOf(start(), sources);
    assert.equal(error.code, 'SNAPSHOT_INVALID');
    assert.match(error.detail, /^configuration snapshot 1: drivers\[0\]\.type: /);
  }
  assert.equal(snapshots.findNewest()?.id, 1);
});

test('a source may repair a snapshot that is no longer valid', async (t) => {
  const { snapshots, start } = createGateway(t);
  snapshots.save({ drivers: [{ pid: 'line2', type: 'removed' }] });
  const service = start();
  await service.provision([createSource('a.yaml', LINE_2)]);
  assert.equal(service.current().plant.drivers[0]?.type, 'bench');
});

test('identities are created only when missing, and once per change of their source', async (t) => {
  const { identities, start } = createGateway(t);
  const text = 'identities:\n  - {name: scada, permissions: [rest.assets], password: long enough}\n';
  const service = start();
  assert.deepEqual((await service.provision([createSource('a', text)])).createdIdentities, ['scada']);
  assert.deepEqual(identities, [
    {
      name: 'scada',
      permissions: ['rest.assets'],
      password: 'long enough',
      passwordChangeNeeded: false,
      secondFactorRequired: false,
    },
  ]);
  identities.length = 0;
  assert.deepEqual((await service.provision([createSource('a', text)])).createdIdentities, []);
  const more = createSource('a', `${text}  - {name: historian}\n`);
  assert.deepEqual((await service.provision([more])).createdIdentities, ['scada', 'historian']);
});

test('a crash after the identities is repaired at the next start', async (t) => {
  const { snapshots, identities, start } = createGateway(t);
  const sources = [createSource('a', `${LINE_2}identities: [{name: scada}, {name: historian}]\n`)];
  const crashing = start(async (identity) => {
    if (identity.name === 'historian') throw new Error('crash');
    identities.push(identity);
    return true;
  });
  await assert.rejects(crashing.provision(sources), /crash/);
  assert.equal(snapshots.findNewest(), undefined);
  const service = start();
  assert.deepEqual((await service.provision(sources)).createdIdentities, ['historian']);
  assert.equal(service.current().plant.drivers.length, 1);
  assert.deepEqual((await service.provision(sources)).mergedSources, []);
});

test('an identity that the identity module refuses is an error at its line', async (t) => {
  const { snapshots, start } = createGateway(t);
  const service = start(async () => {
    throw new InvalidRequest({ code: 'BODY_INVALID', detail: 'refused for a reason' });
  });
  const error = await refusalOf(service, [createSource('a.yaml', `${LINE_2}identities:\n  - name: scada\n`)]);
  assert.equal(error.detail, 'a.yaml:4: identities[0]: refused for a reason');
  assert.equal(snapshots.findNewest(), undefined);
});

test('no password of an identity reaches the state on disk or the log', async (t) => {
  const directory = createTemporaryDirectory(t);
  const { logger, start } = createGateway(t, path.join(directory, 'store.db'));
  await start(async () => true).provision([
    createSource('a', `${LINE_2}identities: [{name: scada, password: canary-secret}]\n`),
  ]);
  for (const name of readdirSync(directory)) {
    assert.ok(!readFileSync(path.join(directory, name), 'latin1').includes('canary-secret'), name);
  }
  assert.equal(logger.lines.length, 1);
  assert.doesNotMatch(JSON.stringify(logger.lines), /canary/);
});

test('calls of provision run one after the other', async (t) => {
  const { snapshots, start } = createGateway(t);
  const service = start();
  const texts = ['192.0.2.1', '192.0.2.2', 'x: ['].map((host) => LINE_2.replace('192.0.2.8', `"${host}"`));
  const outcomes = await Promise.all(
    texts.map(async (text) => (await service.provision([createSource('a', text)])).snapshotId),
  );
  assert.deepEqual(outcomes, [1, 2, 3]);
  assert.equal(snapshots.list().length, 3);
});

/** Starts a gateway whose work is interrupted at each step. */
function startInSteps(t: TestContext, onTurn: () => void) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const snapshots = new SnapshotStore(store, new ManualClock());
  const service = new ConfigurationStore({
    snapshots,
    factories: () => FACTORIES,
    createMissingIdentity: () => Promise.resolve(true),
    logger: createMemoryLogger(),
    clock: createSlicingClock(onTurn),
  });
  return { snapshots, service };
}

test('a stored configuration is active before anything else has its turn', async (t) => {
  const seen = new Set<string>();
  const { snapshots, service } = startInSteps(t, () => {
    if (isLoaded) seen.add(`${snapshots.findNewestId()}: ${service.current().plant.drivers.length}`);
  });
  let isLoaded = false;
  await service.provision([]);
  isLoaded = true;
  await service.provision([createSource('a', LINE_2)]);
  await service.change({
    basis: undefined,
    isDryRun: false,
    needsConfirmation: false,
    author: 'scada',
    edit: (document) => ({ ...document, drivers: [], rest: { basicAuthenticationEnabled: true } }),
  });
  assert.deepEqual([...seen], ['0: 0', '1: 1']);
  assert.deepEqual([snapshots.findNewestId(), service.current().plant.drivers], [2, []]);
});

test('a stored snapshot that is no longer valid is checked in steps', async (t) => {
  let turns = 0;
  const { snapshots, service } = startInSteps(t, () => (turns += 1));
  const drivers = Array.from({ length: 50 }, (_, index) => ({ ...PLANT.drivers[0], pid: `line${index}` }));
  snapshots.save({ drivers: drivers.with(49, { pid: 'line49', type: 'bench' }) });
  assert.equal((await refusalOf(service, [])).code, 'SNAPSHOT_INVALID');
  // With the sources, and without them.
  assert.ok(turns >= 2 * drivers.length, `${turns} turns`);
});
