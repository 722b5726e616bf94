import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { MAXIMUM_HISTORY_RECORDS } from '../daemon/plant/asset/change-history.ts';
import { checkPlant } from '../daemon/plant/asset/plant-config.ts';
import { finish } from '../daemon/base/slices.ts';
import { AUDIT_EVENTS } from '../daemon/interface/security/audit-event.ts';
import { BURST, EVENTS_PER_SECOND } from '../daemon/security/audit/audit-rate-limiter.ts';
import { MAXIMUM_EVENTS } from '../daemon/security/audit/sqlite-audit-store.ts';
import { systemClock } from '../daemon/base/clock.ts';
import { z } from '../daemon/base/schema.ts';
import { createChannelSchema } from '../daemon/channel/channel.ts';
import { COMMAND_GROUPS } from '../daemon/cli/command-groups.ts';
import { checkConfiguration } from '../daemon/compose/configuration-check.ts';
import { composeGateway } from '../daemon/compose/gateway.ts';
import { systemHostServices } from '../daemon/compose/host-services.ts';
import { LIST_SECTIONS, OBJECT_SECTIONS } from '../daemon/configuration/managed-document.ts';
import { checkProvisionDocument } from '../daemon/configuration/provision/provision-document.ts';
import { MAXIMUM_KEPT_EVENTS } from '../daemon/server/event/event-log.ts';
import {
  FORGET_AFTER_MS,
  MAXIMUM_DELAY_SECONDS,
} from '../daemon/security/identity/attempt/attempt-counter.ts';
import { MAXIMUM_WAITING } from '../daemon/security/identity/attempt/attempt-limiter.ts';
import {
  FREE_FAILURES,
  FREE_FAILURES_OF_ADDRESS,
} from '../daemon/security/identity/attempt/attempt-table.ts';
import {
  MAXIMUM_HASHES_AT_ONCE,
  MAXIMUM_HASHES_WAITING,
} from '../daemon/security/identity/password/password-hash-pool.ts';
import { REMEMBER_VERIFIED_MS } from '../daemon/security/identity/provider/basic-provider.ts';
import { listAuditEvents } from '../daemon/interface/security/audit.ts';
import { channelsQuery } from '../daemon/interface/plant/assets.ts';
import { decodeRequest } from '../daemon/interface/plant/commissioning.ts';
import { MAXIMUM_CELL_LENGTH, MAXIMUM_COLUMNS, MAXIMUM_ROWS } from '../daemon/base/text/csv.ts';
import { MAXIMUM_WAITING_REQUESTS, STALL_LIMIT_MS } from '../daemon/server/http/connection/connection.ts';
import {
  MAXIMUM_CONNECTIONS,
  MAXIMUM_KNOWN_PER_NETWORK,
  MAXIMUM_STRANGERS_PER_NETWORK,
} from '../daemon/server/http/connection/connection-table.ts';
import { MAXIMUM_STREAMS, MAXIMUM_STREAMS_PER_IDENTITY } from '../daemon/server/http/stream/event-streams.ts';
import { MAXIMUM_DEPTH, MAXIMUM_NAMES, MAXIMUM_VALUES } from '../daemon/server/http/body/json-body.ts';
import { listenQuery } from '../daemon/interface/plant/listening.ts';
import {
  MAXIMUM_SESSIONS,
  MAXIMUM_SESSIONS_PER_IDENTITY,
} from '../daemon/security/session/memory-session-store.ts';
import { gatewaySettingsSchema } from '../daemon/settings/gateway-settings.ts';
import {
  bannersSchema,
  passwordStrengthSchema,
  restSettingsSchema,
} from '../daemon/settings/rest-settings.ts';
import { loadSettingsFile } from '../daemon/settings/settings-file.ts';
import {
  TOKEN_ALGORITHMS,
  tokenIssuingServicesSchema,
  tokenVerificationServicesSchema,
} from '../daemon/settings/token-settings.ts';
import { MAXIMUM_USED_TOKEN_BYTES } from '../daemon/security/token/used-token-store.ts';
import { outlineSchema, parameterSchema } from '../daemon/plant/template/template-outline.ts';
import { createDriverFactories } from '../drivers/index.ts';
import { unitSchema } from '../drivers/modbus/modbus-config.ts';
import { listPages } from './support/documented-commands.ts';
import { createMemoryLogger } from './support/memory-logger.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const CONFIGURATION = 'docs/reference/configuration.md';
const MODBUS = 'docs/reference/modbus.md';
const SERIAL = 'docs/reference/serial.md';
const OPCUA = 'docs/reference/opcua.md';
const REST = 'docs/reference/rest-api.md';
const ENDPOINTS = 'docs/reference/rest-endpoints.md';
const COMMISSIONING = 'docs/how-to/commissioning.md';
const SIMULATOR = 'docs/tutorial/simulator.md';
const TEMPLATES = 'docs/how-to/templates.md';
const TOKENS = 'docs/how-to/tokens.md';
const AUDIT = 'docs/reference/audit.md';
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...listPages()];

