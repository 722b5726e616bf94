import type { Document } from '../change/edit-target.ts';
import type { Schema } from '../schema.ts';

/** Editable field of a channel; nested fields have dots: `address.offset`. */
export interface ChannelColumn {
  readonly key: string;
  readonly kind: 'TEXT' | 'NUMBER' | 'BOOLEAN' | 'CHOICE' | 'JSON';
  /** For CHOICE: the allowed values. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** For NUMBER: what some alternative of the schema allows; infinite without a bound. */
  readonly minimum: number;
  readonly maximum: number;
  /** For NUMBER: true if no alternative allows a fraction. */
  readonly isInteger: boolean;
  /** Schema with its description. */
  readonly schema: Schema;
  /** Default as text; empty: none. */
  readonly standard: string;
}

// Shown in this order, before the others; an address comes after the name.
const FIRST = ['name', 'address', 'valueType', 'valueScale', 'valueOffset', 'unit', 'type'];
const ALWAYS = new Set(['name', 'type', 'valueType', 'valueScale', 'unit', 'write.minimum', 'write.maximum']);
/** Address fields that most channels of a driver type have. */
const USUAL = new Set([
  'address.unitId',
  'address.table',
  'address.offset',
  'address.dataType',
  'address.wordOrder',
  'address.nodeId',
  'address.request',
  'address.response.pattern',
]);

/** Lists the fields of a channel schema, most used first; alternatives are joined. */
export function listChannelColumns(schema: Schema): readonly ChannelColumn[] {
  const columns = new Map<string, ChannelColumn>();
  collect(schema, '', true, columns);
  return [...columns.values()].toSorted((one, other) => rankOf(one.key) - rankOf(other.key));
}

/** Returns the columns that a person needs to see: the usual ones, required ones, and those that a channel uses. */
export function listShownColumns(
  columns: readonly ChannelColumn[],
  channels: readonly Document[],
): readonly ChannelColumn[] {
  const used = new Set(channels.flatMap((channel) => listKeys(channel, '')));
  return columns.filter(
    ({ key, isRequired }) => isRequired || ALWAYS.has(key) || USUAL.has(key) || used.has(key),
  );
}

function collect(
  schema: Schema,
  prefix: string,
  isRequired: boolean,
  columns: Map<string, ChannelColumn>,
): void {
  const { anyOf, oneOf, properties = {}, required = [] } = schema;
  for (const [name, part] of Object.entries(properties)) {
    const key = `${prefix}${name}`;
    const isNeeded = isRequired && required.includes(name);
    const branches = [part, ...(part.anyOf ?? []), ...(part.oneOf ?? [])];
    if (branches.some((branch) => branch.properties !== undefined)) {
      collect(part, `${key}.`, isNeeded, columns);
    } else {
      const known = columns.get(key);
      columns.set(key, known === undefined ? toColumn(key, branches, isNeeded) : widen(known, branches));
    }
  }
  // A field of one alternative is not required in the others.
  const alternatives = [...(anyOf ?? []), ...(oneOf ?? [])];
  const isOnly = alternatives.length === 1;
  for (const each of alternatives) collect(each, prefix, isRequired && isOnly, columns);
}

function toColumn(key: string, branches: readonly Schema[], isRequired: boolean): ChannelColumn {
  const [first = {}] = branches;
  const choices = branches.flatMap((branch) => branch.enum ?? []).map(String);
  const standard = first.default === undefined ? '' : JSON.stringify(first.default).replaceAll('"', '');
  const kind = kindOf(branches);
  return { key, kind, choices, isRequired, ...boundsOf(branches), schema: first, standard };
}

/** Widens the bounds of a column to those of another alternative. */
function widen(column: ChannelColumn, branches: readonly Schema[]): ChannelColumn {
  const other = boundsOf(branches);
  return {
    ...column,
    minimum: Math.min(column.minimum, other.minimum),
    maximum: Math.max(column.maximum, other.maximum),
    isInteger: column.isInteger && other.isInteger,
  };
}

function boundsOf(branches: readonly Schema[]): Pick<ChannelColumn, 'minimum' | 'maximum' | 'isInteger'> {
  return {
    minimum: Math.min(...branches.map(({ minimum = -Infinity }) => minimum)),
    maximum: Math.max(...branches.map(({ maximum = Infinity }) => maximum)),
    isInteger: branches.every(({ type }) => type === 'integer'),
  };
}

function kindOf(branches: readonly Schema[]): ChannelColumn['kind'] {
  if (branches.some((branch) => branch.enum !== undefined)) return 'CHOICE';
  const types = new Set(branches.flatMap(({ type }) => type ?? []));
  if (types.has('object') || types.has('array')) return 'JSON';
  if (types.has('boolean')) return 'BOOLEAN';
  if (types.has('integer') || types.has('number')) return types.has('string') ? 'JSON' : 'NUMBER';
  return types.has('string') ? 'TEXT' : 'JSON';
}

function rankOf(key: string): number {
  const index = FIRST.findIndex((first) => key === first || key.startsWith(`${first}.`));
  return index < 0 ? FIRST.length : index;
}

function listKeys(value: Document, prefix: string): readonly string[] {
  return Object.entries(value).flatMap(([name, part]) => {
    const key = `${prefix}${name}`;
    const isBranch = typeof part === 'object' && part !== null && !Array.isArray(part);
    return isBranch ? listKeys(part as Document, `${key}.`).concat(key) : [key];
  });
}
