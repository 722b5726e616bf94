import type { Text } from '@codemirror/state';

import { EDITOR } from '../../text/editor.ts';
import { fill } from '../../text/fill.ts';
import { describeRange } from '../number-range.ts';
import type { Schema } from '../schema.ts';
import { CURSOR, findSchemas } from './schema-at.ts';
import { listValues } from './suggestions.ts';
import { findCursor } from './text-cursor.ts';
import type { TextCursor } from './text-cursor.ts';

/** Schema description of a key. */
export interface KeyWords {
  readonly name: string;
  /** Type, bounds and default. */
  readonly facts: string;
  /** Schema with its description; empty if none has one. */
  readonly described: Schema;
  readonly from: number;
  readonly to: number;
}

type Path = readonly (string | number)[];

const MAXIMUM_VALUES = 12;

/** Finds the schema description of the key at an offset, or of the key whose value is there. */
export function findKeyWords(text: Text, offset: number, schema: Schema): KeyWords | undefined {
  const cursor = findCursor(text, offset);
  if (cursor === undefined || cursor.word === '') return undefined;
  const { path, role, word, from, to } = cursor;
  const full = role === 'KEY' ? [...path, word] : path;
  const name = full.findLast((key) => typeof key === 'string');
  const schemas = findSchemas(schema, fillIn(cursor), full);
  if (name === undefined || schemas.length === 0) return undefined;
  return { name, ...describeSchemas(schemas), from, to };
}

/** Describes the union of several schemas. */
export function describeSchemas(schemas: readonly Schema[]): Pick<KeyWords, 'facts' | 'described'> {
  const values = [...new Set(schemas.filter(({ type }) => type !== 'boolean').flatMap(listValues))];
  const types = schemas.flatMap((schema) => (listValues(schema).length > 0 ? [] : wordsOfTypes(schema)));
  const [standard] = schemas.flatMap(({ default: value }) => (value === undefined ? [] : [value]));
  const booleans = schemas.flatMap(({ type }) => (type === 'boolean' ? [fill(EDITOR.boolean)] : []));
  const facts = [
    [...new Set([...types, ...booleans, ...wordsOfValues(values)])].join(` ${fill(EDITOR.or)} `),
    ...(schemas.some(({ writeOnly }) => writeOnly === true) ? [fill(EDITOR.secret)] : []),
    ...(standard === undefined ? [] : [fill(EDITOR.standard, { value: JSON.stringify(standard) })]),
  ];
  const described = schemas.find(({ description }) => description !== undefined) ?? {};
  return { facts: facts.filter((fact) => fact !== '').join(', '), described };
}

function wordsOfValues(values: readonly (string | number | boolean | null)[]): readonly string[] {
  if (values.length === 0) return [];
  const [first] = values;
  if (values.length === 1) return [first === null ? 'null' : fill(EDITOR.always, { value: String(first) })];
  const named = values.slice(0, MAXIMUM_VALUES).map(String);
  const list = values.length > MAXIMUM_VALUES ? [...named, '…'] : named;
  return [fill(EDITOR.oneOf, { values: list.join(', ') })];
}

function wordsOfTypes({
  type,
  minimum = -Infinity,
  maximum = Infinity,
  properties,
}: Schema): readonly string[] {
  const types = [type ?? (properties === undefined ? [] : 'object')].flat();
  return types.map((each) => {
    const name = isTypeName(each) ? fill(TYPE_NAMES[each]) : each;
    const range = each === 'integer' || each === 'number' ? describeRange(minimum, maximum) : '';
    return range === '' ? name : `${name}, ${range}`;
  });
}

const TYPE_NAMES = {
  integer: EDITOR.integer,
  number: EDITOR.number,
  string: EDITOR.string,
  boolean: EDITOR.boolean,
  array: EDITOR.array,
  object: EDITOR.object,
  null: EDITOR.null,
} as const;

function isTypeName(type: string): type is keyof typeof TYPE_NAMES {
  return Object.hasOwn(TYPE_NAMES, type);
}

/** Returns the document with the key at the cursor and an open value, so that all allowed values are described. */
function fillIn({ document, path, role, word }: TextCursor): unknown {
  if (role === 'VALUE') return document;
  const visit = (value: unknown, [key, ...rest]: Path): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (key === undefined) {
      const others = Object.entries(value).filter(([name]) => name !== CURSOR);
      return { ...Object.fromEntries(others), [word]: CURSOR };
    }
    const part = visit((value as Readonly<Record<string, unknown>>)[key], rest);
    return Array.isArray(value) && typeof key === 'number'
      ? value.with(key, part)
      : { ...value, [key]: part };
  };
  return visit(document, path);
}
