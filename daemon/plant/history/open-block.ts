import { GrowingBody, joinBody } from '../journal/growing-body.ts';
import type { SampleColumns } from '../journal/sample-columns.ts';
import type { Series } from '../journal/sample.ts';
import { GrowingStatistics } from './statistics.ts';
import type { Statistics } from './statistics.ts';

/** A block never spans more, so that readers find where to begin. */
export const MAXIMUM_SPAN_MS = 86_400_000;

/** A sample that is not on disk. */
interface Unsaved {
  readonly sequence: number;
  readonly takenAtMs: number;
}

/** The place of samples in the journal, and the time at which the history takes them. */
export interface RunPlace {
  /** Number of the first sample of the columns. */
  readonly firstSequence: number;
  /** Clock.monotonicMs() */
  readonly nowMs: number;
}

interface OpenBlockOptions {
  /** Number of its row. */
  readonly id: number;
  readonly series: Series;
  /** Samples with which it is complete. */
  readonly target: number;
  readonly firstSequence: number;
  /** Clock.monotonicMs() */
  readonly nowMs: number;
}

/** What a reader sees of a block in memory; it does not change while the block grows. */
export interface BlockView {
  readonly id: number;
  readonly series: Series;
  readonly firstSequence: number;
  readonly statistics: Statistics;
  /** Returns the samples as a body, in the order in which they were taken. */
  encode(): Buffer;
}

/** A block of one series that still grows; its samples are encoded as they come. */
export class OpenBlock {
  readonly id: number;
  readonly series: Series;
  readonly firstSequence: number;
  readonly #target: number;
  #lastSequence: number;
  #takenAtMs = 0;
  readonly #statistics = new GrowingStatistics();
  // Samples of 10,000 channels as objects would take 94 MB.
  readonly #body: GrowingBody;
  #unsaved: Unsaved | undefined;
  #savedBytes = 0;
  #savedAtMs: number;
  #grewAtMs: number;

  constructor({ id, series, target, firstSequence, nowMs }: OpenBlockOptions) {
    this.id = id;
    this.series = series;
    this.#body = new GrowingBody(series);
    this.#target = target;
    this.firstSequence = firstSequence;
    this.#lastSequence = firstSequence;
    this.#savedAtMs = nowMs;
    this.#grewAtMs = nowMs;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Milliseconds since the epoch at which the gateway took its last sample. */
  get takenAtMs(): number {
    return this.#takenAtMs;
  }

  /** Earliest time of a sample. */
  get fromMs(): number {
    return this.#statistics.fromMs;
  }

  get isComplete(): boolean {
    return this.#statistics.count >= this.#target;
  }

  /** The first sample that is not on disk; undefined if all are. */
  get unsaved(): Unsaved | undefined {
    return this.#unsaved;
  }

  /** Bytes of the samples that are not on disk, nearly those that they have in the journal. */
  get unsavedBytes(): number {
    return this.#body.length - this.#savedBytes;
  }

  /** Milliseconds, by the monotonic clock, since it was stored or began. */
  ageAt(nowMs: number): number {
    return nowMs - this.#savedAtMs;
  }

  /** Milliseconds, by the monotonic clock, since the last sample came. */
  idleAt(nowMs: number): number {
    return nowMs - this.#grewAtMs;
  }

  /** False if the block would span too much time with a sample. */
  accepts({ timestampsMs }: SampleColumns, index: number): boolean {
    const { fromMs, toMs } = this.#statistics;
    const timeMs = timestampsMs[index] ?? 0;
    return Math.max(toMs, timeMs) - Math.min(fromMs, timeMs) <= MAXIMUM_SPAN_MS;
  }

  /**
   * Adds samples of some columns from a position on, until the block is complete or does not accept one.
   *
   * @returns the position after the last one that was added
   */
  append(columns: SampleColumns, from: number, { firstSequence, nowMs }: RunPlace): number {
    let index = from;
    for (; index < columns.count && !this.isComplete && this.accepts(columns, index); index += 1) {
      this.#statistics.add(columns, index);
      this.#body.add(columns, index);
    }
    this.#lastSequence = firstSequence + index - 1;
    this.#takenAtMs = columns.takenAtMs[index - 1] ?? this.#takenAtMs;
    this.#grewAtMs = nowMs;
    this.#unsaved ??= { sequence: firstSequence + from, takenAtMs: columns.takenAtMs[from] ?? 0 };
    return index;
  }

  noteSaved(nowMs: number): void {
    this.#unsaved = undefined;
    this.#savedBytes = this.#body.length;
    this.#savedAtMs = nowMs;
  }

  view(): BlockView {
    const { id, series, firstSequence } = this;
    const parts = this.#body.snapshot();
    return { id, series, firstSequence, statistics: this.#statistics.show(), encode: () => joinBody(parts) };
  }
}
