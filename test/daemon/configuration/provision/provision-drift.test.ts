import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { InvalidRequest } from '../../../../daemon/base/errors.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { ConfigurationStore } from '../../../../daemon/configuration/store/configuration-store.ts';
import type { ManagedDocument } from '../../../../daemon/configuration/managed-document.ts';
import { findDrift } from '../../../../daemon/configuration/provision/drift.ts';
import type { PartOrigin } from '../../../../daemon/configuration/provision/provision-origins.ts';
import { ProvisionDrift } from '../../../../daemon/configuration/provision/provision-drift.ts';
import type { ProvisionedIdentity } from '../../../../daemon/configuration/provision/provision-document.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../../daemon/configuration/store/snapshot-store.ts';
import {
  identityMigrations,
  SqliteIdentityStore,
} from '../../../../daemon/security/identity/sqlite-identity-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createSource, FACTORIES } from '../plant-fixture.ts';

const LINE = 'drivers: [{pid: line1, type: bench, host: 192.0.2.7, password: secret-1}]\n';
const BOTH = `${LINE}assets: [{pid: boiler, driver: line1, channels: []}]\n`;
const PERSON = 'identities: [{name: scada, permissions: [rest.assets, rest.audit]}]\n';

/** A gateway with identities, whose daemon can be started again on the same state. */
function createGateway(t: TestContext) {
  const store = openStore(':memory:', [identityMigrations, configurationMigrations]);
  t.after(() => store.close());
  const clock = new ManualClock();
  const snapshots = new SnapshotStore(store, clock);
  const identities = new SqliteIdentityStore(store, clock);
  const create = async ({
    name,
    permissions,
    grants,
    secondFactorRequired,
  }: ProvisionedIdentity): Promise<boolean> => {
    if (identities.find(name) !== undefined) return false;
    identities.create({ name, permissions, grants, passwordChangeNeeded: false, secondFactorRequired });
    return true;
  };
  const start = (createMissingIdentity = create) =>
    new ConfigurationStore({
      snapshots,
      factories: () => FACTORIES,
      createMissingIdentity,
      identities,
      logger: createMemoryLogger(),
      clock,
    });
  const configuration = start();
  const drift = new ProvisionDrift({
    snapshots,
    identities,
    describe: () => configuration.describe(),
    clock,
  });
  return {
    store,
    snapshots,
    identities,
    start,
    create,
    drift,
    /** Merges these files, by name. */
    merge: (files: Readonly<Record<string, string>>) =>
      configuration.provision(Object.entries(files).map(([name, text]) => createSource(name, text))),
    /** Changes the configuration as the REST API does. */
    change: (edit: (document: ManagedDocument) => unknown) =>
      configuration.change({ basis: undefined, edit, isDryRun: false, needsConfirmation: false }),
    states: async () => {
      const drifted = await drift.list();
      return drifted.map(({ part, state, source }) => [part.join('/'), state, source]);
    },
  };
}

test('what the files say is no drift, nor is what was made by other means', async (t) => {
  const { merge, change, states } = createGateway(t);
  await merge({ a: BOTH, b: 'banners: {preLogin: {enabled: true}}\n', c: PERSON });
  const other = { pid: 'line2', type: 'bench', host: '192.0.2.8' };
  await change((document) => ({ ...document, drivers: [...(document['drivers'] as []), other] }));
  await merge({ a: BOTH, b: 'banners: {preLogin: {enabled: true}}\n', c: PERSON });
  assert.deepEqual(await states(), []);
});

test('an item that was removed before a start and is made again after it does not come from its file', async (t) => {
  const { merge, change, states, drift, start } = createGateway(t);
  await merge({ a: BOTH });
  await merge({ a: LINE });
  await change((document) => drift.prune(document));
  await start().provision([createSource('a', LINE)]);
  const boiler = { pid: 'boiler', driver: 'line1', channels: [] };
  await change((document) => ({ ...document, assets: [boiler] }));
  assert.deepEqual(await states(), []);
});

test('an item that its file no longer names has vanished, and prune removes it alone', async (t) => {
  const { merge, change, states, drift, snapshots } = createGateway(t);
  await merge({ a: BOTH });
  await merge({ a: LINE });
  assert.deepEqual(await states(), [['assets/boiler', 'VANISHED', 'a']]);
  await change((document) => drift.prune(document));
  assert.deepEqual(Object.keys(snapshots.findNewest()?.document ?? {}), ['drivers']);
  assert.deepEqual(await states(), []);
});