const findDriver = (type: string) => createDriverFactories().find((factory) => factory.type === type);
const modbus = findDriver('modbus');
const serial = findDriver('serial');
const opcua = findDriver('opcua');

const DOCUMENTED_SCHEMAS: readonly { page: string; heading: string; schema: z.ZodType }[] = [
  { page: CONFIGURATION, heading: 'Static settings', schema: gatewaySettingsSchema },
  { page: CONFIGURATION, heading: 'Section rest', schema: restSettingsSchema },
  { page: CONFIGURATION, heading: 'Section banners', schema: bannersSchema },
  { page: CONFIGURATION, heading: 'Section passwordStrength', schema: passwordStrengthSchema },
  {
    page: CONFIGURATION,
    heading: 'Section tokenIssuingServices',
    schema: itemOf(tokenIssuingServicesSchema),
  },
  {
    page: CONFIGURATION,
    heading: 'Section tokenVerificationServices',
    schema: itemOf(tokenVerificationServicesSchema),
  },
  { page: CONFIGURATION, heading: 'Channels', schema: createChannelSchema(z.string()) },
  { page: TEMPLATES, heading: 'Keys', schema: outlineSchema },
  { page: TEMPLATES, heading: 'Parameters of a template', schema: parameterSchema },
  { page: COMMISSIONING, heading: 'Reference: `GET /services/assets/{pid}/_plan`', schema: channelsQuery },
  { page: COMMISSIONING, heading: 'Reference: `POST /services/assets/{pid}/_decode`', schema: decodeRequest },
  { page: MODBUS, heading: 'Settings', schema: modbus?.configSchema ?? z.never() },
  { page: MODBUS, heading: 'Settings of a unit', schema: unitSchema },
  { page: MODBUS, heading: 'Addresses', schema: modbus?.addressSchema ?? z.never() },
  { page: SERIAL, heading: 'Settings', schema: serial?.configSchema ?? z.never() },
  { page: SERIAL, heading: 'Addresses', schema: serial?.addressSchema ?? z.never() },
  { page: OPCUA, heading: 'Settings', schema: opcua?.configSchema ?? z.never() },
  { page: OPCUA, heading: 'Addresses', schema: opcua?.addressSchema ?? z.never() },
];

for (const { page, heading, schema } of DOCUMENTED_SCHEMAS) {
  test(`${page}, "${heading}" has every key with its default, and no other`, () => {
    assert.deepEqual(toSortedObject(readKeyTable(page, heading)), toSortedObject(listKeys(describe(schema))));
  });
}

test('docs/reference/configuration.md has every section of the managed configuration, and no other', () => {
  const sections = [...readSection(CONFIGURATION, 'Provision').matchAll(/^\| `(\w+)` /gm)].map(
    ([, name = '']) => name,
  );
  assert.deepEqual(sections.sort(), [...OBJECT_SECTIONS, ...LIST_SECTIONS, 'identities'].sort());
});

test('the keys of identities, drivers and assets in docs/reference/configuration.md are known', () => {
  const identity = toItem('Section identities', {
    name: 'scada',
    permissions: [],
    passwordChangeNeeded: false,
  });
  assert.deepEqual(finish(checkProvisionDocument({ identities: [identity] })).faults, []);
  const driver = {
    ...toItem('Section drivers', { pid: 'a', type: 'modbus', callDeadlineMs: 1000 }),
    host: 'b',
  };
  const asset = toItem('Section assets', { pid: 'c', driver: 'a', channels: [] });
  assert.deepEqual(
    finish(checkPlant(createDriverFactories(), { drivers: [driver], assets: [asset] })).faults,
    undefined,
  );
});

