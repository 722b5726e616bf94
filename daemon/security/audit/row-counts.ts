import type { Store } from '../../base/store/store.ts';

// Key for events without identity; no identity name is empty.
const NO_IDENTITY = '';

/** Running counts of stored events by kind and identity; counting rows at each append would cost more than the append. */
export class RowCounts {
  /** Counts by kind, then by identity. */
  readonly #kinds = new Map<string, Map<string, number>>();
  #total = 0;

  /** Counts the stored events. */
  static of({ database }: Store): RowCounts {
    const counts = new RowCounts();
    const groups = database
      .prepare(
        'SELECT event, outcome, identity, count(*) AS rows FROM audit_event GROUP BY event, outcome, identity',
      )
      .all();
    for (const { event, outcome, identity, rows } of groups) {
      counts.add(toKind(String(event), String(outcome)), toName(identity), Number(rows));
    }
    return counts;
  }

  /** Total number of events. */
  get total(): number {
    return this.#total;
  }

  /** Adds to a count; a negative number subtracts removed events. */
  add(kind: string, identity: string | undefined, rows: number): void {
    const identities = this.#kinds.get(kind) ?? new Map<string, number>();
    this.#kinds.set(kind, identities);
    const name = identity ?? NO_IDENTITY;
    const remaining = (identities.get(name) ?? 0) + rows;
    if (remaining > 0) identities.set(name, remaining);
    else identities.delete(name);
    this.#total += rows;
  }

  /** Returns the number of events of each kind. */
  byKind(): ReadonlyMap<string, number> {
    return new Map([...this.#kinds].map(([kind, identities]) => [kind, sumOf(identities)]));
  }

  /** Returns the number of events of a kind by identity; the key of events without identity is empty. */
  ofKind(kind: string): ReadonlyMap<string, number> {
    return this.#kinds.get(kind) ?? new Map<string, number>();
  }
}

/** Returns the counting key of a kind. */
export function toKind(event: string, outcome: string): string {
  // Neither event names nor outcomes contain spaces.
  return `${event} ${outcome}`;
}

function toName(identity: unknown): string | undefined {
  return typeof identity === 'string' ? identity : undefined;
}

/** Sums the rows of all groups, each counted up to `maximum`. */
function sumOf(counts: ReadonlyMap<string, number>, maximum = Infinity): number {
  let sum = 0;
  for (const count of counts.values()) sum += Math.min(count, maximum);
  return sum;
}

/**
 * Plans retention: the number of oldest rows to delete from each group so that `maximum` rows remain in total.
 *
 * Each row is taken from the group that is largest at that point, so that a client that fills one group cannot displace rows of
 * the others.
 *
 * @param counts rows of each group
 * @returns only groups that lose rows
 */
export function planRetention(
  counts: ReadonlyMap<string, number>,
  maximum: number,
): ReadonlyMap<string, number> {
  const level = findLevel([...counts.values()], maximum);
  // Rows that remain above the level, one in each of the last groups.
  let spare = maximum - sumOf(counts, level);
  const surplus = new Map<string, number>();
  for (const [kind, rows] of [...counts].toReversed()) {
    if (rows <= level) continue;
    const kept = spare > 0 ? level + 1 : level;
    spare -= kept - level;
    if (rows > kept) surplus.set(kind, rows - kept);
  }
  return surplus;
}

/** Finds the largest number of rows to which all groups can be cut so that no more than `maximum` remain. */
function findLevel(counts: readonly number[], maximum: number): number {
  const ascending = counts.toSorted((left, right) => left - right);
  let room = maximum;
  for (const [index, rows] of ascending.entries()) {
    const groups = ascending.length - index;
    if (rows * groups > room) return Math.floor(room / groups);
    room -= rows;
  }
  return Infinity;
}
