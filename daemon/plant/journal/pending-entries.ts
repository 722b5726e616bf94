import type { BodyContent } from './frame-body.ts';
import { GrowingColumns } from './sample-columns.ts';
import type { SampleTag } from './sample-columns.ts';
import type { AppendedEntry, Gap, Sample, Series } from './sample.ts';
import { keyOfSeries } from './segment-names.ts';

/** Place of a sample in its columns. */
interface Place {
  readonly columns: GrowingColumns;
  readonly index: number;
}

/** Entries that are not on disk yet, up to a number of samples. */
export class PendingEntries {
  readonly #maximum: number;
  #count = 0;
  readonly #gaps: Gap[] = [];
  /** Equal series of several recorders have the same columns. */
  readonly #byKey = new Map<string, GrowingColumns>();
  readonly #bySeries = new Map<Series, GrowingColumns>();
  readonly #byReading = new Map<object, Place>();
  /** That of the newest sample: those of a round have it in common. */
  #tag: SampleTag | undefined;
  /** The newest tag with the recorders of two. */
  #joined:
    | { readonly one: SampleTag; readonly other: readonly string[]; readonly tag: SampleTag }
    | undefined;

  /** @param maximum number of samples; the newest one of each series is always kept */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /**
   * Adds an entry.
   *
   * @returns `Sample.takenAtMs` of the sample that is lost for it, the oldest one of the same series; undefined if none is
   */
  add({ sample, gap, reading }: AppendedEntry): number | undefined {
    if (gap !== undefined) {
      this.#gaps.push(gap);
      return undefined;
    }
    const known = reading === undefined ? undefined : this.#byReading.get(reading);
    if (known !== undefined && this.#addRecorders(known, sample.recorders)) return undefined;
    const columns = this.#columnsOf(sample.series);
    if (reading !== undefined) this.#byReading.set(reading, { columns, index: columns.count });
    columns.add(this.#tagOf(sample), toWritten(sample));
    this.#count += 1;
    return this.#count > this.#maximum && columns.count > 1 ? this.#removeOldest(columns) : undefined;
  }

  /** Lists the entries; the series are in the order of their first samples. */
  list(): BodyContent {
    return { samples: [...this.#byKey.values()], gaps: this.#gaps };
  }

  #removeOldest(columns: GrowingColumns): number | undefined {
    const [takenAtMs] = columns.takenAtMs;
    columns.shift();
    this.#count -= 1;
    // The places have changed: a reading that another recorder takes later becomes a second sample.
    this.#byReading.clear();
    return takenAtMs;
  }

  #columnsOf(series: Series): GrowingColumns {
    let columns = this.#bySeries.get(series);
    if (columns !== undefined) return columns;
    const key = keyOfSeries(series);
    columns = this.#byKey.get(key) ?? new GrowingColumns(series);
    this.#byKey.set(key, columns);
    this.#bySeries.set(series, columns);
    return columns;
  }

  #tagOf({ quality, status, recorders }: Sample): SampleTag {
    const tag = this.#tag;
    if (tag?.recorders === recorders && tag.quality === quality && tag.status === status) return tag;
    this.#tag = status === undefined ? { quality, recorders } : { quality, recorders, status };
    return this.#tag;
  }

  /** @returns false if the recorders are those of the sample: they have read the same once more */
  #addRecorders({ columns: { tags }, index }: Place, recorders: readonly string[]): boolean {
    const tag = tags[index];
    if (tag === undefined || recorders.every((pid) => tag.recorders.includes(pid))) return false;
    // The samples of a round share it, too.
    if (this.#joined?.one !== tag || this.#joined.other !== recorders)
      this.#joined = { one: tag, other: recorders, tag: joinRecorders(tag, recorders) };
    tags[index] = this.#joined.tag;
    return true;
  }
}

function joinRecorders(tag: SampleTag, recorders: readonly string[]): SampleTag {
  return { ...tag, recorders: [...new Set([...tag.recorders, ...recorders])].toSorted() };
}

/** Returns a sample as it is read back: times are whole milliseconds, texts can be encoded, and the bytes are its own. */
function toWritten(sample: Sample): Pick<Sample, 'value' | 'timestampMs' | 'takenAtMs'> {
  const { value } = sample;
  return {
    value:
      typeof value === 'object'
        ? Uint8Array.from(value)
        : typeof value === 'string'
          ? value.toWellFormed()
          : value,
    timestampMs: Math.round(sample.timestampMs),
    takenAtMs: Math.round(sample.takenAtMs),
  };
}
