import { getHeapStatistics, setFlagsFromString } from 'node:v8';

import type { Cancel, Clock } from '../../base/clock.ts';

/** The heap of the runtime. */
export interface GrowingHeap {
  /** Objects in it, also those that a collection would free. */
  usedBytes(): number;
  /** Sets how much it grows after a full collection until the next one, in percent of what the collection left; 0: the runtime decides. */
  setGrowth(percent: number): void;
}

const INTERVAL_MS = 5000;
// A small gateway with 100 clients has 40 MiB, 100,000 channels take 60 and more.
const LARGE_BYTES = 48 * 2 ** 20;
// The runtime would choose 30 to 60 for such a heap, and so collect four times as often. Each collection of a large heap stops everybody for 10 ms.
const PERCENT_OF_LARGE = 100;

/** Saves full collections of a large heap; a small one, as most gateways have, stays small. */
export class HeapGrowth {
  readonly #clock: Clock;
  readonly #heap: GrowingHeap;
  #percent = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, heap: GrowingHeap) {
    this.#clock = clock;
    this.#heap = heap;
  }

  /** Starts monitoring. */
  start(): void {
    this.#adapt();
    this.#cancel = this.#clock.schedule(INTERVAL_MS, () => this.start());
  }

  /** Stops monitoring. */
  stop(): void {
    this.#cancel?.();
  }

  #adapt(): void {
    const percent = this.#heap.usedBytes() > LARGE_BYTES ? PERCENT_OF_LARGE : 0;
    if (percent === this.#percent) return;
    this.#percent = percent;
    this.#heap.setGrowth(percent);
  }
}

/** The heap of this process. The limit that the launcher sets for it stays. */
export const ownHeap: GrowingHeap = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  // Read at each collection, so it may change at any time.
  setGrowth: (percent) => setFlagsFromString(`--heap-growing-percent=${percent}`),
};
