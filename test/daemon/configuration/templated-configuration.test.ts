import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { DocumentError } from '../../../daemon/base/document-error.ts';
import { formatPath } from '../../../daemon/base/schema.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { ConfigurationError } from '../../../daemon/configuration/configuration-error.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import type { TemplateSource } from '../../../daemon/configuration/asset-templates.ts';
import { LoadedTemplates } from '../../../daemon/plant/template/loaded-templates.ts';
import { parseTemplate } from '../../../daemon/plant/template/template.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createSource, FACTORIES } from './plant-fixture.ts';

const LINE = { pid: 'line1', type: 'bench', host: '192.0.2.7' };
const ASSET = { pid: 'heating', driver: 'line1', template: 'meter', parameters: { base: 100 } };
const PLANT = { drivers: [LINE], assets: [ASSET] };
const METER = {
  name: 'meter',
  title: 'Meter',
  manufacturer: 'Example',
  model: 'M1',
  source: 'Register list, revision 3',
  driver: 'bench',
  parameters: { base: { type: 'integer', default: 0, description: 'First register' } },
  channels: [
    { name: 'power', type: 'READ', valueType: 'INTEGER', unit: 'W', address: { offset: '$base' } },
    { name: 'energy', type: 'READ', valueType: 'LONG', address: { offset: '=$base + 2' } },
  ],
};

/** A library whose files a test changes: by name, the content of each. */
function createLibrary(files: Map<string, unknown>): TemplateSource {
  return {
    load(names, kept, first) {
      const loaded = new LoadedTemplates([...files.keys()]);
      for (const name of names) {
        const [one, other] = first === 'KEPT' ? [kept[name], files.get(name)] : [files.get(name), kept[name]];
        const content = one ?? other;
        const { value: template, faults } = parseTemplate(content);
        if (template === undefined) loaded.add(name, { faults });
        else loaded.add(name, { template, content, isKept: first === 'FILES' && one === undefined });
      }
      return Promise.resolve(loaded);
    },
  };
}

async function setUp(t: TestContext) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const files = new Map<string, unknown>([['meter', METER]]);
  const create = () =>
    new ConfigurationStore({
      snapshots: new SnapshotStore(store, new ManualClock()),
      factories: () => FACTORIES,
      templates: createLibrary(files),
      createMissingIdentity: () => Promise.resolve(false),
      logger: createMemoryLogger(),
      clock: new ManualClock(),
    });
  const service = create();
  await service.provision([]);
  return { service, files, restart: create };
}

function put(service: ConfigurationStore, document: unknown, isDryRun = false, needsConfirmation = false) {
  return service.change({ basis: undefined, edit: () => document, isDryRun, needsConfirmation });
}

