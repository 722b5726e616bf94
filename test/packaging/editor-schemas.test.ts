import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { Ajv } from 'ajv';

import { checkConfiguration } from '../../daemon/compose/configuration-check.ts';
import { loadSettingsFile } from '../../daemon/settings/settings-file.ts';
import { EDITOR_DIALECT, SCHEMA_DIRECTORY, writeSchemaLine } from '../../daemon/settings/editor-schema.ts';
import { parseYaml } from '../../daemon/settings/yaml-document.ts';
import { describeForEditors, layEditorSchemas } from '../../packaging/editor-schemas.ts';
import { writeExampleConfiguration } from '../../packaging/example-configuration.ts';
import { listPages, readBlocks } from '../support/documented-commands.ts';
import { listUnportablePatterns, validateElsewhere } from '../support/json-schema.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

type Kind = 'penstock' | 'provision' | 'template';

/** A file, and what it is. */
interface Example {
  readonly kind: Kind;
  readonly name: string;
  readonly value: unknown;
}

const SCHEMAS = describeForEditors();
const TEMPLATES = path.resolve(import.meta.dirname, '../../packaging/templates');

function read(kind: Kind, name: string, text: string): Example {
  return { kind, name, value: parseYaml(Buffer.from(text)).value };
}

function schemaOf(kind: Kind): Readonly<Record<string, unknown>> {
  return SCHEMAS[`${kind}.schema.json`] ?? assert.fail(kind);
}

/** Everything that the project gives people as an example. */
function listExamples(): readonly Example[] {
  const settings = writeExampleConfiguration();
  const uncommented = settings.replaceAll(/^#(?=\S|  +\w+:)/gm, '').replace(/^provision:$/m, '');
  const templates = readdirSync(TEMPLATES).map((name) =>
    read('template', name, readFileSync(path.join(TEMPLATES, name), 'utf8')),
  );
  const sections = new Set(Object.keys(schemaOf('provision')['properties'] as object));
  const blocks = listPages()
    .flatMap(readBlocks)
    .filter(({ language }) => language === 'yaml')
    .map(({ page, line, text }) => read('penstock', `${page}:${line}`, text))
    // A part of a template stands for no file.
    .filter(({ value }) => typeof value === 'object' && !Array.isArray(value))
    .map((example): Example => {
      const keys = Object.keys(example.value as object);
      return keys.every((key) => sections.has(key))
        ? Object.assign({}, example, { kind: 'provision' } as const)
        : example;
    });
  return [
    read('penstock', 'penstock.yaml', settings),
    read('penstock', 'penstock.yaml, uncommented', uncommented),
    ...templates,
    ...blocks,
  ];
}

const CHANNEL = {
  name: 'flow',
  type: 'READ',
  valueType: 'INTEGER',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' },
};
const DRIVER = { pid: 'line1', type: 'modbus', host: '192.0.2.7' };
const ASSET = { pid: 'boiler', driver: 'line1', channels: [CHANNEL] };

function plant(driver: object, asset: object = {}, channel: object = {}): object {
  const channels = [{ ...CHANNEL, ...channel }];
  return { drivers: [{ ...DRIVER, ...driver }], assets: [{ ...ASSET, channels, ...asset }] };
}

/** Provision files that the gateway refuses. */
const WRONG: readonly object[] = [
  { drivrs: [] },
  { rest: { allowedPorts: [70_000] } },
  { rest: { basicAuthenticationEnable: true } },
  { identities: [{ name: 'scada', color: 'red' }] },
  { identities: [{ name: 'scada', permissions: 'rest.assets' }] },
  { drivers: [{ type: 'modbus', host: '192.0.2.7' }] },
  { tokenIssuingServices: [{ pid: 'local', algorithm: 'HS256' }] },
  plant({ host: undefined }),
  plant({ port: 'five' }),
  plant({ transport: 'rtu' }),
  plant({ baudRate: 9600 }),
  plant({ type: 'opcua' }),
  plant({ callDeadlineMs: 1 }),
  plant({}, { chanels: [] }),
  plant({}, { driver: undefined }),
  plant({}, { parameters: { unitId: 3 } }),
  plant({}, {}, { valueType: 'WEIGHT' }),
  plant({}, {}, { name: 'a/b' }),
  plant({}, {}, { address: { ...CHANNEL.address, offset: -1 } }),
  plant({}, {}, { address: { ...CHANNEL.address, table: 'REGISTERS' } }),
  plant({}, {}, { address: { offset: 1, dataType: 'INT16' } }),
  plant({}, {}, { address: { ...CHANNEL.address, register: 40_001 } }),
];

/** Content of `penstock.yaml` that the gateway refuses. */
const WRONG_SETTINGS: readonly object[] = [
  { httpx: {} },
  { http: { httpsPorts: 443 } },
  { http: { httpsPorts: [-1] } },
  { log: { level: 'loud' } },
  { deployment: { signaturePolicy: 'maybe' } },
  { audit: { syslog: { port: 0 } } },
  { shutdownTimeoutSeconds: 0 },
  ...WRONG.map((provision) => ({ provision })),
];

const TEMPLATE = read(
  'template',
  'example',
  readFileSync(path.join(TEMPLATES, 'example-heating.yaml'), 'utf8'),
).value as object;
const WRONG_TEMPLATES: readonly object[] = [
  { name: 'x' },
  { ...TEMPLATE, titel: 'x' },
  { ...TEMPLATE, channels: [] },
  { ...TEMPLATE, channels: [{ ...CHANNEL, valueType: 'WEIGHT' }] },
];

/** Right ones that are easily refused by mistake. */
const RIGHT: readonly unknown[] = [
  null,
  { rest: null, drivers: null },
  plant({}),
  // The kind of driver of a package, and its addresses.
  {
    drivers: [{ pid: 'x', type: 'knx', bus: 7 }],
    assets: [{ ...ASSET, driver: 'x', channels: [{ ...CHANNEL, address: { group: '1/2/3' } }] }],
  },
  {
    drivers: [DRIVER],
    assets: [
      { pid: 'b', driver: 'line1', template: 'example-heating', channels: [{ name: 'flow', unit: 'K' }] },
    ],
  },
  plant({ transport: 'rtu', device: '/dev/ttyS0', host: undefined }),
];

function clean(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

const all: readonly Example[] = [
  ...RIGHT.map((value): Example => ({ kind: 'provision', name: 'right', value: clean(value) })),
  ...RIGHT.map((provision): Example => ({ kind: 'penstock', name: 'right', value: clean({ provision }) })),
  { kind: 'penstock', name: 'nothing', value: null },
  ...listExamples(),
];

for (const kind of ['penstock', 'provision', 'template'] as const) {
  const right = all.filter((example) => example.kind === kind);
  const wrong = { penstock: WRONG_SETTINGS, provision: WRONG, template: WRONG_TEMPLATES }[kind].map(clean);

  test(`ajv accepts every example of ${kind} and refuses what the gateway refuses`, () => {
    const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false });
    // An annotation of the gateway: the setting says where secrets are sent.
    ajv.addKeyword('x-target');
    const validate = ajv.compile(schemaOf(kind));
    for (const { name, value } of right)
      assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
    for (const value of wrong) assert.ok(!validate(value), JSON.stringify(value));
  });

  test(`the validator of Python draws the same line for ${kind}`, needs('jsonschema'), () => {
    assert.equal(schemaOf(kind)['$schema'], EDITOR_DIALECT);
    const documents = [...right.map(({ value }) => value), ...wrong];
    const verdicts = validateElsewhere(schemaOf(kind), documents);
    const mistaken = documents.filter((_, index) => verdicts[index] !== index < right.length);
    assert.deepEqual(mistaken, []);
  });

  test(`every pattern for ${kind} can be compiled elsewhere`, () => {
    assert.deepEqual(listUnportablePatterns(schemaOf(kind)), []);
  });
}

