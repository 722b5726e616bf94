import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import { ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import { DOUBLES, isExact, isShort, LONGS, readValues, toDigits, writeValues } from './value-column.ts';

const INITIAL_BYTES = 64;

/** Values of one channel that are written as they come: the bytes are those that `writeValues` writes of all of them. */
export class GrowingValues {
  readonly #valueType: ValueType;
  #writer = new ColumnWriter(INITIAL_BYTES);
  #count = 0;
  /** The first byte. */
  #kind = 0;
  /** The last number, as an integer with so many decimals as the first byte says. */
  #digits = 0;

  constructor(valueType: ValueType) {
    this.#valueType = valueType;
    writeValues(this.#writer, valueType, []);
  }

  add(value: ChannelValue): void {
    if (typeof value === 'number') this.#addNumber(value);
    else if (typeof value === 'bigint') this.#addLong(value);
    else writeValues(this.#writer, this.#valueType, [value]);
    this.#count += 1;
  }

  /** Number of the bytes. */
  get length(): number {
    return this.#writer.length;
  }

  /** Returns the bytes; they stay as they are when values are added. */
  finish(): Buffer {
    return this.#writer.finish();
  }

  #addNumber(value: number): void {
    if (this.#kind === DOUBLES) this.#writer.writeDouble(value);
    else if (isExact(value, this.#kind, this.#valueType === 'FLOAT'))
      this.#addDigits(toDigits(value, this.#kind));
    else this.#rewrite(value);
  }

  #addLong(value: bigint): void {
    if (this.#kind === LONGS) this.#writer.writeLong(value);
    else if (isShort(value)) this.#addDigits(Number(value));
    else this.#rewrite(value);
  }

  #addDigits(digits: number): void {
    this.#writer.writeInteger(digits - this.#digits);
    this.#digits = digits;
  }

  /** Writes all values in the form that they need with one more. */
  #rewrite(value: number | bigint): void {
    const known = readValues(new ColumnReader(this.finish()), this.#valueType, this.#count);
    this.#writer = new ColumnWriter(INITIAL_BYTES);
    writeValues(this.#writer, this.#valueType, [...Array.from(known), value]);
    this.#kind = this.finish()[0] ?? 0;
    this.#digits = toDigits(Number(value), this.#kind);
  }
}
