import { setFlagsFromString } from 'node:v8';

import type { Cancel, Clock } from '../../base/clock.ts';

/** The monitored process. */
export interface WatchedProcess {
  /** Resident memory. */
  residentBytes(): number;
  /** CPU time of all threads, in microseconds. */
  processorUs(): number;
  /** Runs a full garbage collection and returns empty pages. Blocks the process for up to a fifth of a second. */
  release(): void;
}

// The start leaves much unused memory; later checks are less urgent.
const FIRST_INTERVAL_MS = 500;
const INTERVAL_MS = 10_000;
// A process that is idle on average may have begun a long request, which the collection would stop.
const MOMENT_MS = 200;
// Less does not justify the pause.
const WORTH_BYTES = 32 * 2 ** 20;
const QUIET_SHARE = 0.2;
// After how many full collections compiled code is freed that has not run: after one, and what the runtime starts with.
const OLD_AFTER_ONE = ['--bytecode-old-age=1', '--flush-baseline-code'] as const;
const OLD_AS_USUAL = ['--bytecode-old-age=6', '--no-flush-baseline-code'] as const;

/**
 * Returns unused memory of the process to the system.
 *
 * The runtime permanently keeps the pages that a garbage collection leaves empty: the start of a large plant, or a change of
 * one, occupies more than twice the memory that the plant needs. They are returned once the process is mostly idle.
 */
export class MemoryTrimmer {
  readonly #clock: Clock;
  readonly #process: WatchedProcess;
  /** Resident memory after the last release. */
  #leastBytes = 0;
  #isReleased = false;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, process: WatchedProcess) {
    this.#clock = clock;
    this.#process = process;
  }

  /** Starts monitoring. */
  start(): void {
    this.#watch(this.#isReleased ? INTERVAL_MS : FIRST_INTERVAL_MS, (isQuiet) => {
      if (!isQuiet || this.#process.residentBytes() < this.#leastBytes + WORTH_BYTES) {
        this.start();
        return;
      }
      this.#watch(MOMENT_MS, (isAtRest) => {
        if (isAtRest) this.#giveBack();
        this.start();
      });
    });
  }

  /** Stops monitoring. */
  stop(): void {
    this.#cancel?.();
  }

  /** Reports after this time whether the process was mostly idle in it. */
  #watch(durationMs: number, report: (isQuiet: boolean) => void): void {
    const fromMs = this.#clock.monotonicMs();
    const fromUs = this.#process.processorUs();
    this.#cancel = this.#clock.schedule(durationMs, () => {
      const passedUs = (this.#clock.monotonicMs() - fromMs) * 1000;
      report(this.#process.processorUs() - fromUs < passedUs * QUIET_SHARE);
    });
  }

  #giveBack(): void {
    this.#process.release();
    this.#isReleased = true;
    this.#leastBytes = this.#process.residentBytes();
  }
}

/** Returns this process for monitoring; undefined unless the runtime was started with `--expose-gc`, as the launcher does. */
export function watchOwnProcess(): WatchedProcess | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  return {
    residentBytes: () => process.memoryUsage.rss(),
    processorUs() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    // Other types of collection do not return empty pages.
    release() {
      // Code that only the start has run: it is compiled again when needed.
      for (const option of OLD_AFTER_ONE) setFlagsFromString(option);
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      for (const option of OLD_AS_USUAL) setFlagsFromString(option);
    },
  };
}
