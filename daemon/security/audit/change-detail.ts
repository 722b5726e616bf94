import type { AuditDetail } from './audit-event.ts';

/** One changed key, without secrets. */
interface DescribedChange {
  readonly path: string;
  readonly old?: string | undefined;
  readonly new?: string | undefined;
  readonly secret?: string | undefined;
}

/** Changes of one operation, possibly truncated. */
interface DescribedChanges {
  readonly changes: readonly DescribedChange[];
  /** Number of changes that are not listed. */
  readonly omitted: number;
}

/** Maximum changes of one event. */
export const CHANGES_PER_EVENT = 9;

/**
 * Describes changes for the audit log: one detail for every {@link CHANGES_PER_EVENT} changed keys.
 *
 * Each detail contains the common part, the total number of changes and of unlisted ones, and for each key `path[0]` with `old[0]`
 * and `new[0]`, or with `secret[0]`.
 *
 * @param head common part of all details; at most nine entries
 * @returns at least one detail, even if nothing changed
 */
export function describeChanges(
  head: AuditDetail,
  { changes, omitted }: DescribedChanges,
): readonly AuditDetail[] {
  if (changes.length + omitted === 0) return [head];
  const counts = {
    changes: changes.length + omitted,
    ...(omitted === 0 ? {} : { changesNotListed: omitted }),
  };
  const details: AuditDetail[] = [];
  for (let start = 0; start === 0 || start < changes.length; start += CHANGES_PER_EVENT) {
    const listed = changes.slice(start, start + CHANGES_PER_EVENT);
    const entries = listed.flatMap((change, index) => listEntries(change, start + index));
    details.push({ ...head, ...counts, ...Object.fromEntries(entries) });
  }
  return details;
}

function listEntries(change: DescribedChange, index: number): readonly (readonly [string, string])[] {
  return (['path', 'old', 'new', 'secret'] as const).flatMap((name) => {
    const value = change[name];
    return value === undefined ? [] : [[`${name}[${index}]`, value] as const];
  });
}
