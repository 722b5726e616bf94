import { check, z } from '../../base/schema.ts';
import { VALUE_TYPES } from '../../channel/value-type.ts';
import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import { ColumnFault, ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import type { FrameHead } from './frame.ts';
import type { SampleColumns } from './sample-columns.ts';
import { GAP_REASONS } from './sample.ts';
import type { Gap, Series } from './sample.ts';
import { readRuns, readTags, TagRuns } from './tag-runs.ts';
import { readValues, writeValues } from './value-column.ts';

/** The series of a segment by the numbers that its frames use. */
export type SeriesNames = ReadonlyMap<number, Series>;

/** Samples of one series, and its number. */
export interface SampleGroup {
  readonly number: number;
  readonly columns: SampleColumns;
}

/** What a body contains; the entries are numbered in this order: the samples series by series, and the gaps after them. */
export interface BodyContent {
  readonly samples: readonly SampleColumns[];
  readonly gaps: readonly Gap[];
}

/** Returns the number of entries in a body. */
export function countEntries({ samples, gaps }: BodyContent): number {
  return samples.reduce((sum, { count }) => sum + count, gaps.length);
}

const gapSchema = z.strictObject({
  reason: z.enum(GAP_REASONS),
  asset: z.string().optional(),
  channel: z.string().optional(),
  fromMs: z.number(),
  toMs: z.number(),
  count: z.int().min(0),
});

// What most bodies need.
const HEAD_BYTES = 64;
const BYTES_OF_SAMPLE = 8;

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
 * Writes the columns of the samples, then the gaps; see `BodyContent` for their numbers.
 *
 * @param baseMs times are written as differences from it; milliseconds since the epoch
 */
export function encodeBody(groups: readonly SampleGroup[], gaps: readonly Gap[], baseMs: number): Buffer {
  const count = groups.reduce((sum, { columns }) => sum + columns.count, 0);
  const writer = new ColumnWriter(HEAD_BYTES + count * BYTES_OF_SAMPLE);
  const tags = new TagRuns();
  const all = groups.map(({ columns }) => columns);
  for (const columns of all) tags.add(columns);
  tags.writeTable(writer);
  writer.writeNatural(groups.length);
  for (const { number } of groups) writer.writeNatural(number);
  for (const columns of all) writer.writeNatural(columns.count);
  tags.writeRuns(writer);
  writeTimes(writer, all, baseMs);
  for (const { series, values } of all) writeValues(writer, series.valueType, listValues(values));
  writer.writeText(gaps.length === 0 ? '' : JSON.stringify(gaps));
  return writer.finish();
}

/**
 * Reads what `encodeBody` wrote.
 *
 * @param names of every series in it
 * @param head the number of entries, and the time that `encodeBody` was given
 * @throws {ColumnFault} if the bytes are no body with so many entries, or a series has no name
 */
export function decodeBody(
  bytes: Buffer,
  names: SeriesNames,
  { count: entryCount, wallMs: baseMs }: Pick<FrameHead, 'count' | 'wallMs'>,
): BodyContent {
  const reader = new ColumnReader(bytes);
  const table = readTags(reader);
  const groupCount = reader.readNatural();
  const numbers = readNaturals(reader, groupCount);
  const counts = readNaturals(reader, groupCount);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > entryCount) throw new ColumnFault(`${total} samples instead of ${entryCount}`);
  reader.expect(total);
  const { tags, hasValue } = readRuns(reader, total, table);
  const { takenAtMs, timestampsMs } = readTimes(reader, total, baseMs);
  let end = 0;
  const samples = numbers.map((number, group) => {
    const series = names.get(number);
    if (series === undefined) throw new ColumnFault(`series ${number} has no name`);
    const start = end;
    const count = counts[group] ?? 0;
    end += count;
    return {
      series,
      count,
      tags: tags.slice(start, end),
      values: readSomeValues(reader, series, { count, hasValue: hasValue?.slice(start, end) }),
      timestampsMs: timestampsMs.subarray(start, end),
      takenAtMs: takenAtMs.subarray(start, end),
    };
  });
  const gaps = readGaps(reader.readText());
  if (!reader.isAtEnd) throw new ColumnFault('bytes follow the end');
  if (total + gaps.length !== entryCount)
    throw new ColumnFault(`${total + gaps.length} entries instead of ${entryCount}`);
  return { samples, gaps };
}

function listValues(values: SampleColumns['values']): readonly ChannelValue[] {
  return Array.from(values).filter((value) => value !== undefined);
}

/** Reads the values of the samples that have one. */
function readSomeValues(
  reader: ColumnReader,
  { valueType }: Series,
  { count, hasValue }: { readonly count: number; readonly hasValue: readonly boolean[] | undefined },
): SampleColumns['values'] {
  if (hasValue === undefined) return readValues(reader, valueType, count);
  const valued = Array.from(readValues(reader, valueType, hasValue.filter(Boolean).length)).values();
  return hasValue.map((has) => (has ? valued.next().value : undefined));
}

/** Writes the differences of the times taken, then how much earlier the time of each device is. */
function writeTimes(writer: ColumnWriter, all: readonly SampleColumns[], baseMs: number): void {
  let previousMs = Math.round(baseMs);
  for (const { takenAtMs, count } of all) {
    for (let index = 0; index < count; index += 1) {
      const timeMs = Math.round(takenAtMs[index] ?? 0);
      writer.writeInteger(timeMs - previousMs);
      previousMs = timeMs;
    }
  }
  for (const { takenAtMs, timestampsMs, count } of all) {
    for (let index = 0; index < count; index += 1)
      writer.writeInteger(Math.round(takenAtMs[index] ?? 0) - Math.round(timestampsMs[index] ?? 0));
  }
}

function readTimes(
  reader: ColumnReader,
  count: number,
  baseMs: number,
): { readonly takenAtMs: Float64Array; readonly timestampsMs: Float64Array } {
  const [takenAtMs, timestampsMs] = [reader.readIntegers(count), reader.readIntegers(count)];
  let timeMs = Math.round(baseMs);
  for (let index = 0; index < count; index += 1) {
    timeMs += takenAtMs[index] ?? 0;
    takenAtMs[index] = timeMs;
    timestampsMs[index] = timeMs - (timestampsMs[index] ?? 0);
  }
  return { takenAtMs, timestampsMs };
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
