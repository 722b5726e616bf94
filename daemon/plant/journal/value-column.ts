import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import { ColumnFault } from './column-reader.ts';
import type { ColumnReader } from './column-reader.ts';
import type { ColumnWriter } from './column-writer.ts';

// First byte of a column of numbers: the number of decimals, or one of these.
export const LONGS = 254;
export const DOUBLES = 255;
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
    case 'DOUBLE':
    case 'INTEGER':
      writeNumbers(writer, values as readonly number[], valueType === 'FLOAT');
      break;
  }
}

/**
 * Reads what `writeValues` wrote.
 *
 * @throws {ColumnFault} if the bytes are no such column
 */
export function readValues(
  reader: ColumnReader,
  valueType: ValueType,
  count: number,
): ArrayLike<ChannelValue> {
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
    case 'DOUBLE':
    case 'INTEGER':
      return readNumbers(reader, count, valueType === 'FLOAT');
  }
}

function writeLongs(writer: ColumnWriter, values: readonly bigint[]): void {
  if (values.every(isShort)) writeDifferences(writer, 0, values.map(Number));
  else {
    writer.writeByte(LONGS);
    for (const value of values) writer.writeLong(value);
  }
}

/** True for an integer that a column holds as a difference. */
export function isShort(value: bigint): boolean {
  return value > -LARGEST_DIGITS && value < LARGEST_DIGITS;
}

/** @param isFloat true if the numbers have the precision of 32 bits */
function writeNumbers(writer: ColumnWriter, values: readonly number[], isFloat: boolean): void {
  const decimals = countDecimals(values, isFloat);
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
function countDecimals(values: readonly number[], isFloat: boolean): number | undefined {
  let decimals = 0;
  for (const value of values) {
    while (!isExact(value, decimals, isFloat)) {
      decimals += 1;
      if (decimals === POWERS_OF_TEN.length) return undefined;
    }
  }
  // More decimals may make an earlier number too large.
  return values.every((value) => isExact(value, decimals, isFloat)) ? decimals : undefined;
}

/** Returns a number as an integer with so many decimals. */
export function toDigits(value: number, decimals: number): number {
  return Math.round(value * (POWERS_OF_TEN[decimals] ?? 1));
}

/**
 * True if a number is read back exactly with so many decimals.
 *
 * @param isFloat true if it has the precision of 32 bits
 */
export function isExact(value: number, decimals: number, isFloat: boolean): boolean {
  const factor = POWERS_OF_TEN[decimals] ?? 1;
  const digits = Math.round(value * factor);
  if (!(Math.abs(digits) < LARGEST_DIGITS)) return false;
  if (digits === 0) return Object.is(value, 0);
  const read = digits / factor;
  return (isFloat ? Math.fround(read) : read) === value;
}

function readLongs(reader: ColumnReader, count: number): ChannelValue[] {
  const kind = reader.readByte();
  if (kind === LONGS) return readEach(count, () => reader.readLong());
  if (kind !== 0) throw new ColumnFault(`${kind} is no form of long integers`);
  return Array.from(readDifferences(reader, count), BigInt);
}

function readNumbers(reader: ColumnReader, count: number, isFloat: boolean): ArrayLike<number> {
  const kind = reader.readByte();
  if (kind === DOUBLES) return readEach(count, () => reader.readDouble());
  const factor = POWERS_OF_TEN[kind];
  if (factor === undefined) throw new ColumnFault(`${kind} is no form of numbers`);
  const values = readDifferences(reader, count);
  for (let index = 0; index < count; index += 1) {
    const value = (values[index] ?? 0) / factor;
    values[index] = isFloat ? Math.fround(value) : value;
  }
  return values;
}

/** Reads numbers that were written as differences of integers. */
function readDifferences(reader: ColumnReader, count: number): Float64Array {
  const integers = reader.readIntegers(count);
  for (let index = 1; index < count; index += 1)
    integers[index] = (integers[index] ?? 0) + (integers[index - 1] ?? 0);
  return integers;
}

function readEach<T>(count: number, read: () => T): T[] {
  const values: T[] = [];
  for (let index = 0; index < count; index += 1) values.push(read());
  return values;
}
