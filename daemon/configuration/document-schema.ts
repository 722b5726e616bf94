import { assetSchema, driverHeadSchema } from '../plant/asset/plant-config.ts';
import { z } from '../base/schema.ts';
import { createChannelSchema } from '../channel/channel.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { bundlesSchema } from '../settings/bundle-settings.ts';
import { recordersSchema, recordingSchema } from '../settings/recorder-settings.ts';
import { bannersSchema, passwordStrengthSchema, restSettingsSchema } from '../settings/rest-settings.ts';
import { tokenIssuingServicesSchema, tokenVerificationServicesSchema } from '../settings/token-settings.ts';
import type { ConfigurableBundle } from './bundle-section.ts';
import { identitiesSchema } from './provision/provision-document.ts';

/** A JSON Schema (draft 2020-12), or a part of one. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * Returns the JSON Schema of the whole managed configuration and of provision files, derived from the schemas that check
 * them.
 *
 * Secrets are marked `writeOnly`. Constraints that a schema cannot express are omitted: references between items, and which
 * kind of address belongs to which driver.
 *
 * @param factories all driver types
 * @param bundles installed bundles that have settings
 */
export function describeDocument(
  factories: readonly DriverFactory[],
  bundles: readonly ConfigurableBundle[] = [],
): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Managed configuration',
    type: 'object',
    properties: {
      rest: describeSchema(restSettingsSchema),
      banners: describeSchema(bannersSchema),
      passwordStrength: describeSchema(passwordStrengthSchema),
      tokenIssuingServices: describeSchema(tokenIssuingServicesSchema),
      tokenVerificationServices: describeSchema(tokenVerificationServicesSchema),
      drivers: { type: 'array', items: { anyOf: factories.map(describeDriver) } },
      assets: { type: 'array', items: describeAsset(factories) },
      recording: describeSchema(recordingSchema),
      recorders: describeSchema(recordersSchema),
      bundles: describeBundles(bundles),
      identities: {
        ...describeSchema(identitiesSchema),
        description: 'In provision files only: created if missing, never changed afterwards',
      },
    },
    additionalProperties: false,
  };
}

function describeDriver({ type, configSchema }: DriverFactory): JsonSchema {
  const { properties, required = [] } = describeSchema(driverHeadSchema);
  const head = {
    properties: { ...(properties as JsonSchema), type: { type: 'string', const: type } },
    required: required as readonly string[],
  };
  return { title: `Driver ${type}`, ...addHead(describeSchema(configSchema), head) };
}

function describeBundles(bundles: readonly ConfigurableBundle[]): JsonSchema {
  const { items, ...list } = describeSchema(bundlesSchema);
  const item = items as JsonSchema;
  const properties = item['properties'] as JsonSchema;
  const known = bundles.map(({ name, settingsSchema }) => ({
    ...item,
    title: `Bundle ${name}`,
    properties: { pid: { type: 'string', const: name }, settings: describeSchema(settingsSchema) },
  }));
  const names = bundles.map(({ name }) => name);
  const pid = {
    ...(properties['pid'] as JsonSchema),
    ...(names.length === 0 ? {} : { not: { enum: names } }),
  };
  const others = { ...item, title: 'Bundle that is not installed', properties: { ...properties, pid } };
  return { ...list, items: { anyOf: [...known, others] } };
}

/** Adds the common settings of drivers to each alternative, because these allow no other keys. */
function addHead(
  settings: JsonSchema,
  head: { readonly properties: JsonSchema; readonly required: readonly string[] },
): JsonSchema {
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = settings[keyword] as readonly JsonSchema[] | undefined;
    if (branches !== undefined) {
      return { ...settings, [keyword]: branches.map((branch) => addHead(branch, head)) };
    }
  }
  return {
    ...settings,
    properties: { ...head.properties, ...(settings['properties'] as JsonSchema | undefined) },
    required: [...head.required, ...((settings['required'] as readonly string[] | undefined) ?? [])],
  };
}

/** Returns the JSON Schema of a channel that a driver of one of these kinds serves. */
export function describeChannel(factories: readonly DriverFactory[]): JsonSchema {
  const channel = describeSchema(CHANNEL_SCHEMA);
  const addresses = factories.map(({ type, addressSchema }) => ({
    title: `Address of a driver ${type}`,
    ...describeSchema(addressSchema),
  }));
  const properties = { ...(channel['properties'] as JsonSchema), address: { anyOf: addresses } };
  return { ...channel, properties };
}

/** With a template, a channel may be partial: it overrides the channel of the same name. */
function describeAsset(factories: readonly DriverFactory[]): JsonSchema {
  const asset = describeSchema(assetSchema);
  const required = (asset['required'] ?? []) as readonly string[];
  const { template, parameters, ...properties } = asset['properties'] as JsonSchema;
  const whole = describeChannel(factories);
  const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', default: [], items });
  return {
    anyOf: [
      { ...asset, properties: { ...properties, channels: listOf(whole) } },
      {
        ...asset,
        title: 'Asset with a template',
        properties: {
          ...properties,
          template,
          parameters,
          channels: listOf({ ...whole, required: ['name'] }),
        },
        required: [...required, 'template'],
      },
    ],
  };
}

const CHANNEL_SCHEMA = createChannelSchema(z.unknown());

// Describing a schema takes milliseconds; reads and changes need the same few.
const descriptions = new WeakMap<z.ZodType, JsonSchema>();

/** Returns the JSON Schema of the input of a schema. */
export function describeSchema(schema: z.ZodType): JsonSchema {
  const known = descriptions.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...description } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // Inlined: references would have to be moved into the whole document.
    reused: 'inline',
  });
  descriptions.set(schema, description);
  return description;
}
