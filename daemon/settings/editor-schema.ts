import { z } from '../base/schema.ts';
import { gatewaySettingsSchema } from './gateway-settings.ts';

/** A JSON Schema, or a part of one. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schema dialect of editors; most language servers do not support newer ones. */
export const EDITOR_DIALECT = 'http://json-schema.org/draft-07/schema#';

/** Installation directory of the schemas for editors. */
export const SCHEMA_DIRECTORY = '/usr/share/penstock/schemas';

const SECTION_TEXTS: Readonly<Record<string, string>> = {
  rest: 'Settings of the REST interface',
  banners: 'Texts that are shown before and after a login',
  passwordStrength: 'Rules for new passwords',
  tokenIssuingServices: 'Services that sign tokens',
  tokenVerificationServices: 'Services that verify tokens',
  drivers: 'Connections to devices',
  assets: 'Groups of channels for clients',
  recording: 'Disk space of journal and history',
  recorders: 'Channels that are recorded, and how often',
  bundles: 'Settings of bundles, by symbolic name',
  identities: 'Users and clients that can log in; created if missing, never changed afterwards',
};

/** Returns the first line of a file, a comment that references its schema for editors. */
export function writeSchemaLine(name: 'penstock' | 'provision' | 'template'): string {
  return `# yaml-language-server: $schema=${SCHEMA_DIRECTORY}/${name}.schema.json\n`;
}

/**
 * Returns the JSON Schema (draft-07) of provision files, for editors.
 *
 * The `type` selects the settings of a driver; unknown types may have any settings, because packages can add drivers. An
 * address is checked if it has a key that only the addresses of one driver have.
 *
 * @param configuration configuration schema of the gateway, including all driver types
 */
export function describeProvisionFile(configuration: JsonSchema): JsonSchema {
  return {
    $schema: EDITOR_DIALECT,
    title: 'Provision file of Penstock',
    ...describeSections(configuration),
  };
}

/**
 * Returns the JSON Schema (draft-07) of `penstock.yaml`, for editors; its section `provision` is as
 * {@link describeProvisionFile} has it.
 */
export function describeSettingsFile(configuration: JsonSchema): JsonSchema {
  const { $schema: _dialect, ...settings } = z.toJSONSchema(gatewaySettingsSchema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  });
  const { provision, ...sections } = propertiesOf(settings);
  const text = (provision as JsonSchema)['description'];
  return {
    $schema: EDITOR_DIALECT,
    title: 'Configuration of Penstock',
    ...settings,
    type: ['object', 'null'],
    properties: {
      ...mapValues(sections, orNothing),
      provision: { description: text, ...describeSections(configuration) },
    },
  };
}

function describeSections(configuration: JsonSchema): JsonSchema {
  const sections: Readonly<Record<string, unknown>> = propertiesOf(configuration);
  const drivers = listOf(partOf(sections['drivers'], 'items'), 'anyOf');
  const described: Readonly<Record<string, unknown>> = {
    ...sections,
    drivers: { type: 'array', items: chooseDriver(drivers) },
    assets: { type: 'array', items: chooseAsset(partOf(sections['assets'], 'items')) },
  };
  return {
    // A section or file without content counts as absent.
    type: ['object', 'null'],
    properties: Object.fromEntries(
      Object.entries(described).map(([name, schema]) => {
        const text = SECTION_TEXTS[name];
        return [
          name,
          orNothing({ ...(schema as JsonSchema), ...(text === undefined ? {} : { description: text }) }),
        ];
      }),
    ),
    additionalProperties: false,
  };
}

function chooseDriver(drivers: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = drivers.flatMap(listBranches);
  const { pid, callDeadlineMs } = propertiesOf(first);
  const types = drivers.map(typeOf);
  return {
    type: 'object',
    properties: {
      pid,
      type: { description: 'Driver type', anyOf: [{ enum: types }, { type: 'string' }] },
      callDeadlineMs,
    },
    required: ['pid', 'type'],
    allOf: drivers.map((driver, index) =>
      when({ properties: { type: { const: types[index] } }, required: ['type'] }, driver),
    ),
  };
}

function typeOf(driver: JsonSchema): unknown {
  const [branch = {}] = listBranches(driver);
  return partOf(propertiesOf(branch)['type'], 'const');
}

function chooseAsset(assets: unknown): JsonSchema {
  const [whole = {}, templated = {}] = listOf(assets, 'anyOf').map(withChosenAddress);
  return { type: 'object', ...when({ required: ['template'] }, templated, whole) };
}

function withChosenAddress(asset: JsonSchema): JsonSchema {
  const { channels, ...others } = propertiesOf(asset);
  const channel = (channels as JsonSchema)['items'] as JsonSchema;
  const address = chooseAddress(listOf(propertiesOf(channel)['address'], 'anyOf'));
  const items = { ...channel, properties: { ...propertiesOf(channel), address } };
  return { ...asset, properties: { ...others, channels: { ...(channels as JsonSchema), items } } };
}

function chooseAddress(addresses: readonly JsonSchema[]): JsonSchema {
  const keys = addresses.map((address) => [
    ...new Set(listBranches(address).flatMap((branch) => Object.keys(propertiesOf(branch)))),
  ]);
  return {
    type: 'object',
    description: 'Address of the value in the device, as the driver defines it',
    allOf: addresses.map((address, index) => {
      const foreign = new Set(keys.filter((_, other) => other !== index).flat());
      const own = (keys[index] ?? []).filter((key) => !foreign.has(key));
      return when({ anyOf: own.map((key) => ({ required: [key] })) }, address);
    }),
  };
}

const CONDITION = ['if', 'then', 'else'] as const;

function when(condition: JsonSchema, matching: JsonSchema, others: JsonSchema | true = true): JsonSchema {
  const parts = [condition, matching, others];
  return Object.fromEntries(CONDITION.map((keyword, index) => [keyword, parts[index]]));
}

function orNothing(schema: unknown): JsonSchema {
  const { description, ...rest } = schema as JsonSchema;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] };
}

/** Returns the alternatives of a schema, or the schema itself. */
function listBranches(schema: JsonSchema): readonly JsonSchema[] {
  const branches = ['anyOf', 'oneOf'].flatMap((keyword) => listOf(schema, keyword));
  return branches.length === 0 ? [schema] : branches.flatMap(listBranches);
}

function propertiesOf({ properties = {} }: JsonSchema): JsonSchema {
  return properties as JsonSchema;
}

function partOf(schema: unknown, keyword: string): unknown {
  return (schema as JsonSchema)[keyword];
}

function listOf(schema: unknown, keyword: string): readonly JsonSchema[] {
  return (partOf(schema, keyword) ?? []) as readonly JsonSchema[];
}

function mapValues(record: JsonSchema, map: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
