import type { Cancel, Clock } from '../base/clock.ts';

/** Channels that somebody wants, and how often. */
interface DemandedChannels {
  readonly names: readonly string[];
  readonly intervalMs: number;
}

interface DemandOptions {
  readonly clock: Clock;
  /** Called when an demanded was given up and others remain. */
  readonly onChange: () => void;
  /** Called when the last demanded was given up. */
  readonly onIdle: () => void;
}

/** So long the channels of a listener that is gone are still followed, so that it misses nothing when it comes back. */
export const LINGER_MS = 30_000;

// Listeners that come and go must not leave more behind than this; the one that left first is given up.
const MAXIMUM_LINGERING = 32;

/** What all who listen want together, and for a while those who left. */
export class Demand {
  readonly #options: DemandOptions;
  readonly #present = new Set<DemandedChannels>();
  readonly #lingering = new Map<DemandedChannels, Cancel>();

  constructor(options: DemandOptions) {
    this.#options = options;
  }

  /** @returns says that the owner is gone; to be called once */
  add(demanded: DemandedChannels): () => void {
    this.#present.add(demanded);
    return () => {
      if (!this.#present.delete(demanded)) return;
      this.#lingering.set(
        demanded,
        this.#options.clock.schedule(LINGER_MS, () => this.#giveUp(demanded)),
      );
      const [oldest] = this.#lingering.keys();
      if (this.#lingering.size > MAXIMUM_LINGERING && oldest !== undefined) this.#giveUp(oldest);
    };
  }

  /** Gives every channel that is wanted, and the shortest interval that anyone wants. */
  combine(): { readonly names: ReadonlySet<string>; readonly intervalMs: number } {
    const all = [...this.#present, ...this.#lingering.keys()].filter(({ names }) => names.length > 0);
    return {
      names: new Set(all.flatMap(({ names }) => names)),
      intervalMs: Math.min(...all.map(({ intervalMs }) => intervalMs)),
    };
  }

  /** Forgets everything without telling anybody. */
  stop(): void {
    for (const cancel of this.#lingering.values()) cancel();
    this.#lingering.clear();
    this.#present.clear();
  }

  #giveUp(demanded: DemandedChannels): void {
    this.#lingering.get(demanded)?.();
    this.#lingering.delete(demanded);
    if (this.#present.size + this.#lingering.size === 0) this.#options.onIdle();
    else this.#options.onChange();
  }
}
