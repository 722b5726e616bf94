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

function sumOf(identities: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of identities.values()) sum += count;
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
  const remaining = [...counts].map(([kind, rows]) => ({ kind, rows }));
  const total = remaining.reduce((sum, { rows }) => sum + rows, 0);
  for (let excess = total - maximum; excess > 0; excess -= 1) {
    let largest = remaining[0];
    for (const candidate of remaining) if (candidate.rows > (largest?.rows ?? 0)) largest = candidate;
    if (largest !== undefined) largest.rows -= 1;
  }
  return new Map(
    remaining.flatMap(({ kind, rows }) => {
      const surplus = (counts.get(kind) ?? 0) - rows;
      return surplus > 0 ? [[kind, surplus] as const] : [];
    }),
  );
}