test('docs/reference/rest-endpoints.md has every endpoint with its access and status, and no other', async (t) => {
  const routes = await listRoutes(t);
  const expected = routes.map(({ method, path: template, access, response }) => {
    const shown = { PUBLIC: 'none', ANY_IDENTITY: 'any identity' }[access as string] ?? `\`${access}\``;
    return `${method} ${template.replaceAll(/:(\w+)/g, '{$1}')} ${shown} ${response.status}`;
  });
  const rows = readSection(ENDPOINTS, 'Endpoints').matchAll(
    /^\| (\w+) +\| `([^`]+)` +\| ([\w.` ]+?) +\| [^|]*\| (\d+) +\|/gm,
  );
  const documented = [...rows].map(([, method, template, access, status]) =>
    [method, template, access, status].join(' '),
  );
  assert.deepEqual(documented.sort(), expected.sort());
});

test('docs/reference/rest-api.md has every parameter of the audit events with its default, and no other', () => {
  const parameters = Object.entries(listAuditEvents.query?.shape ?? {}).map(
    ([key, schema]) => [key, String(schema.parse(undefined) ?? 'none')] as const,
  );
  assert.deepEqual(toSortedObject(readKeyTable(REST, 'Audit events')), toSortedObject(parameters));
});

test('docs/reference/rest-api.md has every parameter of listening with its default, and no other', () => {
  const parameters = Object.entries(listenQuery.shape).map(
    ([key, schema]) => [key, String(schema.parse(undefined) ?? 'none')] as const,
  );
  assert.deepEqual(toSortedObject(readKeyTable(REST, 'Listening')), toSortedObject(parameters));
});

test('docs/reference/audit.md names every event, and no other', () => {
  const text = readSection(AUDIT, 'What is recorded');
  const named = [...text.matchAll(/`([A-Z]+_?[A-Z_]*)`/g)].map(([, name = '']) => name);
  const outcomes = new Set(['SUCCESS', 'FAILURE']);
  assert.deepEqual(named.filter((name) => !outcomes.has(name)).sort(), [...AUDIT_EVENTS].sort());
});

test('the limits in docs/reference/rest-api.md and docs/reference/audit.md are those of the code', () => {
  const limits = readLimits(REST, 'Limits');
  assert.deepEqual(numbersIn(limits, 'sessions of an identity'), [MAXIMUM_SESSIONS_PER_IDENTITY]);
  assert.deepEqual(numbersIn(limits, 'sessions of all identities'), [MAXIMUM_SESSIONS, 503]);
  const delays = numbersIn(limits, 'wrong passwords for a name from an address');
  assert.deepEqual(delays, [FREE_FAILURES, 1, MAXIMUM_DELAY_SECONDS]);
  const ofAddress = numbersIn(limits, 'wrong passwords from an address, all names together');
  assert.deepEqual(ofAddress, [FREE_FAILURES_OF_ADDRESS]);
  assert.deepEqual(numbersIn(limits, 'failed logins are forgotten'), [FORGET_AFTER_MS / 60_000]);
  const passwords = numbersIn(limits, 'passwords checked at once, queued');
  assert.deepEqual(passwords, [MAXIMUM_HASHES_AT_ONCE, MAXIMUM_HASHES_WAITING, 503]);
  const together = numbersIn(limits, 'queued logins of a name from an address');
  assert.deepEqual(together, [MAXIMUM_WAITING, 429]);
  const pairs = numbersIn(limits, 'correct BASIC credentials are not checked again');
  assert.deepEqual(pairs, [REMEMBER_VERIFIED_MS / 1000]);
  const ledger = numbersIn(limits, 'stored used refresh tokens');
  assert.deepEqual(ledger, [MAXIMUM_USED_TOKEN_BYTES / 1024 / 1024, 503]);
  assert.deepEqual(numbersIn(limits, 'stored audit events'), [MAXIMUM_EVENTS]);
  const streams = numbersIn(limits, 'streams of events of an identity');
  assert.deepEqual(streams, [MAXIMUM_STREAMS_PER_IDENTITY, 429]);
  const allStreams = numbersIn(limits, 'streams of events of all identities');
  assert.deepEqual(allStreams, [MAXIMUM_STREAMS, 503]);
  const kept = numbersIn(limits, 'stored events, stored changes of an asset');
  assert.deepEqual(kept, [MAXIMUM_KEPT_EVENTS, MAXIMUM_HISTORY_RECORDS]);
  const levels = numbersIn(limits, 'levels of a body, values in it, names of members that differ');
  assert.deepEqual(levels, [MAXIMUM_DEPTH, MAXIMUM_VALUES, MAXIMUM_NAMES]);
  const sheet = numbersIn(limits, 'rows, columns, characters in a cell of a tag sheet');
  assert.deepEqual(sheet, [MAXIMUM_ROWS, MAXIMUM_COLUMNS, MAXIMUM_CELL_LENGTH]);
  const stall = numbersIn(limits, 'a client to which nothing can be sent');
  assert.deepEqual(stall, [STALL_LIMIT_MS / 1000]);
  assert.deepEqual(numbersIn(limits, 'connections of all ports'), [MAXIMUM_CONNECTIONS]);
  const strangers = numbersIn(limits, 'connections of an address without authentication');
  assert.deepEqual(strangers, [MAXIMUM_STRANGERS_PER_NETWORK]);
  const known = numbersIn(limits, 'connections of an address with authentication');
  assert.deepEqual(known, [MAXIMUM_KNOWN_PER_NETWORK]);
  assert.deepEqual(numbersIn(limits, 'queued requests on a connection'), [MAXIMUM_WAITING_REQUESTS]);
  const bounds = readLimits(AUDIT, 'Bounds');
  assert.deepEqual(numbersIn(bounds, 'refusals and failures of an identity from an address'), [
    EVENTS_PER_SECOND,
    BURST,
  ]);
  assert.deepEqual(numbersIn(bounds, 'stored events').slice(0, 1), [MAXIMUM_EVENTS]);
  assert.equal(gatewaySettingsSchema.parse({}).audit.maximumEvents, MAXIMUM_EVENTS);
});

