import type { Clock } from '../../../daemon/base/clock.ts';
import type { Chronicle } from '../world/chronicle.ts';

/** The end of a process. */
interface ProcessEnd {
  /** Since when it was active; undefined: it never was. */
  readonly activeSinceMs: number | undefined;
  /** Whether the gateway has ended it. */
  readonly isWanted: boolean;
}

interface Ends {
  readonly inRow: number;
  readonly lastMs: number;
}

// docs/reference/bundles.md: from one second on the pause doubles with each end up to five minutes, unless the bundle was active for
// a minute; after five ends in a row it is given up.
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
const STABLE_MS = 60_000;
const MOST_IN_ROW = 5;

/** Checks `bundle-restarted`: how often and how soon bundles that end by themselves are started again. */
export class RestartCheck {
  readonly #time: Pick<Clock, 'monotonicMs'>;
  readonly #chronicle: Pick<Chronicle, 'break'>;
  readonly #ends = new Map<string, Ends>();
  #allowed: readonly string[] = [];

  constructor(time: Pick<Clock, 'monotonicMs'>, chronicle: Pick<Chronicle, 'break'>) {
    this.#time = time;
    this.#chronicle = chronicle;
  }

  noteStart(name: string): void {
    const { inRow, lastMs } = this.#ends.get(name) ?? { inRow: 0, lastMs: 0 };
    if (inRow === 0 || this.#allowed.includes(name)) return;
    const pauseMs = this.#time.monotonicMs() - lastMs;
    const leastMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (inRow - 1));
    if (inRow < MOST_IN_ROW && pauseMs >= leastMs) return;
    const text = `${name} is started ${pauseMs.toFixed(0)} ms after its end, the ${inRow}. in a row`;
    this.#chronicle.break('bundle-restarted', text);
  }

  noteEnd(name: string, { activeSinceMs, isWanted }: ProcessEnd): void {
    const lastMs = this.#time.monotonicMs();
    const isStable = activeSinceMs !== undefined && lastMs - activeSinceMs >= STABLE_MS;
    const before = isStable ? 0 : (this.#ends.get(name)?.inRow ?? 0);
    // An end that the gateway has asked for may begin a new count.
    if (isWanted) this.#ends.delete(name);
    else this.#ends.set(name, { inRow: before + 1, lastMs });
  }

  /** Notes that somebody asks for these bundles to be started, until the returned function is called. */
  allow(names: readonly string[]): () => void {
    this.#allowed = names;
    return () => {
      for (const name of names) this.#ends.delete(name);
      this.#allowed = [];
    };
  }

  /** Notes that the gateway starts. */
  forgetAll(): void {
    this.#ends.clear();
  }
}