test('everything of a file that is gone has vanished: items, settings and identities', async (t) => {
  const { merge, states, drift } = createGateway(t);
  const banner = 'banners: {preLogin: {enabled: true, message: hello}}\n';
  await merge({ a: `${BOTH}${PERSON}${banner}`, b: 'banners: {postLogin: {enabled: true}}\n' });
  await merge({ b: 'banners: {postLogin: {enabled: true}}\n' });
  assert.deepEqual(await states(), [
    ['assets/boiler', 'VANISHED', 'a'],
    ['banners/preLogin/enabled', 'VANISHED', 'a'],
    ['banners/preLogin/message', 'VANISHED', 'a'],
    ['drivers/line1', 'VANISHED', 'a'],
    ['identities/scada', 'VANISHED', 'a'],
  ]);
  assert.deepEqual(
    await drift.prune({
      banners: { preLogin: { enabled: true, message: 'hello' }, postLogin: { enabled: true } },
    }),
    {
      banners: { postLogin: { enabled: true } },
    },
  );
  assert.deepEqual(await drift.listVanishedIdentities(), ['scada']);
});

test('a file under another name keeps what it names', async (t) => {
  const { merge, states } = createGateway(t);
  await merge({ a: `${BOTH}${PERSON}` });
  await merge({ z: `${BOTH}${PERSON}` });
  assert.deepEqual(await states(), []);
  await merge({});
  assert.deepEqual(
    (await states()).map(([, , source]) => source),
    ['z', 'z', 'z'],
  );
});

test('what is changed by other means differs from its file, key by key and without secrets', async (t) => {
  const { merge, change, drift } = createGateway(t);
  await merge({ a: LINE });
  await change(() => ({
    drivers: [{ pid: 'line1', type: 'bench', host: '192.0.2.9', password: 'secret-2' }],
  }));
  assert.deepEqual(await drift.list(), [
    {
      part: ['drivers', 'line1'],
      state: 'CHANGED',
      source: 'a',
      differences: [
        { key: 'host', file: '192.0.2.7', inForce: '192.0.2.9' },
        { key: 'password', file: { isSet: true }, inForce: { isSet: true } },
      ],
    },
  ]);
  assert.deepEqual(await drift.prune({ drivers: [{ pid: 'line1' }] }), { drivers: [{ pid: 'line1' }] });
});

test('what was changed and then vanished from its file is taken over: it is kept', async (t) => {
  const { merge, change, states, drift, identities } = createGateway(t);
  await merge({ a: `${LINE}${PERSON}` });
  await change(() => ({ drivers: [{ pid: 'line1', type: 'bench', host: '192.0.2.9' }] }));
  identities.setPermissions('scada', ['rest.assets']);
  await merge({});
  assert.deepEqual(await states(), [
    ['drivers/line1', 'TAKEN_OVER', 'a'],
    ['identities/scada', 'TAKEN_OVER', 'a'],
  ]);
  assert.deepEqual(await drift.listVanishedIdentities(), []);
});

test('what a file names and somebody removed is shown', async (t) => {
  const { merge, change, states, identities } = createGateway(t);
  await merge({ a: `${LINE}${PERSON}` });
  await change(() => ({}));
  identities.remove('scada');
  assert.deepEqual(await states(), [
    ['drivers/line1', 'REMOVED', 'a'],
    ['identities/scada', 'REMOVED', 'a'],
  ]);
});

test('of an item that two files name, the later one counts, and the earlier one after it', async (t) => {
  const { merge, states } = createGateway(t);
  const later = LINE.replace('192.0.2.7', '192.0.2.8');
  await merge({ a: LINE, b: later });
  assert.deepEqual(await states(), []);
  await merge({ a: LINE });
  assert.deepEqual(await states(), [['drivers/line1', 'CHANGED', 'a']]);
});

test('the grants of an identity count as its permissions do', async (t) => {
  const { merge, states, identities } = createGateway(t);
  const grant = { assets: ['line1-*'], operations: ['READ'] } as const;
  const file = `identities: [{name: scada, permissions: [], grants: [${JSON.stringify(grant)}]}]\n`;
  await merge({ a: file });
  assert.deepEqual(await states(), []);
  await merge({});
  assert.deepEqual(await states(), [['identities/scada', 'VANISHED', 'a']]);
  identities.change('scada', { grants: [grant, { ...grant, assets: ['boiler'] }] });
  assert.deepEqual(await states(), [['identities/scada', 'TAKEN_OVER', 'a']]);
});