test('docs/how-to/tokens.md names every algorithm', () => {
  for (const algorithm of TOKEN_ALGORITHMS)
    assert.ok(readPage(TOKENS).includes(`\`${algorithm}\``), algorithm);
});

test('every provision file in docs/how-to/tokens.md is without errors', async (t) => {
  const directory = createTemporaryDirectory(t);
  const examples = [...readPage(TOKENS).matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text = '']) => text);
  assert.ok(examples.length > 0);
  const file = path.join(directory, 'penstock.yaml');
  writeFileSync(file, '# Everything is in provision.d.\n');
  mkdirSync(path.join(directory, 'provision.d'));
  for (const [index, example] of examples.entries()) {
    writeFileSync(path.join(directory, 'provision.d', `${index}.yaml`), example);
    const loaded = await loadSettingsFile(file);
    await checkConfiguration({ loaded, logger: createMemoryLogger(), clock: systemClock });
  }
});

for (const page of [CONFIGURATION, MODBUS, SERIAL, OPCUA, SIMULATOR]) {
  test(`every example of configuration in ${page} is without errors`, async (t) => {
    const examples = [...readPage(page).matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text = '']) => text);
    assert.ok(examples.length > 0);
    for (const example of examples) {
      const file = path.join(createTemporaryDirectory(t), 'penstock.yaml');
      writeFileSync(file, example);
      const loaded = await loadSettingsFile(file);
      await checkConfiguration({ loaded, logger: createMemoryLogger(), clock: systemClock });
    }
  });
}

for (const page of [REST, TOKENS, COMMISSIONING]) {
  test(`every example of JSON in ${page} is JSON`, () => {
    const examples = [...readPage(page).matchAll(/^```json\n([^]*?)^```/gm)].map(([, text = '']) => text);
    assert.ok(examples.length > 0);
    for (const example of examples) assert.doesNotThrow(() => JSON.parse(example) as unknown, example);
  });
}

for (const page of PAGES) {
  test(`every link of ${page} into the repository leads somewhere`, () => {
    for (const [, target = ''] of readPage(page).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', heading] = target.split('#');
      const found = file === '' ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), file);
      assert.ok(existsSync(found), `${page}: ${target}`);
      if (heading === undefined) continue;
      const headings = readFileSync(found, 'utf8').match(/^#+ .*$/gm) ?? [];
      assert.ok(headings.map(toAnchor).includes(heading), `${page}: ${target}`);
    }
  });
}

