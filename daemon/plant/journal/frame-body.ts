import { check, z } from '../../base/schema.ts';
import { QUALITIES } from '../../channel/quality.ts';
import { VALUE_TYPES } from '../../channel/value-type.ts';
import type { ValueType } from '../../channel/value-type.ts';
import { ColumnFault, ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import type { FrameHead } from './frame.ts';
import { GAP_REASONS } from './sample.ts';
import type { Gap, JournalEntry, Sample, Series } from './sample.ts';
import { readValues, writeValues } from './value-column.ts';

/** The series of a segment by the numbers that its frames use. */
export type SeriesNames = ReadonlyMap<number, Series>;

/** Samples of one series, in order. */
export interface SampleGroup {
  readonly number: number;
  readonly series: Series;
  readonly samples: readonly Sample[];
}

const gapSchema = z.strictObject({
  reason: z.enum(GAP_REASONS),
  asset: z.string().optional(),
  channel: z.string().optional(),
  fromMs: z.number(),
  toMs: z.number(),
  count: z.int().min(0),
});

/** Writes the names of series. */
export function encodeNames(names: SeriesNames): Buffer {
  const writer = new ColumnWriter();
  writer.writeNatural(names.size);
  for (const [number, { asset, channel, valueType }] of names) {
    writer.writeNatural(number);
    for (const text of [asset, channel, valueType]) writer.writeText(text);
  }
  return writer.finish();
}

/** @throws {ColumnFault} if the bytes are no names */
export function decodeNames(bytes: Buffer): SeriesNames {
  const reader = new ColumnReader(bytes);
  const names = new Map<number, Series>();
  for (let left = reader.readNatural(); left > 0; left -= 1) {
    const number = reader.readNatural();
    const [asset, channel] = [reader.readText(), reader.readText()];
    names.set(number, { asset, channel, valueType: toValueType(reader.readText()) });
  }
  return names;
}

/**
 * Writes the columns of the samples, then the gaps.
 *
 * The entries are numbered in this order: the samples group by group, and the gaps after them.
 *
 * @param baseMs times are written as differences from it; milliseconds since the epoch
 */
export function encodeBody(groups: readonly SampleGroup[], gaps: readonly Gap[], baseMs: number): Buffer {
  const writer = new ColumnWriter();
  const tags = new Tags();
  const all = groups.flatMap(({ samples }) => samples);
  const tagNumbers = all.map((sample) => tags.numberOf(sample));
  tags.write(writer);
  writer.writeNatural(groups.length);
  for (const { number } of groups) writer.writeNatural(number);
  for (const { samples } of groups) writer.writeNatural(samples.length);
  writeRuns(writer, tagNumbers);
  writeTimes(writer, all, baseMs);
  for (const { series, samples } of groups) {
    const values = samples.map(({ value }) => value).filter((value) => value !== undefined);
    writeValues(writer, series.valueType, values);
  }
  writer.writeText(gaps.length === 0 ? '' : JSON.stringify(gaps));
  return writer.finish();
}

/**
 * Reads what `encodeBody` wrote, in the order of the numbers of the entries.
 *
 * @param names of every series in it
 * @param head the number of entries, and the time that `encodeBody` was given
 * @throws {ColumnFault} if the bytes are no body with so many entries, or a series has no name
 */
export function decodeBody(
  bytes: Buffer,
  names: SeriesNames,
  { count: entryCount, wallMs: baseMs }: Pick<FrameHead, 'count' | 'wallMs'>,
): readonly JournalEntry[] {
  const reader = new ColumnReader(bytes);
  const tags = readTags(reader);
  const groupCount = reader.readNatural();
  const numbers = readNaturals(reader, groupCount);
  const counts = readNaturals(reader, groupCount);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > entryCount) throw new ColumnFault(`${total} samples instead of ${entryCount}`);
  const tagNumbers = readRuns(reader, total);
  const times = readTimes(reader, total, baseMs);
  const entries: JournalEntry[] = [];
  let index = 0;
  for (const [group, number] of numbers.entries()) {
    const series = names.get(number);
    if (series === undefined) throw new ColumnFault(`series ${number} has no name`);
    const count = counts[group] ?? 0;
    const ownTags = tagNumbers.slice(index, index + count).map((tag) => getTag(tags, tag));
    const valued = ownTags.filter(({ hasValue }) => hasValue).length;
    const values = readValues(reader, series.valueType, valued).values();
    for (const { hasValue, ...tag } of ownTags) {
      const value = hasValue ? values.next().value : undefined;
      const { timestampMs = 0, takenAtMs = 0 } = times[index] ?? {};
      entries.push({ sample: { series, ...tag, value, timestampMs, takenAtMs } });
      index += 1;
    }
  }
  for (const gap of readGaps(reader.readText())) entries.push({ gap });
  if (!reader.isAtEnd) throw new ColumnFault('bytes follow the end');
  if (entries.length !== entryCount)
    throw new ColumnFault(`${entries.length} entries instead of ${entryCount}`);
  return entries;
}