test('the gateway refuses what the schemas refuse', async (t) => {
  for (const document of WRONG_SETTINGS) {
    await assert.rejects(checkAsGateway(t, clean(document)), JSON.stringify(document));
  }
  await checkAsGateway(t, { provision: plant({}) });
});

async function checkAsGateway(t: TestContext, settings: unknown): Promise<void> {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'penstock.yaml');
  writeFileSync(
    file,
    JSON.stringify({ dataDirectory: path.join(directory, 'data'), ...(settings as object) }),
  );
  const loaded = await loadSettingsFile(file);
  await checkConfiguration({ loaded, logger: createMemoryLogger(), clock: new ManualClock() });
}

test('keys of drivers, channels and settings are described, with their defaults', () => {
  const text = JSON.stringify(SCHEMAS['penstock.schema.json']);
  for (const part of [
    '"Lowest level that is logged"',
    '"default":"info"',
    '"title":"Driver modbus"',
    '"title":"Address of a driver opcua"',
    '"Maximum duration of one read or write of an asset, including the time in the queue, in milliseconds"',
  ]) {
    assert.ok(text.includes(part), part);
  }
});

test('the package has the schemas where the first line of its files says', async (t) => {
  const tree = createTemporaryDirectory(t);
  mkdirSync(path.join(tree, 'usr'));
  await layEditorSchemas(path.join(tree, SCHEMA_DIRECTORY));
  const files = [
    writeExampleConfiguration(),
    ...readdirSync(TEMPLATES).map((name) => readFileSync(path.join(TEMPLATES, name), 'utf8')),
  ];
  for (const text of files) {
    const [, file = ''] = /^# yaml-language-server: \$schema=(\/.+)\n/.exec(text) ?? [];
    assert.equal(typeof JSON.parse(readFileSync(path.join(tree, file), 'utf8')), 'object');
  }
  assert.ok(files[0]?.startsWith(writeSchemaLine('penstock')));
});
