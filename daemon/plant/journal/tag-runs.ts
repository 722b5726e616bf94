import { QUALITIES } from '../../channel/quality.ts';
import { ColumnFault } from './column-reader.ts';
import type { ColumnReader } from './column-reader.ts';
import type { ColumnWriter } from './column-writer.ts';
import type { SampleColumns, SampleTag } from './sample-columns.ts';

/** A tag, and whether its samples have a value. */
interface WrittenTag {
  readonly tag: SampleTag;
  readonly hasValue: boolean;
}

/** Samples one after another that have equal tags. */
interface TagRun {
  readonly tag: SampleTag;
  readonly hasValue: boolean;
  /** In the table. */
  readonly number: number;
  length: number;
}

/** The tags of samples: a table, and runs of numbers in it. */
export class TagRuns {
  readonly #numbers = new Map<string, number>();
  readonly #table: WrittenTag[] = [];
  readonly #runs: TagRun[] = [];
  #last: TagRun | undefined;

  /** Adds the tags of samples. */
  add(columns: SampleColumns): void {
    for (let index = 0; index < columns.count; index += 1) this.addOf(columns, index);
  }

  /** Adds the tag of one sample. */
  addOf({ tags, values }: SampleColumns, index: number): void {
    const tag = tags[index];
    const hasValue = values[index] !== undefined;
    if (tag === undefined) throw new RangeError(`there is no sample ${index}`);
    let run = this.#last;
    if (run === undefined || run.hasValue !== hasValue || !isSame(run.tag, tag))
      run = this.#begin(tag, hasValue);
    run.length += 1;
  }

  /** Writes the table. */
  writeTable(writer: ColumnWriter): void {
    writer.writeNatural(this.#table.length);
    for (const { tag, hasValue } of this.#table) {
      const { quality, status, recorders } = tag;
      writer.writeByte(QUALITIES.indexOf(quality) * 4 + (status === undefined ? 0 : 2) + (hasValue ? 1 : 0));
      if (status !== undefined) writer.writeText(status);
      writer.writeNatural(recorders.length);
      for (const pid of recorders) writer.writeText(pid);
    }
  }

  /** Writes pairs of a number and how often it follows. */
  writeRuns(writer: ColumnWriter): void {
    for (const { number, length } of this.#runs) {
      writer.writeNatural(number);
      writer.writeNatural(length);
    }
  }

  /** Returns a copy that stays as it is. */
  copy(): TagRuns {
    const copy = new TagRuns();
    copy.#table.push(...this.#table);
    copy.#runs.push(...this.#runs.map((run) => ({ ...run })));
    return copy;
  }

  /** Returns the run that goes on with a tag. */
  #begin(tag: SampleTag, hasValue: boolean): TagRun {
    const { quality, status, recorders } = tag;
    const key = JSON.stringify([quality, status ?? null, hasValue, ...recorders]);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#table.length;
      this.#numbers.set(key, number);
      this.#table.push({ tag, hasValue });
    }
    const run = { tag, hasValue, number, length: 0 };
    this.#runs.push(run);
    this.#last = run;
    return run;
  }
}

function isSame(one: SampleTag, other: SampleTag): boolean {
  return (
    one === other ||
    (one.quality === other.quality &&
      one.status === other.status &&
      isSameList(one.recorders, other.recorders))
  );
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((pid, index) => pid === other[index]));
}

/** Reads a table. */
export function readTags(reader: ColumnReader): readonly WrittenTag[] {
  const tags: WrittenTag[] = [];
  for (let left = reader.readNatural(); left > 0; left -= 1) {
    const bits = reader.readByte();
    const quality = QUALITIES[Math.floor(bits / 4)];
    if (quality === undefined) throw new ColumnFault(`${bits} is no quality`);
    const status = bits % 4 >= 2 ? reader.readText() : undefined;
    const recorders: string[] = [];
    for (let more = reader.readNatural(); more > 0; more -= 1) recorders.push(reader.readText());
    const tag = status === undefined ? { quality, recorders } : { quality, recorders, status };
    tags.push({ tag, hasValue: bits % 2 === 1 });
  }
  return tags;
}

/** The tag of each sample, and whether it has a value; undefined if all of them do. */
interface ReadTags {
  readonly tags: readonly SampleTag[];
  readonly hasValue: readonly boolean[] | undefined;
}

/**
 * Reads the tag of each sample.
 *
 * @throws {ColumnFault} if the runs are of another number of samples
 */
export function readRuns(reader: ColumnReader, count: number, table: readonly WrittenTag[]): ReadTags {
  const tags: SampleTag[] = [];
  const withoutValue: [from: number, to: number][] = [];
  while (tags.length < count) {
    const number = reader.readNatural();
    const found = table[number];
    if (found === undefined) throw new ColumnFault(`tag ${number} is unknown`);
    const length = reader.readNatural();
    const from = tags.length;
    if (length === 0 || length > count - from) throw new ColumnFault(`a run of ${length} numbers`);
    for (let left = length; left > 0; left -= 1) tags.push(found.tag);
    if (!found.hasValue) withoutValue.push([from, from + length]);
  }
  if (withoutValue.length === 0) return { tags, hasValue: undefined };
  const hasValue = tags.map(() => true);
  for (const [from, to] of withoutValue) hasValue.fill(false, from, to);
  return { tags, hasValue };
}
