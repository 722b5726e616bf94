import type { ChannelValue } from '../../channel/value-type.ts';
import type { Sample, Series } from './sample.ts';

/** The part of a sample that many have in common. */
export type SampleTag = Pick<Sample, 'quality' | 'status' | 'recorders'>;

/**
 * Samples of one series, in order, by columns of the same length.
 *
 * Objects that live for a second, ten thousand of them in each, cost more processor time for garbage collection than everything
 * that is done with them.
 */
export interface SampleColumns {
  readonly series: Series;
  /** Number of samples. */
  readonly count: number;
  readonly tags: ArrayLike<SampleTag>;
  readonly values: ArrayLike<ChannelValue | undefined>;
  /** As `Sample.timestampMs`. */
  readonly timestampsMs: ArrayLike<number>;
  /** As `Sample.takenAtMs`. */
  readonly takenAtMs: ArrayLike<number>;
}

/** Columns that samples are added to. */
export class GrowingColumns implements SampleColumns {
  readonly series: Series;
  readonly tags: SampleTag[] = [];
  readonly values: (ChannelValue | undefined)[] = [];
  readonly timestampsMs: number[] = [];
  readonly takenAtMs: number[] = [];

  constructor(series: Series) {
    this.series = series;
  }

  get count(): number {
    return this.takenAtMs.length;
  }

  add(
    tag: SampleTag,
    { value, timestampMs, takenAtMs }: Pick<Sample, 'value' | 'timestampMs' | 'takenAtMs'>,
  ): void {
    this.tags.push(tag);
    this.values.push(value);
    this.timestampsMs.push(timestampMs);
    this.takenAtMs.push(takenAtMs);
  }

  /** Removes the oldest sample. */
  shift(): void {
    for (const column of [this.tags, this.values, this.timestampsMs, this.takenAtMs]) column.shift();
  }
}

/** Returns one of the samples. */
function getSample(columns: SampleColumns, index: number): Sample {
  const { series, tags, values, timestampsMs, takenAtMs } = columns;
  return {
    series,
    ...at(tags, index),
    value: values[index],
    timestampMs: at(timestampsMs, index),
    takenAtMs: at(takenAtMs, index),
  };
}

/** Returns the samples from one position up to another, which is excluded. */
export function sliceColumns(columns: SampleColumns, from: number, to: number): SampleColumns {
  if (from <= 0 && to >= columns.count) return columns;
  const slice = new GrowingColumns(columns.series);
  for (let index = from; index < Math.min(to, columns.count); index += 1)
    slice.add(at(columns.tags, index), getSample(columns, index));
  return slice;
}

/** @throws {RangeError} beyond the end of the column */
function at<T>(column: ArrayLike<T>, index: number): T {
  const found = column[index];
  if (found === undefined) throw new RangeError(`there is no sample ${index}`);
  return found;
}
