import { UsageError } from '../command-error.ts';
import { suggest } from '../terminal/suggestion.ts';

/** Setting of a driver, asset or channel, from the JSON Schema of the gateway. */
export interface Setting {
  /** Key path, joined with dots: `address.unitId`. */
  readonly path: string;
  readonly types: ReadonlySet<string>;
  /** Allowed values; empty: any value of its types. */
  readonly choices: readonly string[];
  readonly description: string;
  readonly default: unknown;
  /** True if it can be written but is never shown. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

/** The parts of a JSON Schema that describe settings. */
export interface SettingSchema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly items?: SettingSchema;
  readonly anyOf?: readonly SettingSchema[];
  readonly oneOf?: readonly SettingSchema[];
  readonly allOf?: readonly SettingSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly required?: readonly string[];
}

/** Lists the settings of an object in schema order; merges those of alternatives. */
export function listSettings(schema: SettingSchema, prefix = ''): readonly Setting[] {
  const nodes = listAlternatives(schema).filter(({ properties }) => properties !== undefined);
  const keys = new Set(nodes.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...keys].flatMap((key) => {
    const inner = nodes.flatMap(({ properties = {} }) => properties[key] ?? []).flatMap(listAlternatives);
    const path = `${prefix}${key}`;
    if (inner.some(({ properties }) => properties !== undefined)) {
      return listSettings({ anyOf: inner.map(withoutAlternatives) }, `${path}.`);
    }
    return [
      toSetting(
        path,
        inner,
        nodes.every(({ required = [] }) => required.includes(key)),
      ),
    ];
  });
}

function withoutAlternatives({
  anyOf: _any,
  oneOf: _one,
  allOf: _all,
  ...own
}: SettingSchema): SettingSchema {
  return own;
}

/** Returns a schema with its alternatives, recursively. */
export function listAlternatives(schema: SettingSchema): readonly SettingSchema[] {
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  return [schema, ...[...anyOf, ...oneOf, ...allOf].flatMap(listAlternatives)];
}

function toSetting(path: string, nodes: readonly SettingSchema[], isRequired: boolean): Setting {
  const choices = nodes.map((node) => node.enum ?? (node.const === undefined ? undefined : [node.const]));
  const isClosed = choices.some((list) => list !== undefined);
  return {
    path,
    types: new Set(nodes.flatMap(({ type = [] }) => type)),
    choices: isClosed ? [...new Set(choices.flatMap((list) => list ?? []).map(String))] : [],
    description: nodes.find((node) => node.description !== undefined)?.description ?? '',
    default: nodes.find((node) => node.default !== undefined)?.default,
    isSecret: nodes.some(({ writeOnly }) => writeOnly === true),
    isRequired,
  };
}

/** What a setting is called in messages. */
export interface SettingTerms {
  /** For example `option`. */
  readonly term: string;
  /** In front of each name. */
  readonly prefix: string;
}

const OPTION: SettingTerms = { term: 'option', prefix: '--' };

/**
 * Finds the setting of an option by its path, or by a unique end of its path. `unit-id` matches `unitId`.
 *
 * @throws {UsageError} if none or several match
 */
export function findSetting(
  name: string,
  settings: readonly Setting[],
  terms: SettingTerms = OPTION,
): Setting {
  const { term, prefix } = terms;
  const wanted = normalize(name);
  const exact = settings.find(({ path }) => normalize(path) === wanted);
  if (exact !== undefined) return exact;
  const ending = settings.filter(({ path }) => normalize(path).endsWith(`.${wanted}`));
  const [only, ...others] = ending;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    throw new UsageError(`unknown ${term} ${prefix}${name}${hintAt(name, settings, prefix)}`);
  }
  throw new UsageError(
    `${prefix}${name} may be ${ending.map(({ path }) => `${prefix}${path}`).join(' or ')}`,
  );
}

// `scale` suggests `valueScale`; shorter suffixes would match too much.
const MINIMUM_SUFFIX_LENGTH = 4;

function hintAt(name: string, settings: readonly Setting[], prefix: string): string {
  const wanted = normalize(name);
  const [longer, ...others] = settings.filter(({ path }) => normalize(path).endsWith(wanted));
  if (longer !== undefined && others.length === 0 && wanted.length >= MINIMUM_SUFFIX_LENGTH) {
    return `; did you mean "${prefix}${longer.path}"?`;
  }
  const paths = settings.map(({ path }) => `${prefix}${path}`);
  const shorts = settings.map(({ path }) => `${prefix}${path.split('.').at(-1) ?? ''}`);
  return suggest(`${prefix}${name}`, [...paths, ...shorts]);
}

function normalize(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
