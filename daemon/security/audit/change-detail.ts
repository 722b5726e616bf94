import type { AuditDetail } from './audit-event.ts';

/** One thing that changed, without secrets. */
interface DescribedChange {
  readonly path: string;
  readonly old?: string | undefined;
  readonly new?: string | undefined;
  readonly secret?: string | undefined;
}

/** What changed, as far as it is listed. */
interface DescribedChanges {
  readonly changes: readonly DescribedChange[];
  /** Number of those that are not listed. */
  readonly omitted: number;
}

/** Changes that one event holds. */
export const CHANGES_PER_EVENT = 9;

/**
 * Describes a change for the audit log: a detail for every {@link CHANGES_PER_EVENT} things that changed.
 *
 * Each has the common part, the number of all changes, of those that are not listed, and for each thing `path[0]` with `old[0]`
 * and `new[0]`, or with `secret[0]`.
 *
 * @param head what each of the details has as well; at most nine entries
 * @returns at least one detail, also when nothing changed
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
