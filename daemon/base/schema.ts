import { z } from 'zod';

import { describeIssue } from './fault-words.ts';

/** Derives types, checks, defaults, JSON Schema and documentation from one declaration. */
export { z };

/**
 * Marks a setting in a schema that decides where a driver connects to, or how that is protected: a change of it asks for the
 * secrets of the driver again.
 */
export const TARGET = { 'x-target': true } as const;

/** One place where a document breaks its schema. */
export interface Fault {
  /** Keys and indices from the top of the document down to the faulty value. */
  readonly path: readonly (string | number)[];
  /** The expectation, in words. */
  readonly message: string;
}

/** Outcome of a check: the typed value with its defaults, or every fault at once. */
export type Checked<T> =
  | { readonly value: T; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly Fault[] };

/**
 * Checks a value of unknown shape.
 *
 * @returns the value with defaults filled in, or all faults in document order
 */
export function check<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const result = schema.safeParse(value, { reportInput: true, error: describeIssue });
  if (result.success) return { value: result.data };
  return { faults: result.error.issues.flatMap((issue) => toFaults(issue)) };
}

/** Writes a path as people write it: `http.ports[0]`; the top of the document is `(document)`. */
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
