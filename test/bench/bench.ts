import type { Owner } from '../support/temporary-directory.ts';
import { Load } from './load.ts';
import type { Tally } from './load.ts';

/** How long a benchmark may take. */
export type Pace = 'full' | 'quick';

/** The tools of a scenario; everything that it opens is closed when it ends. */
export class Bench implements Owner {
  readonly pace: Pace;
  /** How long memory is watched, where it must not grow. */
  readonly watchMs: number;
  readonly tally: Tally = { requests: 0, failures: 0 };
  readonly #cleanUps: (() => unknown)[] = [];

  constructor(pace: Pace, watchMinutes: number) {
    this.pace = pace;
    this.watchMs = watchMinutes * 60_000;
  }

  /** Returns the choice for a full or a quick run. */
  choose<T>(choices: Readonly<Record<Pace, T>>): T {
    return choices[this.pace];
  }

  after(cleanUp: () => void | Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  startLoad(): Promise<Load> {
    return Load.start(this, this.tally);
  }

  /** Ends everything, the newest first. */
  async end(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).toReversed()) await cleanUp();
  }
}
