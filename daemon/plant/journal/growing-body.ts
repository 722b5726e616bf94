import { ColumnWriter } from './column-writer.ts';
import { GrowingValues } from './growing-values.ts';
import type { SampleColumns } from './sample-columns.ts';
import type { Series } from './sample.ts';
import { TagRuns } from './tag-runs.ts';

const INITIAL_BYTES = 64;
// The table and the runs of tags.
const HEAD_BYTES = 256;

/** The parts of a body with samples of one series. */
export interface BodyParts {
  readonly count: number;
  readonly tags: TagRuns;
  readonly taken: Buffer;
  readonly delays: Buffer;
  readonly values: Buffer;
}

/** The parts of a body with samples of one series, written as the samples come. */
export class GrowingBody {
  #count = 0;
  readonly #tags = new TagRuns();
  readonly #taken = new ColumnWriter(INITIAL_BYTES);
  readonly #delays = new ColumnWriter(INITIAL_BYTES);
  readonly #values: GrowingValues;
  #takenAtMs = 0;

  constructor({ valueType }: Series) {
    this.#values = new GrowingValues(valueType);
  }

  /** Number of the bytes, without those of the tags. */
  get length(): number {
    return this.#taken.length + this.#delays.length + this.#values.length;
  }

  /** Adds one of the samples of some columns. */
  add(columns: SampleColumns, index: number): void {
    const takenAtMs = Math.round(columns.takenAtMs[index] ?? 0);
    this.#taken.writeInteger(takenAtMs - this.#takenAtMs);
    this.#delays.writeInteger(takenAtMs - Math.round(columns.timestampsMs[index] ?? 0));
    this.#takenAtMs = takenAtMs;
    this.#tags.addOf(columns, index);
    const value = columns.values[index];
    if (value !== undefined) this.#values.add(value);
    this.#count += 1;
  }

  /** Returns the parts as they are now; they stay so when samples are added. */
  snapshot(): BodyParts {
    return {
      count: this.#count,
      tags: this.#tags.copy(),
      taken: this.#taken.finish(),
      delays: this.#delays.finish(),
      values: this.#values.finish(),
    };
  }
}

/** Joins the parts of a body: the bytes are those that `encodeBody` writes, with the number 0 for the series and the time 0. */
export function joinBody({ count, tags, taken, delays, values }: BodyParts): Buffer {
  const writer = new ColumnWriter(HEAD_BYTES + taken.length + delays.length + values.length);
  tags.writeTable(writer);
  for (const natural of [1, 0, count]) writer.writeNatural(natural);
  tags.writeRuns(writer);
  for (const part of [taken, delays, values]) writer.writeAll(part);
  writer.writeText('');
  return writer.finish();
}
