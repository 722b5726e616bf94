import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import { ColumnFault } from './column-reader.ts';
import type { ColumnReader } from './column-reader.ts';
import type { ColumnWriter } from './column-writer.ts';

// First byte of a column of numbers: the number of decimals, or one of these.
const LONGS = 254;
const DOUBLES = 255;
const POWERS_OF_TEN = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);
// Differences of two such numbers are within what an integer of a column holds.
const LARGEST_DIGITS = 2 ** 50;

/**
 * Writes the values of one channel, in the shape of its value type.
 *
 * Numbers with up to nine decimals, as 32-bit floats have, are integers of the differences; the others, and NaN, infinities and negative zero, are
 * doubles. Every value is read back exactly.
 */
export function writeValues(
  writer: ColumnWriter,
  valueType: ValueType,
  values: readonly ChannelValue[],
): void {
  switch (valueType) {
    case 'BOOLEAN':
      for (const value of values) writer.writeByte(value === true ? 1 : 0);
      break;
    case 'STRING':
      for (const value of values) writer.writeText(value as string);
      break;
    case 'BYTE_ARRAY':
      for (const value of values) writer.writeBytes(value as Uint8Array);
      break;
    case 'LONG':
      writeLongs(writer, values as readonly bigint[]);
      break;
    case 'FLOAT':
      writeNumbers(writer, values as readonly number[], Math.fround);
      break;
    case 'DOUBLE':
    case 'INTEGER':
      writeNumbers(writer, values as readonly number[], Number);
      break;
  }
}

/**
 * Reads what `writeValues` wrote.
 *
 * @throws {ColumnFault} if the bytes are no such column
 */
export function readValues(reader: ColumnReader, valueType: ValueType, count: number): ChannelValue[] {
  switch (valueType) {
    case 'BOOLEAN':
      return readEach(count, () => reader.readByte() === 1);
    case 'STRING':
      return readEach(count, () => reader.readText());
    case 'BYTE_ARRAY':
      return readEach(count, () => Uint8Array.from(reader.readBytes()));
    case 'LONG':
      return readLongs(reader, count);
    case 'FLOAT':
      return readNumbers(reader, count, Math.fround);
    case 'DOUBLE':
    case 'INTEGER':
      return readNumbers(reader, count, Number);
  }
}

function writeLongs(writer: ColumnWriter, values: readonly bigint[]): void {
  const isShort = values.every((value) => value > -LARGEST_DIGITS && value < LARGEST_DIGITS);
  if (isShort) writeDifferences(writer, 0, values.map(Number));
  else {
    writer.writeByte(LONGS);
    for (const value of values) writer.writeLong(value);
  }
}

/** Gives a number the precision of its type. */
type Round = (value: number) => number;

function writeNumbers(writer: ColumnWriter, values: readonly number[], round: Round): void {
  const decimals = countDecimals(values, round);
  if (decimals === undefined) {
    writer.writeByte(DOUBLES);
    for (const value of values) writer.writeDouble(value);
  } else writeDifferences(writer, decimals, values);
}

function writeDifferences(writer: ColumnWriter, decimals: number, values: readonly number[]): void {
  writer.writeByte(decimals);
  const factor = POWERS_OF_TEN[decimals] ?? 1;
  let previous = 0;
  for (const value of values) {
    const digits = Math.round(value * factor);
    writer.writeInteger(digits - previous);
    previous = digits;
  }
}

/** Returns the fewest decimals with which every number is written exactly; undefined if nine are not enough. */
function countDecimals(values: readonly number[], round: Round): number | undefined {
  let decimals = 0;
  for (const value of values) {
    while (!isExact(value, decimals, round)) {
      decimals += 1;
      if (decimals === POWERS_OF_TEN.length) return undefined;
    }
  }
  // More decimals may make an earlier number too large.
  return values.every((value) => isExact(value, decimals, round)) ? decimals : undefined;
}

function isExact(value: number, decimals: number, round: Round): boolean {
  const factor = POWERS_OF_TEN[decimals] ?? 1;
  const digits = Math.round(value * factor);
  if (!(Math.abs(digits) < LARGEST_DIGITS)) return false;
  return digits === 0 ? Object.is(value, 0) : round(digits / factor) === value;
}

function readLongs(reader: ColumnReader, count: number): ChannelValue[] {
  const kind = reader.readByte();
  if (kind === LONGS) return readEach(count, () => reader.readLong());
  if (kind !== 0) throw new ColumnFault(`${kind} is no form of long integers`);
  return readDifferences(reader, 1, count).map(BigInt);
}

function readNumbers(reader: ColumnReader, count: number, round: Round): ChannelValue[] {
  const kind = reader.readByte();
  if (kind === DOUBLES) return readEach(count, () => reader.readDouble());
  const factor = POWERS_OF_TEN[kind];
  if (factor === undefined) throw new ColumnFault(`${kind} is no form of numbers`);
  return readDifferences(reader, factor, count).map(round);
}

function readDifferences(reader: ColumnReader, factor: number, count: number): number[] {
  let digits = 0;
  return readEach(count, () => {
    digits += reader.readInteger();
    return digits / factor;
  });
}

function readEach<T>(count: number, read: () => T): T[] {
  const values: T[] = [];
  for (let index = 0; index < count; index += 1) values.push(read());
  return values;
}
