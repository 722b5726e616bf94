import type { Cancel, Clock } from '../../base/clock.ts';
import { runInSlices } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { AuditStore } from './audit-store.ts';

/** Interval of chain inspections after the one at the start. */
const INSPECTION_INTERVAL_MS = 86_400_000;

interface AuditUpkeepOptions {
  readonly store: Pick<AuditStore, 'inspect' | 'isFull' | 'retain'>;
  readonly clock: Clock;
  /** Called after each inspection; its result is in the store. */
  readonly onInspected: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Inspects the stored chain and removes events beyond the bound, in slices: neither an event nor a request waits for it. */
export class AuditUpkeep {
  readonly #options: AuditUpkeepOptions;
  #isRetaining = false;
  #isStopped = false;
  #cancelInspection: Cancel | undefined;

  constructor(options: AuditUpkeepOptions) {
    this.#options = options;
  }

  /** Inspects the stored chain now and daily, so that a break is recorded before retention removes the events around it. */
  async inspect(): Promise<void> {
    const { store, clock, onInspected, onFailure } = this.#options;
    this.#cancelInspection = undefined;
    try {
      for (const portions = store.inspect(); ;) {
        await clock.spareTurn();
        if (this.#isStopped) return;
        if (portions.next().done === true) break;
      }
      onInspected();
    } catch (error) {
      onFailure(error);
    }
    this.#cancelInspection = clock.schedule(INSPECTION_INTERVAL_MS, () => void this.inspect());
  }

  /** Removes events if there are too many; after a failure, the next call tries again. */
  async retain(): Promise<void> {
    const { store, clock, onFailure } = this.#options;
    if (this.#isRetaining || this.#isStopped || !store.isFull) return;
    this.#isRetaining = true;
    try {
      await runInSlices(this.#retainUntilStopped(), clock);
    } catch (error) {
      onFailure(error);
    }
    this.#isRetaining = false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelInspection?.();
  }

  *#retainUntilStopped(): Slices<void> {
    for (const _step of this.#options.store.retain()) {
      yield;
      if (this.#isStopped) return;
    }
  }
}
