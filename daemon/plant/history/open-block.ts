import type { NumberedEntry, Sample, Series } from '../journal/sample.ts';
import { decodeSamples, encodeSamples } from './block-bytes.ts';
import { addSample, NO_STATISTICS } from './statistics.ts';
import type { Statistics } from './statistics.ts';

// Samples of 10,000 channels as objects would take 94 MB.
const CHUNK_SAMPLES = 16;
const CHUNKS_JOINED = 8;
/** A block never spans more, so that readers find where to begin. */
export const MAXIMUM_SPAN_MS = 86_400_000;

interface Chunk {
  readonly bytes: Buffer;
  readonly count: number;
}

/** A sample that is not on disk. */
interface Unsaved {
  readonly sequence: number;
  readonly takenAtMs: number;
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
  /** Decodes the samples, in the order in which they were taken. */
  listSamples(): readonly Sample[];
}

/** A block of one series that still grows; its samples are encoded as they come. */
export class OpenBlock {
  readonly id: number;
  readonly series: Series;
  readonly firstSequence: number;
  readonly #target: number;
  #lastSequence: number;
  #statistics = NO_STATISTICS;
  #large: readonly Chunk[] = [];
  #small: readonly Chunk[] = [];
  #recent: readonly Sample[] = [];
  #unsaved: Unsaved | undefined;
  #savedAtMs: number;
  #grewAtMs: number;

  constructor({ id, series, target, firstSequence, nowMs }: OpenBlockOptions) {
    this.id = id;
    this.series = series;
    this.#target = target;
    this.firstSequence = firstSequence;
    this.#lastSequence = firstSequence;
    this.#savedAtMs = nowMs;
    this.#grewAtMs = nowMs;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  get isComplete(): boolean {
    return this.#statistics.count >= this.#target;
  }

  /** The first sample that is not on disk; undefined if all are. */
  get unsaved(): Unsaved | undefined {
    return this.#unsaved;
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
  accepts({ timestampMs }: Sample): boolean {
    const { fromMs, toMs } = this.#statistics;
    return Math.max(toMs, timestampMs) - Math.min(fromMs, timestampMs) <= MAXIMUM_SPAN_MS;
  }

  append(sample: Sample, sequence: NumberedEntry['sequence'], nowMs: number): void {
    this.#lastSequence = sequence;
    this.#grewAtMs = nowMs;
    this.#statistics = addSample(this.#statistics, sample);
    this.#unsaved ??= { sequence, takenAtMs: sample.takenAtMs };
    this.#recent = [...this.#recent, sample];
    if (this.#recent.length < CHUNK_SAMPLES) return;
    this.#small = [...this.#small, this.#encode(this.#recent)];
    this.#recent = [];
    if (this.#small.length < CHUNKS_JOINED) return;
    this.#large = [...this.#large, this.#encode(decodeChunks(this.series, this.#small))];
    this.#small = [];
  }

  noteSaved(nowMs: number): void {
    this.#unsaved = undefined;
    this.#savedAtMs = nowMs;
  }

  view(): BlockView {
    const { id, series, firstSequence } = this;
    const chunks = [this.#large, this.#small];
    const recent = this.#recent;
    return {
      id,
      series,
      firstSequence,
      statistics: this.#statistics,
      listSamples: () => [...chunks.flatMap((list) => decodeChunks(series, list)), ...recent],
    };
  }

  #encode(samples: readonly Sample[]): Chunk {
    const encoded = encodeSamples(this.series, samples);
    // Not a part of a larger buffer, which would stay as long.
    const bytes = Buffer.allocUnsafeSlow(encoded.length);
    bytes.set(encoded);
    return { bytes, count: samples.length };
  }
}

function decodeChunks(series: Series, chunks: readonly Chunk[]): readonly Sample[] {
  return chunks.flatMap(({ bytes, count }) => decodeSamples(series, bytes, count));
}
