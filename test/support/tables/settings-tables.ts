import { z } from '../../../daemon/base/schema.ts';
import { createChannelSchema } from '../../../daemon/channel/channel.ts';
import { identitiesSchema } from '../../../daemon/configuration/provision/provision-document.ts';
import { assetSchema, driverHeadSchema } from '../../../daemon/plant/asset/plant-config.ts';
import { gatewaySettingsSchema } from '../../../daemon/settings/gateway-settings.ts';
import { bundlesSchema } from '../../../daemon/settings/bundle-settings.ts';
import { recordersSchema, recordingSchema } from '../../../daemon/settings/recorder-settings.ts';
import {
  bannersSchema,
  passwordStrengthSchema,
  restSettingsSchema,
} from '../../../daemon/settings/rest-settings.ts';
import {
  tokenIssuingServicesSchema,
  tokenVerificationServicesSchema,
} from '../../../daemon/settings/token-settings.ts';
import { formatTable, toSentence } from './markdown.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

const ADDRESS = z.record(z.string(), z.unknown()).describe('Address of the value in the device');

/** Schemas of the tables by the name of the table. */
const SECTIONS: Readonly<Record<string, z.ZodType>> = {
  'static settings': gatewaySettingsSchema,
  rest: restSettingsSchema,
  banners: bannersSchema,
  passwordStrength: passwordStrengthSchema,
  tokenIssuingServices: tokenIssuingServicesSchema.unwrap().element,
  tokenVerificationServices: tokenVerificationServicesSchema.unwrap().element,
  identities: identitiesSchema.unwrap().element,
  drivers: driverHeadSchema,
  assets: assetSchema,
  channels: createChannelSchema(ADDRESS),
  recording: recordingSchema,
  recorders: recordersSchema.unwrap().element,
  bundles: bundlesSchema.unwrap().element,
};

/** Links to pages with more about a key, by table and key. */
const LINKS: Readonly<Record<string, string>> = {
  'static settings: http.trustedProxies': '[Behind a proxy](../how-to/hardening.md#behind-a-proxy)',
  'static settings: http.names': '[Names](#names)',
  'static settings: http.strictTransportSecuritySeconds':
    '[Strict transport security](../how-to/hardening.md#strict-transport-security)',
  'static settings: http.writeDeadlineMs':
    '[The end of a request](../explanation/control.md#the-end-of-a-request)',
  'static settings: audit.journal': '[Audit](audit.md#elsewhere)',
  'static settings: audit.maximumEvents': '[Audit](audit.md#bounds)',
  'static settings: audit.syslog.host': '[Audit](audit.md#elsewhere)',
  'static settings: console.enabled': '[Console](console.md)',
  'static settings: deployment.maximumPackageBytes': '[Deployment packages](packages.md)',
  'static settings: deployment.maximumBundleDataBytes': '[Storage](bundles.md#storage)',
  'rest: jwtAuthenticationEnabled': '[Tokens](../how-to/tokens.md)',
  'rest: recordDetails': '[Records as those of Kura](rest-api.md#records-as-those-of-kura)',
  'identities: grants': '[Access and writes](../explanation/control.md)',
  'identities: secondFactorRequired': '[Second factor](rest-api.md#second-factor)',
  'assets: template': '[Device templates](../how-to/templates.md)',
  'channels: notAvailable': '[Values that are not available](#values-that-are-not-available)',
  'recorders: onChange': '[Record channels](../how-to/recording.md)',
  'channels: write.minimum': '[Writes](../explanation/control.md#writes)',
};

/** Returns the tables of settings by name. */
export function writeSettingsTables(): Readonly<Record<string, string>> {
  const used = new Set<string>();
  const tables = Object.entries(SECTIONS).map(([name, schema]) => {
    const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
    const rows = listSettings(described as Schema).map(({ key, shownDefault, values, meaning }) => {
      const link = LINKS[`${name}: ${key}`];
      if (link !== undefined) used.add(`${name}: ${key}`);
      return [`\`${key}\``, shownDefault, values, link === undefined ? meaning : `${meaning} See ${link}.`];
    });
    return [name, formatTable({ headings: ['key', 'default', 'values', 'meaning'], rows })] as const;
  });
  const unused = Object.keys(LINKS).filter((key) => !used.has(key));
  if (unused.length > 0) throw new Error(`no such keys: ${unused.join(', ')}`);
  return Object.fromEntries(tables);
}

/** A row of a table. */
interface Setting {
  readonly key: string;
  readonly shownDefault: string;
  readonly values: string;
  readonly meaning: string;
}

function listSettings({ properties = {}, required = [] }: Schema, prefix = ''): readonly Setting[] {
  return Object.entries(properties).flatMap(([name, schema]): readonly Setting[] => {
    const key = `${prefix}${name}`;
    if (schema.properties !== undefined) return listSettings(schema, `${key}.`);
    if (schema.description === undefined) throw new Error(`the setting ${key} has no description`);
    const shownDefault = showDefault(schema, required.includes(name));
    return [
      { key, shownDefault, values: describeValues(name, schema), meaning: toSentence(schema.description) },
    ];
  });
}

function showDefault(schema: Schema, isRequired: boolean): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default)}\``;
  return isRequired ? 'required' : 'none';
}

function describeValues(key: string, schema: Schema): string {
  const { anyOf, enum: options, type } = schema;
  if (options !== undefined) return options.map((option) => `\`${String(option)}\``).join(', ');
  if (anyOf !== undefined) {
    const kinds = anyOf.map((option) => describeValues(key, option)).filter((kind) => kind !== '');
    return [...new Set(kinds)].join(', ');
  }
  if (type === 'null') return '`null`';
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'integer' || type === 'number') return describeNumber(schema);
  if (type === 'array') return `list${ofBound(schema.maxItems, 'items')}`;
  if (type === 'object') return 'object';
  if (type === 'string') {
    if (/(?:File|Directory)$/.test(key)) return 'path';
    return `text${ofBound(schema.maxLength, 'characters')}`;
  }
  return [type ?? []]
    .flat()
    .map((kind) => describeValues(key, { type: kind }))
    .join(', ');
}

function describeNumber({ type, minimum, maximum, exclusiveMinimum }: Schema): string {
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBound(minimum) && isBound(maximum)) return `${minimum} to ${maximum}`;
  if (isBound(minimum)) return `from ${minimum}`;
  if (isBound(exclusiveMinimum)) return `more than ${exclusiveMinimum}`;
  return type === 'integer' ? 'whole number' : 'number';
}

function ofBound(maximum: number | undefined, unit: string): string {
  return maximum === undefined ? '' : `, at most ${maximum} ${unit}`;
}
