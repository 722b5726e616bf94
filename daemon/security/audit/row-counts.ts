import type { Store } from '../../base/store/store.ts';

// No identity has an empty name.
const NOBODY = '';

/** Counts stored events by kind and identity: counting them at each append would cost more than the append. */
export class RowCounts {
  /** By kind, then by identity. */
  readonly #kinds = new Map<string, Map<string, number>>();
  #total = 0;

  /** Counts what is stored. */
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

  /** Number of all events. */
  get total(): number {
    return this.#total;
  }

  /** Counts events that were added; a negative number, those that were removed. */
  add(kind: string, identity: string | undefined, rows: number): void {
    const identities = this.#kinds.get(kind) ?? new Map<string, number>();
    this.#kinds.set(kind, identities);
    const name = identity ?? NOBODY;
    const remaining = (identities.get(name) ?? 0) + rows;
    if (remaining > 0) identities.set(name, remaining);
    else identities.delete(name);
    this.#total += rows;
  }

  /** Returns the number of events of each kind. */
  byKind(): ReadonlyMap<string, number> {
    return new Map([...this.#kinds].map(([kind, identities]) => [kind, sumOf(identities)]));
  }

  /** Returns the number of events of a kind by identity; those without are under an empty name. */
  ofKind(kind: string): ReadonlyMap<string, number> {
    return this.#kinds.get(kind) ?? new Map<string, number>();
  }
}

/** Returns the name under which events of a kind are counted. */
export function toKind(event: string, outcome: string): string {
  // No event and no outcome holds a space.
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
 * Returns how many of the oldest rows of each group have to go, so that `maximum` remain in all.
 *
 * Each row is taken from the group that has the most then: those who can fill one group cannot push out the rows of
 * the others.
 *
 * @param counts rows of each group
 * @returns only groups that lose rows
 */
export function planTrim(counts: ReadonlyMap<string, number>, maximum: number): ReadonlyMap<string, number> {
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
