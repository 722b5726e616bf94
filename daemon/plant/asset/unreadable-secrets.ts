import type { Checked, Fault } from '../../base/schema.ts';
import { createFinding } from '../../interface/finding.ts';
import type { Finding } from '../../interface/finding.ts';
import { UnreadableSecret } from '../../base/key/secret-key.ts';

/** A part of a document, checked without the secrets that cannot be decrypted. */
interface CheckedPart<T> {
  readonly checked: Checked<T>;
  /** Dotted names of the secrets that cannot be decrypted; empty: none. */
  readonly unreadable: readonly string[];
}

/** Driver fields that concern secrets. */
interface Sealed {
  readonly pid: string;
  readonly unreadableSecrets?: readonly string[] | undefined;
}

// Never sent: a driver with it does not connect.
const STAND_IN = 'unreadable';

/** Checks a part of a document with placeholders for secrets that cannot be decrypted; placeholders are always valid. */
export function checkReadable<T>(check: (part: unknown) => Checked<T>, value: unknown): CheckedPart<T> {
  const paths: Fault['path'][] = [];
  const readable = replaceUnreadable(value, [], paths);
  if (paths.length === 0) return { checked: check(value), unreadable: [] };
  const checked = check(readable);
  const unreadable = paths.map((path) => path.join('.'));
  if (checked.faults === undefined) return { checked, unreadable };
  const faults = checked.faults.filter(
    ({ path }) => !unreadable.some((name) => path.join('.').startsWith(name)),
  );
  // The driver never receives it, so errors of the secret alone are harmless.
  return { checked: faults.length > 0 ? { faults } : { value: readable as T }, unreadable };
}

/** Lists the drivers of a plant that do not connect because their secrets cannot be decrypted. */
export function listUnreadable({ drivers }: { readonly drivers: readonly Sealed[] }): readonly Finding[] {
  return drivers.flatMap(({ pid, unreadableSecrets: names }) =>
    names === undefined ? [] : [createFinding('DRIVER_SECRETS_UNREADABLE', { driver: pid, secrets: names })],
  );
}

function replaceUnreadable(value: unknown, path: Fault['path'], found: Fault['path'][]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof UnreadableSecret) {
    found.push(path);
    return STAND_IN;
  }
  const before = found.length;
  const fields = Object.entries(value).map(
    ([key, field]) => [key, replaceUnreadable(field, [...path, key], found)] as const,
  );
  if (found.length === before) return value;
  return Array.isArray(value) ? fields.map(([, field]) => field) : Object.fromEntries(fields);
}
