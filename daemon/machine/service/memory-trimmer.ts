import type { Cancel, Clock } from '../../base/clock.ts';

/** The process whose memory is watched. */
export interface WatchedProcess {
  /** Resident memory. */
  residentBytes(): number;
  /** Processor time of all threads, in microseconds. */
  processorUs(): number;
  /** Collects all garbage and gives back what it leaves empty. Nothing else is done meanwhile: up to a fifth of a second. */
  release(): void;
}

// The start takes much that is needed no more; what comes later is looked at when there is time.
const FIRST_INTERVAL_MS = 500;
const INTERVAL_MS = 10_000;
// Less is not worth the pause.
const WORTH_BYTES = 32 * 2 ** 20;
const QUIET_SHARE = 0.2;

/**
 * Gives memory back to the machine that the process does not use any more.
 *
 * The runtime keeps the pages that a garbage collection leaves empty, for ever: a start with a large plant, or the change of
 * one, takes more than twice of what the plant needs. They are given back once the process has little to do.
 */
export class MemoryTrimmer {
  readonly #clock: Clock;
  readonly #process: WatchedProcess;
  /** Resident when memory was given back last. */
  #leastBytes = 0;
  #isReleased = false;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, process: WatchedProcess) {
    this.#clock = clock;
    this.#process = process;
  }

  /** Begins to watch. */
  start(): void {
    const fromMs = this.#clock.monotonicMs();
    const fromUs = this.#process.processorUs();
    this.#cancel = this.#clock.schedule(this.#isReleased ? INTERVAL_MS : FIRST_INTERVAL_MS, () => {
      const passedUs = (this.#clock.monotonicMs() - fromMs) * 1000;
      if (this.#process.processorUs() - fromUs < passedUs * QUIET_SHARE) this.#giveBack();
      this.start();
    });
  }

  /** Ends the watch. */
  stop(): void {
    this.#cancel?.();
  }

  #giveBack(): void {
    if (this.#process.residentBytes() < this.#leastBytes + WORTH_BYTES) return;
    this.#process.release();
    this.#isReleased = true;
    this.#leastBytes = this.#process.residentBytes();
  }
}

/** Returns the memory of this process; undefined unless the runtime was started with `--expose-gc`, as the launcher does. */
export function watchOwnProcess(): WatchedProcess | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  return {
    residentBytes: () => process.memoryUsage.rss(),
    processorUs() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    // Any other kind leaves empty pages with the runtime.
    release: () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  };
}
