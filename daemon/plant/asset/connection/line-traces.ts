import type { Cancel, Clock } from '../../../base/clock.ts';
import type { RandomSource } from '../../../base/random.ts';
import type { TracedFrame, TracingDriver } from '../../../channel/trace/tracing-driver.ts';

/** A frame of a trace. */
interface RecordedFrame extends TracedFrame {
  /** Ascending from 1 since the start of the trace. */
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Frames of one trace. */
interface ReadTrace {
  /** Ascending by id. */
  readonly frames: readonly RecordedFrame[];
  /** Differs for each trace, whose ids begin at 1. */
  readonly run: string;
}

interface Trace {
  readonly run: string;
  readonly driver: Pick<TracingDriver, 'trace'>;
  readonly frames: RecordedFrame[];
  count: number;
  cancelEnd: Cancel;
}

/** Frames that are kept of a line. */
const MAXIMUM_FRAMES = 200;
const IDLE_MS = 60_000;

/** Records the frames of lines on demand; a trace that is no longer read ends after a minute. */
export class LineTraces {
  readonly #clock: Clock;
  readonly #random: RandomSource;
  readonly #traces = new Map<string, Trace>();

  constructor(clock: Clock, random: RandomSource) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Returns the frames of a driver after an id, and begins to record them with the first call.
   *
   * @param name of the driver, whose trace begins again after a change of its configuration
   */
  read(name: string, driver: Pick<TracingDriver, 'trace'>, after: number): ReadTrace {
    const trace = this.#open(name, driver);
    trace.cancelEnd();
    trace.cancelEnd = this.#clock.schedule(IDLE_MS, () => this.#end(name));
    // The page saw an earlier trace.
    const from = after > trace.count ? 0 : after;
    return { frames: trace.frames.filter(({ id }) => id > from), run: trace.run };
  }

  #open(name: string, driver: Pick<TracingDriver, 'trace'>): Trace {
    const known = this.#traces.get(name);
    if (known?.driver === driver) return known;
    this.#end(name);
    const run = this.#random.bytes(8).toString('hex');
    const trace: Trace = { run, driver, frames: [], count: 0, cancelEnd: () => {} };
    this.#traces.set(name, trace);
    driver.trace((frame) => {
      trace.count += 1;
      trace.frames.push({ ...frame, id: trace.count, timeMs: this.#clock.epochMs() });
      if (trace.frames.length > MAXIMUM_FRAMES) trace.frames.shift();
    });
    return trace;
  }

  #end(name: string): void {
    const trace = this.#traces.get(name);
    if (trace === undefined) return;
    trace.cancelEnd();
    trace.driver.trace(undefined);
    this.#traces.delete(name);
  }
}
