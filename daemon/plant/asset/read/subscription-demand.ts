import type { Cancel, Clock } from '../../../base/clock.ts';

/** Channels and interval that a client requests. */
interface DemandedChannels {
  readonly names: readonly string[];
  readonly intervalMs: number;
}

interface DemandOptions {
  readonly clock: Clock;
  /** Called when a demand was dropped and others remain. */
  readonly onChange: () => void;
  /** Called when the last demand was dropped. */
  readonly onIdle: () => void;
}

/** Time in which channels of a disconnected client are still followed, so that it misses nothing if it returns. */
export const LINGER_MS = 30_000;

// Maximum demands of disconnected clients; the oldest is dropped.
const MAXIMUM_LINGERING = 32;

/** Merges the requests of all subscribers; those of a disconnected client expire after `LINGER_MS`. */
export class SubscriptionDemand {
  readonly #options: DemandOptions;
  readonly #present = new Set<DemandedChannels>();
  readonly #lingering = new Map<DemandedChannels, Cancel>();

  constructor(options: DemandOptions) {
    this.#options = options;
  }

  /**
   * Adds the demand of a client.
   *
   * @returns a function that removes the demand when the client disconnects
   */
  add(demanded: DemandedChannels): () => void {
    this.#present.add(demanded);
    return () => {
      if (!this.#present.delete(demanded)) return;
      this.#lingering.set(
        demanded,
        this.#options.clock.schedule(LINGER_MS, () => this.#drop(demanded)),
      );
      const [oldest] = this.#lingering.keys();
      if (this.#lingering.size > MAXIMUM_LINGERING && oldest !== undefined) this.#drop(oldest);
    };
  }

  /** Returns every requested channel, and the shortest interval. */
  combine(): { readonly names: ReadonlySet<string>; readonly intervalMs: number } {
    const all = [...this.#present, ...this.#lingering.keys()].filter(({ names }) => names.length > 0);
    return {
      names: new Set(all.flatMap(({ names }) => names)),
      intervalMs: Math.min(...all.map(({ intervalMs }) => intervalMs)),
    };
  }

  /** Drops all demands without a callback. */
  stop(): void {
    for (const cancel of this.#lingering.values()) cancel();
    this.#lingering.clear();
    this.#present.clear();
  }

  #drop(demanded: DemandedChannels): void {
    this.#lingering.get(demanded)?.();
    this.#lingering.delete(demanded);
    if (this.#present.size + this.#lingering.size === 0) this.#options.onIdle();
    else this.#options.onChange();
  }
}
