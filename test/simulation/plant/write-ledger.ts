import type { Chronicle } from '../world/chronicle.ts';
import type { Point, RestValue } from '../world/truth.ts';

/** What the answer said of a write; PENDING: there is none yet. */
export type WriteSaid = 'PENDING' | 'DONE' | 'NOT_DONE' | 'UNKNOWN';

/** One value that somebody asked to be written. */
export interface LedgerEntry {
  readonly who: string;
  /** The asset through which it is written. */
  readonly pid: string;
  readonly value: RestValue;
  readonly requestedMs: number;
  answeredMs: number;
  said: WriteSaid;
  /** How often the device carried it out. */
  count: number;
  carriedOutMs: number;
}

interface PointAccount {
  readonly entries: Map<RestValue, LedgerEntry>;
  /** Writes of the device that were compared already. */
  compared: number;
}

// An entry is forgotten when its request lies this far back; the device would have carried it out long before.
const KEPT_MS = 3_600_000;
// Writes that were compared are forgotten from time to time, all but the newest, which devices may look at.
const MANY_WRITES = 256;
const NEWEST_WRITES = 64;

/**
 * Compares what answers said of writes with what devices did. Each value is asked for once in the life of a point, so a
 * value that a device got tells which request it came from.
 */
export class WriteLedger {
  readonly #accounts = new Map<Point, PointAccount>();
  readonly #chronicle: Chronicle;
  readonly #nowMs: () => number;

  constructor(chronicle: Chronicle, nowMs: () => number) {
    this.#chronicle = chronicle;
    this.#nowMs = nowMs;
  }

  /** Notes that a value is asked for from now on. */
  request({ who, pid }: Pick<LedgerEntry, 'who' | 'pid'>, point: Point, value: RestValue): LedgerEntry {
    const account = this.#accountOf(point);
    const requestedMs = this.#nowMs();
    const entry: LedgerEntry = {
      who,
      pid,
      value,
      requestedMs,
      answeredMs: Infinity,
      said: 'PENDING',
      count: 0,
      carriedOutMs: Number.NaN,
    };
    account.entries.set(value, entry);
    return entry;
  }

  /** Notes what the answer says of a write, and compares it with the device. */
  answer(point: Point, entry: LedgerEntry, said: Exclude<WriteSaid, 'PENDING'>): void {
    entry.said = said;
    entry.answeredMs = this.#nowMs();
    this.compare(point);
    if (said !== 'DONE') return;
    if (entry.count !== 1) this.#break(point, entry, 'was acknowledged and carried out');
  }

  /**
   * Returns when the newest write was carried out that an asset had acknowledged before then: what it reads from then on
   * is no older.
   */
  acknowledgedMs(point: Point, pid: string, beforeMs: number): number {
    let newestMs = -Infinity;
    for (const entry of this.#accounts.get(point)?.entries.values() ?? []) {
      if (entry.said !== 'DONE' || entry.pid !== pid || entry.answeredMs > beforeMs) continue;
      newestMs = Math.max(newestMs, entry.carriedOutMs);
    }
    return newestMs;
  }

  /** Compares every point with the device. */
  compareAll(): void {
    for (const point of this.#accounts.keys()) this.compare(point);
  }

  compare(point: Point): void {
    const account = this.#accountOf(point);
    const { writes } = point;
    for (; account.compared < writes.length; account.compared += 1) {
      const carriedOut = writes[account.compared];
      if (carriedOut === undefined) break;
      const entry = account.entries.get(carriedOut.value);
      if (entry === undefined) {
        const text = `${point.channel.name} got ${String(carriedOut.value)}, which nobody asked for`;
        this.#chronicle.break('write-once', text);
        continue;
      }
      entry.count += 1;
      entry.carriedOutMs = carriedOut.atMs;
      if (entry.count > 1) this.#break(point, entry, 'was carried out');
      else if (entry.said === 'NOT_DONE')
        this.#break(point, entry, 'was reported as not done and carried out');
    }
    this.#forget(account);
    if (account.compared < MANY_WRITES) return;
    writes.splice(0, account.compared - NEWEST_WRITES);
    account.compared = NEWEST_WRITES;
  }

  #forget({ entries }: PointAccount): void {
    const untilMs = this.#nowMs() - KEPT_MS;
    for (const [value, { requestedMs }] of entries) {
      if (requestedMs >= untilMs) break;
      entries.delete(value);
    }
  }

  #break({ channel }: Point, { who, value, count, said }: LedgerEntry, what: string): void {
    const text = `the write of ${String(value)} to ${channel.name} by ${who} (answer: ${said}) ${what} ${count} times`;
    this.#chronicle.break('write-once', text);
  }

  #accountOf(point: Point): PointAccount {
    const known = this.#accounts.get(point);
    if (known !== undefined) return known;
    const account = { entries: new Map<RestValue, LedgerEntry>(), compared: 0 };
    this.#accounts.set(point, account);
    return account;
  }
}
