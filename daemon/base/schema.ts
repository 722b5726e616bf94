import * as z from './deferred-schema.ts';

/** An error that a schema reports; its fields depend on the code. */
interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path?: readonly unknown[] | undefined;
  readonly input?: unknown;
  /** Of `invalid_type`. */
  readonly expected?: string | undefined;
  /** Of `invalid_value`. */
  readonly values?: readonly unknown[] | undefined;
  /** Of `too_big` and `too_small`. */
  readonly maximum?: unknown;
  readonly minimum?: unknown;
  readonly inclusive?: boolean | undefined;
  readonly origin?: string | undefined;
  /** Of `invalid_union`: values of the discriminating key, or the issues of each alternative. */
  readonly options?: unknown;
  readonly errors?: readonly (readonly SchemaIssue[])[] | undefined;
}

// Terms of YAML and JSON.
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with keys',
  record: 'an object with keys',
  null: 'null',
};

const SIZE_UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/** Derives types, checks, defaults, JSON Schema and documentation from one declaration. */
export { z };

/**
 * Marks a setting in a schema that determines the endpoint of a driver or its protection: changing it requires the
 * secrets of the driver again.
 */
export const TARGET = { 'x-target': true } as const;

/** One violation of a schema in a document. */
export interface Fault {
  /** Keys and indices from the top of the document down to the faulty value. */
  readonly path: readonly (string | number)[];
  /** Text of the expectation. */
  readonly message: string;
}

/** Result of a check: the typed value with its defaults, or all errors at once. */
export type Checked<T> =
  | { readonly value: T; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly Fault[] };

/**
 * Checks a value of unknown shape.
 *
 * @returns the value with defaults filled in, or all errors in document order
 */
export function check<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const result = schema.safeParse(value, { reportInput: true, error: describeIssue });
  if (result.success) return { value: result.data };
  return { faults: result.error.issues.flatMap((issue) => toFaults(issue)) };
}

/** Formats a path for display: `http.ports[0]`; the top of the document is `(document)`. */
export function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(document)';
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join('');
}

// The message for a missing value; a schema of several alternatives checks its own key first.
const ABSENCE = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_value', 'invalid_union']);

function toFaults(issue: z.core.$ZodIssue): readonly Fault[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a known key' }));
  }
  const message = lowerFirst(issue.message);
  const isMissing = ABSENCE.has(issue.code) && issue.input === undefined;
  return [{ path, message: isMissing ? `is missing; ${message}` : message }];
}

/** Lowers the first letter of a sentence that follows a colon; keeps a name in capitals, such as COILS. */
function lowerFirst(text: string): string {
  if (!/^\p{Lu}\p{Ll}/u.test(text)) return text;
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Describes the expectation of a schema; a schema with its own message keeps it.
 *
 * @returns undefined to use the text of the library; no value is quoted
 */
function describeIssue(issue: SchemaIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected ?? '', issue.input);
    case 'invalid_value':
      return `expected ${listAlternatives(issue.values ?? [])}`;
    case 'too_big':
      return `expected ${describeBound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'too_small':
      return `expected ${describeBound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'invalid_union':
      return Array.isArray(issue.options)
        ? `expected ${listAlternatives(issue.options)}`
        : describeKinds(issue.errors ?? []);
    default:
      return undefined;
  }
}

function describeType(expected: string, input: unknown): string {
  const wanted = describeKind(expected);
  if (input === undefined) return `expected ${wanted}`;
  if (typeof input === 'number' && !Number.isFinite(input)) return `expected ${wanted} that is finite`;
  const found = kindOf(input);
  // "a whole number, found a number" would be misleading.
  if (expected === 'int' && found === 'number') return `expected ${wanted}`;
  return `expected ${wanted}, found ${describeKind(found)}`;
}

/** @param alternatives the issues of each alternative schema */
function describeKinds(alternatives: readonly (readonly SchemaIssue[])[]): string | undefined {
  const kinds = alternatives.flatMap(([issue]) =>
    issue?.code === 'invalid_type' && issue.path?.length === 0 ? [describeKind(issue.expected ?? '')] : [],
  );
  return kinds.length === 0 ? undefined : `expected ${kinds.join(' or ')}`;
}

function describeKind(kind: string): string {
  return KINDS[kind] ?? kind;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function describeBound({ origin }: SchemaIssue, bound: unknown, relation: string): string {
  return `${relation} ${String(bound)}${SIZE_UNITS[origin ?? ''] ?? ''}`;
}

function listAlternatives(values: readonly unknown[]): string {
  // A key with a default may be omitted, which cannot be written.
  const written = values.filter((value) => value !== undefined).map(String);
  return written.length === 1 ? written.join('') : `one of ${written.join(', ')}`;
}
