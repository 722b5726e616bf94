import type { Schema } from '../schema.ts';
import { CURSOR, findSchemas } from './schema-at.ts';
import type { TextCursor } from './text-cursor.ts';

/** What can stand at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly role: 'KEY' | 'VALUE';
  /** What is said about the key, or about the key that the value is of. */
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** What is written. */
  readonly text: string;
  /** Whether values can be suggested for what is written. */
  readonly hasValues: boolean;
}

/** Lists the names of what a value refers to, such as drivers; undefined: it refers to nothing. */
export type ListReferences = (path: readonly (string | number)[]) => readonly string[] | undefined;

/** Lists the keys and values that a schema allows at the cursor, keys that are needed first. */
export function listSuggestions(
  cursor: TextCursor,
  schema: Schema,
  listReferences: ListReferences,
): readonly Suggestion[] {
  const { path, role, document } = cursor;
  const schemas = findSchemas(schema, document, path);
  const keys = role === 'KEY' ? listKeys(cursor, schema, schemas) : [];
  // An item of a list is a value as well.
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
      hasValues: false,
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
      const hasValues = findSchemas(schema, document, [...path, key]).some(
        (each) => listValues(each).length > 0,
      );
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

/** Lists the values that a schema names. */
export function listValues(schema: Schema): readonly (string | number | boolean | null)[] {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  if (schema.type === 'boolean') return [true, false];
  return schema.type === 'null' ? [null] : [];
}

// A word that YAML takes for something else than a text needs quotes, in JSON each does.
function writeValue(value: string | number | boolean | null, isJson: boolean): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[A-Za-z][\w.-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value);
  return isPlain && !isJson ? value : JSON.stringify(value);
}
