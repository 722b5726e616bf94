import type { Schema } from '../schema.ts';
import { CURSOR, findSchemas } from './schema-at.ts';
import type { TextCursor } from './text-cursor.ts';

/** Suggestion at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly role: 'KEY' | 'VALUE';
  /** Description of the key, or of the key of the value. */
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** Inserted text. */
  readonly text: string;
  /** True if values can be suggested after insertion; evaluated for the chosen one alone, as it takes its time. */
  readonly hasValues: () => boolean;
}

/** Lists the names that a value can reference, for example drivers; undefined if it is no reference. */
export type ListReferences = (path: readonly (string | number)[]) => readonly string[] | undefined;

/** Lists the keys and values that a schema allows at the cursor, required keys first. */
export function listSuggestions(
  cursor: TextCursor,
  schema: Schema,
  listReferences: ListReferences,
): readonly Suggestion[] {
  const { path, role, document } = cursor;
  const schemas = findSchemas(schema, document, path);
  const keys = role === 'KEY' ? listKeys(cursor, schema, schemas) : [];
  // A list item is also a value.
  const isItem = role === 'KEY' && typeof path.at(-1) === 'number';
  if (role === 'KEY' && !isItem) return keys;
  const names = listReferences(path);
  const values = names === undefined ? schemas.flatMap(listValues) : names;
  const [first = {}] = schemas;
  return [
    ...keys,
    ...[...new Set(values)].map((value) => ({
      label: String(value),
      role: 'VALUE' as const,
      schema: first,
      isRequired: false,
      text: writeValue(value, cursor.isJson),
      hasValues: () => false,
    })),
  ];
}

function listKeys(cursor: TextCursor, schema: Schema, schemas: readonly Schema[]): readonly Suggestion[] {
  const { path, document, isJson, hasColon } = cursor;
  const parts = new Map<string, Schema>();
  for (const { properties = {} } of schemas) {
    for (const [key, part] of Object.entries(properties)) if (!parts.has(key)) parts.set(key, part);
  }
  const present = new Set(listPresent(document, path));
  const suggestions = [...parts]
    .filter(([key]) => !present.has(key))
    .map(([key, part]) => {
      const isRequired = schemas.some(({ required = [] }) => required.includes(key));
      const hasValues = (): boolean =>
        findSchemas(schema, document, [...path, key]).some((each) => listValues(each).length > 0);
      const text = hasColon ? writeValue(key, isJson) : `${writeValue(key, isJson)}: `;
      return { label: key, role: 'KEY' as const, schema: part, isRequired, text, hasValues };
    });
  return suggestions.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

function listPresent(document: unknown, path: readonly (string | number)[]): readonly string[] {
  let value = document;
  for (const key of path) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  return typeof value === 'object' && value !== null
    ? Object.keys(value).filter((key) => key !== CURSOR)
    : [];
}

/** Lists the values that a schema enumerates. */
export function listValues(schema: Schema): readonly (string | number | boolean | null)[] {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  if (schema.type === 'boolean') return [true, false];
  return schema.type === 'null' ? [null] : [];
}

// A word that YAML does not read as a string needs quotes; in JSON every string does.
function writeValue(value: string | number | boolean | null, isJson: boolean): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[A-Za-z][\w.-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value);
  return isPlain && !isJson ? value : JSON.stringify(value);
}