test('docs/reference/command-line.md lists every command, and no other', () => {
  const rows = [...readPage('docs/reference/command-line.md').matchAll(/^\| `([a-z]+)` /gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    rows,
    COMMAND_GROUPS.map(({ name }) => name),
  );
});

test('README.md names the scripts that there are', () => {
  const readme = readPage('README.md');
  const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Readonly<Record<string, string>> };
  for (const [, name = ''] of readme.matchAll(/npm run (?:-s )?([\w:]+)/g)) assert.ok(name in scripts, name);
  assert.match(readme, /^npm ci && npm start$/m);
  assert.match(readme, /^npm ci && npm test$/m);
});

interface Description {
  readonly oneOf?: readonly Description[];
  readonly properties?: Readonly<Record<string, Description>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

function describe(schema: z.ZodType): Description {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const [, name = ''] = /^#\/\$defs\/(.+)$/.exec(described.$ref ?? '') ?? [];
  return (described.$defs?.[name] ?? described) as Description;
}

/**
 * Lists the keys of a schema, with their defaults as the tables show them; of a choice of schemas the keys of all, with the
 * default of the first.
 */
function listKeys(
  { oneOf, properties = {}, required = [] }: Description,
  prefix = '',
): readonly [string, string][] {
  if (oneOf !== undefined) {
    const reversed = oneOf.toReversed().flatMap((option) => listKeys(option, prefix));
    return [...new Map(reversed)];
  }
  return Object.entries(properties).flatMap(([key, value]): readonly [string, string][] => {
    if (value.properties !== undefined) return listKeys(value, `${prefix}${key}.`);
    const shown =
      value.default !== undefined
        ? JSON.stringify(value.default)
        : required.includes(key)
          ? 'required'
          : 'none';
    return [[`${prefix}${key}`, shown]];
  });
}

/** Returns the schema of the items of a list. */
function itemOf(schema: z.ZodPrefault<z.ZodArray<z.ZodType>>): z.ZodType {
  return schema.unwrap().element;
}

/** Reads a table of two columns, by its first one. */
function readLimits(page: string, heading: string): ReadonlyMap<string, string> {
  const rows = readSection(page, heading).matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|$/gm);
  return new Map([...rows].map(([, name = '', value = '']) => [name, value]));
}

function numbersIn(limits: ReadonlyMap<string, string>, name: string): readonly number[] {
  const value = limits.get(name);
  assert.ok(value !== undefined, `there is no limit "${name}"`);
  return [...value.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

function readPage(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8');
}

/** Returns the text from a heading to the next one. */
function readSection(page: string, heading: string): string {
  const [, section] = new RegExp(`^#+ ${heading}$([^]*?)(?=^#+ |$(?![^]))`, 'm').exec(readPage(page)) ?? [];
  assert.ok(section, `${page} has no heading "${heading}"`);
  return section;
}

/** Reads keys and defaults from the tables of a section whose first column is the key. */
function readKeyTable(page: string, heading: string): readonly [string, string][] {
  const [table = ''] = /^\| key [^]*?\n\n/m.exec(`${readSection(page, heading)}\n\n`) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` +\| (?:`([^`]+)`|(\w+)) +\|/gm)].map(
    ([, key = '', value, word = '']) => [key, value ?? word],
  );
}

/** Creates an item with the keys that a section of the page lists, and these values. */
function toItem(
  heading: string,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const keys = readKeyTable(CONFIGURATION, heading).map(([key]) => key);
  for (const key of Object.keys(values)) assert.ok(keys.includes(key), `${heading}: ${key}`);
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

async function listRoutes(t: TestContext) {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'penstock.yaml');
  writeFileSync(file, 'dataDirectory: data\n');
  const loaded = await loadSettingsFile(file);
  const { routes } = await composeGateway({
    loaded,
    logger: createMemoryLogger(),
    hostServices: systemHostServices,
  });
  return routes;
}

function toSortedObject(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const keys = entries.map(([key]) => key);
  assert.equal(new Set(keys).size, keys.length, 'a key is there twice');
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function toAnchor(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase();
  return text.replaceAll(/[^\w\s-]/g, '').replaceAll(' ', '-');
}