test('a second factor that is no longer required, or is now, is drift', async (t) => {
  const { merge, states, identities } = createGateway(t);
  const required = PERSON.replace('scada,', 'scada, secondFactorRequired: true,');
  await merge({ a: required, b: PERSON.replace('scada', 'panel') });
  assert.deepEqual(await states(), []);
  identities.change('scada', { secondFactorRequired: false });
  identities.change('panel', { secondFactorRequired: true });
  assert.deepEqual(await states(), [
    ['identities/panel', 'CHANGED', 'b'],
    ['identities/scada', 'CHANGED', 'a'],
  ]);
});

test('an identity that was there before its file, or was made anew since, does not vanish', async (t) => {
  const { merge, states, identities } = createGateway(t);
  identities.create({
    name: 'scada',
    permissions: ['rest.audit', 'rest.assets'],
    passwordChangeNeeded: false,
  });
  await merge({ a: PERSON, b: PERSON.replace('scada', 'panel') });
  identities.remove('panel');
  identities.create({
    name: 'panel',
    permissions: ['rest.assets', 'rest.audit'],
    passwordChangeNeeded: false,
  });
  assert.deepEqual(await states(), []);
  await merge({});
  assert.deepEqual(await states(), []);
});

test('after a crash between an identity and the record it is known that the identity came from its file', async (t) => {
  const { merge, start, create, states } = createGateway(t);
  const source = createSource('a', PERSON.replace(']}]', ']}, {name: panel}]'));
  const crashing = start(async (identity) => {
    if (identity.name === 'panel') return new Promise<boolean>(() => undefined);
    return create(identity);
  });
  // It never resolves: all that it did is on disk, and the process is gone.
  void crashing.provision([source]);
  await new Promise(setImmediate);
  await merge({ a: PERSON.replace(']}]', ']}, {name: panel}]') });
  await merge({});
  assert.deepEqual(await states(), [
    ['identities/panel', 'VANISHED', 'a'],
    ['identities/scada', 'VANISHED', 'a'],
  ]);
});

test('an identity that was refused, and made by somebody later, did not come from the file', async (t) => {
  const { merge, start, states, identities } = createGateway(t);
  const refusing = start(async () => {
    throw new InvalidRequest({ code: 'PERMISSION_INVALID', detail: 'no' });
  });
  await assert.rejects(refusing.provision([createSource('a', PERSON)]));
  identities.create({
    name: 'scada',
    permissions: ['rest.assets', 'rest.audit'],
    passwordChangeNeeded: false,
  });
  await merge({ a: PERSON });
  await merge({});
  assert.deepEqual(await states(), []);
});

test('of the state of an earlier release only what files name now is known, and the rest is never pruned', async (t) => {
  const { merge, store, states, drift } = createGateway(t);
  await merge({ a: `${LINE}${PERSON}`, b: 'assets: [{pid: boiler, driver: line1, channels: []}]\n' });
  store.database.exec('DELETE FROM provision_origin; DELETE FROM provision_origin_state');
  await merge({ a: LINE });
  assert.deepEqual(await states(), [
    ['assets/boiler', 'UNKNOWN', undefined],
    ['identities/scada', 'UNKNOWN', undefined],
  ]);
  assert.deepEqual(await drift.prune({ assets: [{ pid: 'boiler' }] }), { assets: [{ pid: 'boiler' }] });
  assert.deepEqual(await drift.listVanishedIdentities(), []);
  await merge({});
  assert.deepEqual(
    (await states()).find(([part]) => part === 'drivers/line1'),
    ['drivers/line1', 'VANISHED', 'a'],
  );
});

test('a prune that was undone has vanished parts again', async (t) => {
  const { merge, change, states, drift, snapshots } = createGateway(t);
  await merge({ a: BOTH });
  await merge({});
  const before = snapshots.findNewest()?.document ?? {};
  await change((document) => drift.prune(document));
  assert.deepEqual(await states(), []);
  await change(() => before);
  assert.equal((await states()).length, 2);
});

test('what differs within one large item is found in steps', () => {
  const asset = (offset: number): { readonly pid: string } & Record<string, unknown> => ({
    pid: 'a',
    channels: Array.from({ length: 50 }, (_, index) => ({ name: `c${index}`, offset })),
  });
  const origin: PartOrigin = {
    part: ['assets', 'a'],
    source: 'plant.yaml',
    isNamed: true,
    content: asset(1),
    identityId: undefined,
  };
  const subject = {
    document: { assets: [asset(2)] },
    identities: { find: () => undefined, list: () => [] },
    hide: (_part: unknown, content: unknown) => content,
  };
  assert.ok([...findDrift([origin], subject)].length > 50);
  assert.equal(finish(findDrift([origin], subject))[0]?.differences.length, 50);
});
