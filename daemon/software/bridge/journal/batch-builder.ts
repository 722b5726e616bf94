import type { SampleColumns } from '../../../plant/journal/sample-columns.ts';
import type { Gap, Sample, Series } from '../../../plant/journal/sample.ts';
import type { WireJournalBatch } from '../../bundle/message/journal-columns.ts';
import { MAXIMUM_FRAME_BYTES } from '../../bundle/message/frame-reader.ts';
import { toWireValue } from '../../bundle/message/wire-value.ts';
import type { WireValue } from '../../bundle/message/wire-value.ts';

// The rest of a frame is for the fields around the columns.
const MAXIMUM_BYTES = MAXIMUM_FRAME_BYTES - 4096;
// A longer value leaves no room for its neighbors, or does not fit at all.
const MAXIMUM_VALUE_BYTES = 524_288;
// In four columns: differences of numbers that have at most 17 characters each; and a quality.
const SAMPLE_BYTES = 4 * 18 + 1;
const NUMBER_BYTES = 25;
const LETTERS: Readonly<Record<Sample['quality'], string>> = { GOOD: 'G', UNCERTAIN: 'U', BAD: 'B' };

/** Collects the samples of one batch, in columns, up to the length of a message and a number of them. */
export class BatchBuilder {
  readonly #limit: number;
  readonly #series: Series[] = [];
  readonly #indexes = new Map<Series, number>();
  readonly #indexesByName = new Map<string, number>();
  readonly #sequences: number[] = [];
  readonly #seriesIndexes: number[] = [];
  readonly #values: (WireValue | null)[] = [];
  #qualities = '';
  readonly #statuses: (readonly [number, string])[] = [];
  readonly #takenAt: number[] = [];
  readonly #delays: number[] = [];
  readonly #gaps: (Gap & { readonly sequence: number })[] = [];
  #lastSequence = 0;
  #lastTakenAtMs = 0;
  #bytes = 0;

  /** @param limit maximum number of samples and gaps */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of samples and gaps. */
  get count(): number {
    return this.#sequences.length + this.#gaps.length;
  }

  /** Adds one of the samples of a series; false: the batch is full without it. */
  add(
    sequence: number,
    { series, tags, values, timestampsMs, takenAtMs }: SampleColumns,
    at: number,
  ): boolean {
    const tag = tags[at];
    const [takenMs = 0, timestampMs = 0] = [takenAtMs[at], timestampsMs[at]];
    const { value, status, bytes } = encodeValue(values[at], tag?.status);
    const known = this.#findSeries(series);
    const seriesBytes = known === undefined ? lengthOf(series) + 1 : 0;
    const statusBytes = status === undefined ? 0 : lengthOf(status) + 16;
    if (!this.#reserve(SAMPLE_BYTES + bytes + seriesBytes + statusBytes)) return false;
    const index = this.#sequences.length;
    if (status !== undefined) this.#statuses.push([index, status]);
    this.#sequences.push(sequence - this.#lastSequence);
    this.#seriesIndexes.push(known ?? this.#addSeries(series));
    this.#values.push(value);
    this.#qualities += value === null || tag === undefined ? 'B' : LETTERS[tag.quality];
    this.#takenAt.push(takenMs - this.#lastTakenAtMs);
    this.#delays.push(takenMs - timestampMs);
    this.#lastSequence = sequence;
    this.#lastTakenAtMs = takenMs;
    return true;
  }

  /** Adds a gap; false: the batch is full without it. */
  addGap(sequence: number, gap: Gap): boolean {
    const numbered = { ...gap, sequence };
    if (!this.#reserve(lengthOf(numbered) + 1)) return false;
    this.#gaps.push(numbered);
    return true;
  }

  /** Returns the batch. */
  finish(next: number, tail: number): WireJournalBatch {
    return {
      series: this.#series,
      sequences: this.#sequences,
      seriesIndexes: this.#seriesIndexes,
      values: this.#values,
      qualities: this.#qualities,
      statuses: this.#statuses,
      takenAt: this.#takenAt,
      delays: this.#delays,
      gaps: this.#gaps,
      next,
      tail,
    };
  }

  #reserve(bytes: number): boolean {
    if (this.count >= this.#limit || this.#bytes + bytes > MAXIMUM_BYTES) return false;
    this.#bytes += bytes;
    return true;
  }

  // A segment of the journal has one object for each series, the next segment another one.
  #findSeries(series: Series): number | undefined {
    const known = this.#indexes.get(series) ?? this.#indexesByName.get(keyOf(series));
    if (known !== undefined) this.#indexes.set(series, known);
    return known;
  }

  #addSeries(series: Series): number {
    const index = this.#series.push(series) - 1;
    this.#indexes.set(series, index);
    this.#indexesByName.set(keyOf(series), index);
    return index;
  }
}

function keyOf({ asset, channel, valueType }: Series): string {
  return JSON.stringify([asset, channel, valueType]);
}

function lengthOf(value: object | string): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** @returns the value as a message has it, and the bytes that it takes; a value that is too long is a bad one */
function encodeValue(
  value: Sample['value'],
  status: string | undefined,
): {
  readonly value: WireValue | null;
  readonly status: string | undefined;
  readonly bytes: number;
} {
  if (value === undefined) return { value: null, status, bytes: 5 };
  const wire = toWireValue(value);
  if (typeof wire === 'number' || typeof wire === 'boolean')
    return { value: wire, status, bytes: NUMBER_BYTES };
  const bytes = lengthOf(wire) + 1;
  return bytes <= MAXIMUM_VALUE_BYTES
    ? { value: wire, status, bytes }
    : { value: null, status: 'VALUE_TOO_LONG', bytes: 5 };
}