/** The part of a sample that many have in common. */
type Tag = Pick<Sample, 'quality' | 'status' | 'recorders'> & { readonly hasValue: boolean };

class Tags {
  readonly #numbers = new Map<string, number>();
  readonly #tags: Tag[] = [];
  // The samples of a round share their list of recorders.
  #last: { readonly sample: Sample; readonly number: number } | undefined;

  numberOf(sample: Sample): number {
    const last = this.#last;
    if (last !== undefined && isSameTag(last.sample, sample)) return last.number;
    const { quality, status, recorders, value } = sample;
    const hasValue = value !== undefined;
    const key = JSON.stringify([quality, status ?? null, hasValue, ...recorders]);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#tags.length;
      this.#numbers.set(key, number);
      this.#tags.push({ quality, status, recorders, hasValue });
    }
    this.#last = { sample, number };
    return number;
  }

  write(writer: ColumnWriter): void {
    writer.writeNatural(this.#tags.length);
    for (const { quality, status, recorders, hasValue } of this.#tags) {
      writer.writeByte(QUALITIES.indexOf(quality) * 4 + (status === undefined ? 0 : 2) + (hasValue ? 1 : 0));
      if (status !== undefined) writer.writeText(status);
      writer.writeNatural(recorders.length);
      for (const pid of recorders) writer.writeText(pid);
    }
  }
}

function isSameTag(one: Sample, other: Sample): boolean {
  return (
    one.quality === other.quality &&
    one.status === other.status &&
    one.recorders === other.recorders &&
    (one.value === undefined) === (other.value === undefined)
  );
}

function readTags(reader: ColumnReader): readonly Tag[] {
  const tags: Tag[] = [];
  for (let left = reader.readNatural(); left > 0; left -= 1) {
    const bits = reader.readByte();
    const quality = QUALITIES[Math.floor(bits / 4)];
    if (quality === undefined) throw new ColumnFault(`${bits} is no quality`);
    const status = bits % 4 >= 2 ? reader.readText() : undefined;
    const recorders: string[] = [];
    for (let more = reader.readNatural(); more > 0; more -= 1) recorders.push(reader.readText());
    const tag = { quality, recorders, hasValue: bits % 2 === 1 };
    tags.push(status === undefined ? tag : { ...tag, status });
  }
  return tags;
}

function getTag(tags: readonly Tag[], number: number): Tag {
  const tag = tags[number];
  if (tag === undefined) throw new ColumnFault(`tag ${number} is unknown`);
  return tag;
}

/** Writes numbers as pairs of a number and how often it follows. */
function writeRuns(writer: ColumnWriter, numbers: readonly number[]): void {
  for (let start = 0; start < numbers.length;) {
    const number = numbers[start] ?? 0;
    let end = start + 1;
    while (numbers[end] === number) end += 1;
    writer.writeNatural(number);
    writer.writeNatural(end - start);
    start = end;
  }
}

function readRuns(reader: ColumnReader, count: number): readonly number[] {
  const numbers: number[] = [];
  while (numbers.length < count) {
    const number = reader.readNatural();
    const length = reader.readNatural();
    if (length === 0 || length > count - numbers.length) throw new ColumnFault(`a run of ${length} numbers`);
    for (let left = length; left > 0; left -= 1) numbers.push(number);
  }
  return numbers;
}

/** Writes the differences of the times taken, then how much earlier the time of each device is. */
function writeTimes(writer: ColumnWriter, samples: readonly Sample[], baseMs: number): void {
  let previousMs = Math.round(baseMs);
  for (const { takenAtMs } of samples) {
    const timeMs = Math.round(takenAtMs);
    writer.writeInteger(timeMs - previousMs);
    previousMs = timeMs;
  }
  for (const { takenAtMs, timestampMs } of samples)
    writer.writeInteger(Math.round(takenAtMs) - Math.round(timestampMs));
}

function readTimes(
  reader: ColumnReader,
  count: number,
  baseMs: number,
): readonly Pick<Sample, 'takenAtMs' | 'timestampMs'>[] {
  let timeMs = Math.round(baseMs);
  const taken: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    timeMs += reader.readInteger();
    taken.push(timeMs);
  }
  return taken.map((takenAtMs) => ({ takenAtMs, timestampMs: takenAtMs - reader.readInteger() }));
}

function readNaturals(reader: ColumnReader, count: number): readonly number[] {
  const numbers: number[] = [];
  for (let left = count; left > 0; left -= 1) numbers.push(reader.readNatural());
  return numbers;
}

function readGaps(text: string): readonly Gap[] {
  if (text === '') return [];
  const { value } = check(z.array(gapSchema), JSON.parse(text));
  if (value === undefined) throw new ColumnFault('a gap has another form');
  return value;
}

function toValueType(text: string): ValueType {
  const valueType = VALUE_TYPES.find((each) => each === text);
  if (valueType === undefined) throw new ColumnFault(`"${text}" is no value type`);
  return valueType;
}
