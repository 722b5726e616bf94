import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../journal/sample.ts';
import { SettledTime } from '../journal/settled-time.ts';
import type { HistoryTables } from './history-tables.ts';

const BLOCKS_AT_ONCE = 128;
const PAGES_AT_ONCE = 256;

/** What the history may use of the disk. */
export interface HistoryBounds {
  readonly maximumBytes: number;
  readonly maximumAgeMs: number;
}

/** Deletes blocks that are too old, and those beyond the maximum size, the oldest first. */
export class HistoryRetention {
  readonly #tables: HistoryTables;
  readonly #clock: Clock;
  readonly #settled: SettledTime;

  constructor(tables: HistoryTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    this.#settled = new SettledTime({
      wallMs: tables.newestTakenMs ?? clock.epochMs(),
      monotonicMs: clock.monotonicMs(),
    });
  }

  /**
   * Applies the bounds, and gives what they free back to the disk; others run in between.
   *
   * @throws {StoreFailure} when the disk refuses it
   */
  async apply({ maximumBytes, maximumAgeMs }: HistoryBounds): Promise<void> {
    const clock = this.#clock;
    const nowMs = this.#settled.update({ wallMs: clock.epochMs(), monotonicMs: clock.monotonicMs() });
    while (this.#deleteSome(nowMs - maximumAgeMs, this.#tables.bytes - maximumBytes)) await clock.spareTurn();
    for (let free = this.#tables.freePages; free > 0;) {
      this.#tables.releasePages(PAGES_AT_ONCE);
      await clock.spareTurn();
      const left = this.#tables.freePages;
      if (left >= free) return;
      free = left;
    }
  }

  /** @returns false once nothing is left to delete */
  #deleteSome(oldestMs: number, excessBytes: number): boolean {
    let excess = excessBytes;
    const [oldest] = this.#tables.listOldest(1);
    if (oldest === undefined || (oldest.takenAtMs >= oldestMs && excess <= 0)) return false;
    const gaps = new Map<string, Gap>();
    let last: { readonly id: number; readonly lastSequence: number } | undefined;
    for (const block of this.#tables.listOldest(BLOCKS_AT_ONCE)) {
      if (block.takenAtMs >= oldestMs && excess <= 0) break;
      excess -= block.bytes;
      const { asset, fromMs, toMs, count } = block;
      const known = gaps.get(asset) ?? { reason: 'RETENTION', asset, fromMs, toMs, count: 0 };
      gaps.set(asset, {
        ...known,
        fromMs: Math.min(known.fromMs, fromMs),
        toMs: Math.max(known.toMs, toMs),
        count: known.count + count,
      });
      last = block;
    }
    if (last === undefined) return false;
    this.#tables.deleteBlocks(last.id, last.lastSequence, [...gaps.values()]);
    return true;
  }
}