async function listFaults(change: Promise<unknown>): Promise<readonly string[]> {
  const error = await change.then(
    () => assert.fail('the change was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof DocumentError, String(error));
  return error.faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

function listChannels(service: ConfigurationStore) {
  const [asset] = service.current().plant.assets;
  return asset?.channels.map(({ name, unit, address }) => [
    name,
    unit,
    (address as { offset: number }).offset,
  ]);
}

test('an asset with a template has the channels that come of it, and is shown as it was set', async (t) => {
  const { service } = await setUp(t);
  const { plan } = await put(service, PLANT);
  assert.deepEqual(plan.added, ['drivers/line1', 'assets/heating']);
  assert.deepEqual(listChannels(service), [
    ['power', 'W', 100],
    ['energy', undefined, 102],
  ]);
  assert.deepEqual((await service.show()).document, PLANT);
});

test('channels beside a template change those of the same name, field by field, or follow them', async (t) => {
  const { service } = await setUp(t);
  const channels = [
    { name: 'extra', type: 'READ', valueType: 'INTEGER', address: { offset: 7 } },
    { name: 'power', unit: 'kW' },
    { name: 'energy', address: { offset: 9 } },
  ];
  await put(service, { ...PLANT, assets: [{ ...ASSET, channels }] });
  assert.deepEqual(listChannels(service), [
    ['power', 'kW', 100],
    ['energy', undefined, 9],
    ['extra', undefined, 7],
  ]);
});

test('an unknown template is refused with the name that may be meant', async (t) => {
  const { service } = await setUp(t);
  const document = { ...PLANT, assets: [{ ...ASSET, template: 'metre' }] };
  assert.deepEqual(await listFaults(put(service, document)), [
    'assets[0].template: unknown template "metre"; did you mean "meter"?',
  ]);
});

test('parameters that do not fit are refused at their place', async (t) => {
  const { service } = await setUp(t);
  const asset = { ...ASSET, parameters: { base: '5', bas: 1 } };
  assert.deepEqual(await listFaults(put(service, { ...PLANT, assets: [asset] })), [
    'assets[0].parameters.bas: is not a parameter of the template; did you mean "base"?; see template "meter"',
    'assets[0].parameters.base: expected a whole number; see template "meter"',
  ]);
  const { template: _template, ...without } = ASSET;
  assert.match(
    (await listFaults(put(service, { ...PLANT, assets: [without] })))[0] ?? '',
    /parameters require a template/,
  );
});

test('a fault of a channel names the template and its place, or the place beside it', async (t) => {
  const { service } = await setUp(t);
  const channels = [{ name: 'energy', valueType: 'WEIGHT' }, { name: 'lone' }];
  const asset = { ...ASSET, parameters: { base: -2 }, channels };
  const faults = await listFaults(put(service, { ...PLANT, assets: [asset] }));
  assert.match(faults[0] ?? '', /^assets\[0\]\.template: template "meter", channels\[0\]\.address\.offset: /);
  assert.match(faults[1] ?? '', /^assets\[0\]\.channels\[0\]\.valueType: /);
  assert.match(faults[2] ?? '', /^assets\[0\]\.channels\[1\]\.type: is missing/);
});

test('a fault of a channel of a template keeps its codes and values, after that of its place', async (t) => {
  const { service } = await setUp(t);
  const asset = { ...ASSET, parameters: { base: -2 } };
  const error = await put(service, { ...PLANT, assets: [asset] }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof DocumentError);
  assert.deepEqual(
    error.faults[0]?.reasons?.map(({ code, parameters }) => [code, parameters]),
    [
      ['IN_TEMPLATE', { template: 'meter', place: 'channels[0].address.offset' }],
      ['EXPECTED_AT_LEAST', { bound: '0' }],
    ],
  );
});

test('a template for another kind of driver is refused', async (t) => {
  const { service, files } = await setUp(t);
  files.set('meter', { ...METER, driver: 'modbus' });
  const faults = await listFaults(put(service, PLANT));
  assert.match(faults[0] ?? '', /for driver type modbus; the driver of the asset has type bench/);
});

test('two channels of one name beside a template are refused', async (t) => {
  const { service } = await setUp(t);
  const own = { name: 'power', type: 'READ', valueType: 'INTEGER', address: { offset: 1 } };
  const asset = { ...ASSET, channels: [own, own] };
  assert.deepEqual(await listFaults(put(service, { ...PLANT, assets: [asset] })), [
    'assets[0].channels[1].name: "power" is used twice',
  ]);
});

test('assets may not have more channels of templates than a plant together', async (t) => {
  const { service, files } = await setUp(t);
  const [channel] = METER.channels;
  const group = { repeat: { index: 'n', to: 5000 }, channels: [{ ...channel, name: 'c$n' }] };
  files.set('meter', { ...METER, channels: [group] });
  const assets = Array.from({ length: 30 }, (_, index) => ({ ...ASSET, pid: `a${index}` }));
  assert.deepEqual(await listFaults(put(service, { ...PLANT, assets })), [
    'assets[20].template: the templates of all assets create more than 100000 channels',
  ]);
});

test('a template that changes takes effect at the next change, whose plan says so, and not at a start', async (t) => {
  const { service, files, restart } = await setUp(t);
  await put(service, PLANT);
  files.set('meter', { ...METER, channels: METER.channels.slice(0, 1) });
  const restarted = restart();
  await restarted.provision([]);
  assert.equal(listChannels(restarted)?.length, 2);

  const other = { ...PLANT, rest: { basicAuthenticationEnabled: true } };
  const { plan } = await put(restarted, other, true);
  assert.deepEqual(plan.changedTemplates, ['meter']);
  assert.deepEqual(plan.changed, ['rest/basicAuthenticationEnabled', 'assets/heating']);
  assert.deepEqual(plan.cutsOff, ['reads of energy of asset heating']);
  assert.equal(listChannels(restarted)?.length, 2);
  await put(restarted, other);
  assert.equal(listChannels(restarted)?.length, 1);
  assert.equal((await put(restarted, other)).plan.changedTemplates, undefined);
});

test('the same document again takes a changed template over', async (t) => {
  const { service, files } = await setUp(t);
  await put(service, PLANT);
  files.set('meter', { ...METER, channels: METER.channels.slice(0, 1) });
  const { isSaved, plan } = await put(service, PLANT);
  assert.deepEqual([isSaved, plan.changed], [true, ['assets/heating']]);
  assert.equal(listChannels(service)?.length, 1);
  assert.equal((await put(service, PLANT)).isSaved, false);
});

test('a template that is gone stays in force, and every plan warns of it', async (t) => {
  const { service, files, restart } = await setUp(t);
  await put(service, PLANT);
  files.delete('meter');
  const restarted = restart();
  await restarted.provision([]);
  assert.equal(listChannels(restarted)?.length, 2);
  const { plan } = await put(restarted, { ...PLANT, rest: { basicAuthenticationEnabled: true } });
  assert.match(plan.warnings?.join() ?? '', /template "meter" is missing/);
  const moved = { ...PLANT, assets: [{ ...ASSET, parameters: { base: 5 } }] };
  await put(restarted, moved);
  assert.deepEqual(listChannels(restarted)?.[0], ['power', 'W', 5]);
});

test('a change that is reverted brings its earlier template back', async (t) => {
  const { service, files } = await setUp(t);
  await put(service, PLANT);
  files.set('meter', { ...METER, channels: METER.channels.slice(0, 1) });
  await put(service, { ...PLANT, rest: { basicAuthenticationEnabled: true } }, false, true);
  assert.equal(listChannels(service)?.length, 1);
  await service.revertUnconfirmed();
  assert.equal(listChannels(service)?.length, 2);
});

test('a snapshot is put in force again with its template when that is gone by now', async (t) => {
  const { service, files } = await setUp(t);
  const { snapshotId } = await put(service, PLANT);
  await put(service, { drivers: [LINE] });
  files.delete('meter');
  const { plan } = await put(service, service.getDocumentOf(snapshotId));
  assert.deepEqual(plan.added, ['assets/heating']);
  assert.match(plan.warnings?.join() ?? '', /template "meter" is missing/);
  assert.equal(listChannels(service)?.length, 2);
});

test('a document that was put in force again has the templates of the changes since', async (t) => {
  const { service, files } = await setUp(t);
  const { snapshotId } = await put(service, PLANT);
  await put(service, { drivers: [LINE] });
  await put(service, service.getDocumentOf(snapshotId));
  const same = {
    basis: undefined,
    edit: (document: unknown) => document,
    isDryRun: false,
    needsConfirmation: false,
  };
  files.set('meter', { ...METER, channels: METER.channels.slice(0, 1) });
  assert.equal((await service.change(same)).isSaved, true);
  files.delete('meter');
  assert.equal((await service.change(same)).isSaved, false);
  assert.equal(listChannels(service)?.length, 1);
});

test('a provision file may use a template, and a fault is reported at its line', async (t) => {
  const { service } = await setUp(t);
  const text = (template: string) => `drivers:
  - { pid: line1, type: bench, host: a }
assets:
  - pid: heating
    driver: line1
    template: ${template}
`;
  await service.provision([createSource('a.yaml', text('meter'))]);
  assert.equal(listChannels(service)?.length, 2);
  await assert.rejects(service.provision([createSource('a.yaml', text('metre'))]), (error) => {
    assert.ok(error instanceof ConfigurationError);
    const [fault] = error.faults;
    assert.deepEqual([fault?.file, fault?.line, fault?.key], ['a.yaml', 6, 'assets[0].template']);
    return true;
  });
});
