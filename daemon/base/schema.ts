import * as z from './deferred-schema.ts';
import { createFault, createReason, describeReasons } from './fault-reason.ts';
import { BASE_FAULTS } from './fault-sentences.ts';
import type { FaultReason } from './fault-reason.ts';

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
  params?: unknown;
}

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
  /** The sentences of the message with their codes; absent if one of them has none. */
  readonly reasons?: readonly FaultReason[] | undefined;
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
    return issue.keys.map((key) => createFault([...path, key], createReason(BASE_FAULTS, 'KEY_UNKNOWN', {})));
  }
  const isMissing = ABSENCE.has(issue.code) && issue.input === undefined;
  const missing = isMissing ? [createReason(BASE_FAULTS, 'MISSING', {})] : [];
  const reason = reasonOf(issue);
  if (reason !== undefined) return [createFault(path, ...missing, reason)];
  const message = lowerFirst(issue.message);
  return [{ path, message: isMissing ? `is missing; ${message}` : message }];
}

function reasonOf(issue: object): FaultReason | undefined {
  const { params } = issue as { readonly params?: { readonly reason?: FaultReason } };
  return params?.reason;
}

/** Lowers the first letter of a sentence that follows a colon; keeps a name in capitals, such as COILS. */
function lowerFirst(text: string): string {
  if (!/^\p{Lu}\p{Ll}/u.test(text)) return text;
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Describes the expectation of a schema, and notes its reason on the issue; a schema with its own message keeps it.
 *
 * @returns undefined to use the text of the library; no value is quoted
 */
function describeIssue(issue: SchemaIssue): string | undefined {
  const reason = findReason(issue);
  if (reason === undefined) return undefined;
  issue.params = { reason };
  return describeReasons([reason]);
}

function findReason(issue: SchemaIssue): FaultReason | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return toTypeReason(issue.expected ?? '', issue.input);
    case 'invalid_value':
      return toChoiceReason(issue.values ?? []);
    case 'too_big':
      return toBoundReason(issue, issue.maximum, issue.inclusive === false ? 'LESS' : 'AT_MOST');
    case 'too_small':
      return toBoundReason(issue, issue.minimum, issue.inclusive === false ? 'MORE' : 'AT_LEAST');
    case 'invalid_union':
      return Array.isArray(issue.options) ? toChoiceReason(issue.options) : toKindsReason(issue.errors ?? []);
    default:
      return undefined;
  }
}

function toTypeReason(expected: string, input: unknown): FaultReason {
  const kinds = [expected];
  if (input === undefined) return createReason(BASE_FAULTS, 'EXPECTED_KIND', { kinds });
  if (typeof input === 'number' && !Number.isFinite(input))
    return createReason(BASE_FAULTS, 'EXPECTED_FINITE', { kinds });
  const found = kindOf(input);
  // "a whole number, found a number" would be misleading.
  return expected === 'int' && found === 'number'
    ? createReason(BASE_FAULTS, 'EXPECTED_KIND', { kinds })
    : createReason(BASE_FAULTS, 'EXPECTED_KIND_FOUND', { kinds, found });
}

/** @param alternatives the issues of each alternative schema */
function toKindsReason(alternatives: readonly (readonly SchemaIssue[])[]): FaultReason | undefined {
  const kinds = alternatives.flatMap(([issue]) =>
    issue?.code === 'invalid_type' && issue.path?.length === 0 ? [issue.expected ?? ''] : [],
  );
  return kinds.length === 0 ? undefined : createReason(BASE_FAULTS, 'EXPECTED_KIND', { kinds });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function toBoundReason(
  { origin }: SchemaIssue,
  bound: unknown,
  relation: 'LESS' | 'AT_MOST' | 'MORE' | 'AT_LEAST',
): FaultReason {
  // Lengths are whole, and their bounds inclusive.
  if (relation === 'LESS' || relation === 'MORE') {
    return createReason(BASE_FAULTS, `EXPECTED_${relation}`, { bound: String(bound) });
  }
  const unit = origin === 'string' ? '_CHARACTERS' : origin === 'array' ? '_ITEMS' : '';
  return createReason(BASE_FAULTS, `EXPECTED_${relation}${unit}`, { bound: String(bound) });
}

function toChoiceReason(alternatives: readonly unknown[]): FaultReason {
  // A key with a default may be omitted, which cannot be written.
  const values = alternatives.filter((value) => value !== undefined).map(String);
  return values.length === 1
    ? createReason(BASE_FAULTS, 'EXPECTED_VALUE', { value: values.join('') })
    : createReason(BASE_FAULTS, 'EXPECTED_VALUES', { values });
}
