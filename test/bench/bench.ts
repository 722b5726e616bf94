import { Load } from './load.ts';
import type { Tally } from './load.ts';
import { OWN_PROGRAM } from './program.ts';
import type { Program, ProgramOwner } from './program.ts';

/** How long a benchmark may take. */
export type Pace = 'full' | 'quick';

export interface BenchOptions {
  readonly pace: Pace;
  readonly watchMinutes: number;
  /** The version that is measured: the one of these sources unless another is given. */
  readonly program?: Program;
}

/** The tools of a scenario; everything that it opens is closed when it ends. */
export class Bench implements ProgramOwner {
  readonly pace: Pace;
  /** How long memory is watched, where it must not grow. */
  readonly watchMs: number;
  readonly program: Program;
  readonly tally: Tally = { requests: 0, failures: 0 };
  readonly #cleanUps: (() => unknown)[] = [];
  #end: Promise<void> | undefined;

  constructor({ pace, watchMinutes, program = OWN_PROGRAM }: BenchOptions) {
    this.pace = pace;
    this.watchMs = watchMinutes * 60_000;
    this.program = program;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Returns the choice for a full or a quick run. */
  choose<T>(choices: Readonly<Record<Pace, T>>): T {
    return choices[this.pace];
  }

  /** What is opened after the end, as when a signal ended it, is closed at once. */
  after(cleanUp: () => void | Promise<void>): void {
    if (this.hasEnded) void cleanUp();
    else this.#cleanUps.push(cleanUp);
  }

  startLoad(): Promise<Load> {
    return Load.start(this, this.tally);
  }

  /** Ends everything, the newest first; who calls again waits for the same end. */
  end(): Promise<void> {
    this.#end ??= this.#closeAll();
    return this.#end;
  }

  async #closeAll(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).toReversed()) await cleanUp();
  }
}
