const DIGITS = /^-?\d{1,400}$/;

/** A number of a JSON text, unchanged: with all digits, its point and its exponent. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Returns the number; a whole one that a double does not hold is a bigint, and one beyond its range is Infinity. */
  toNumber(): number | bigint {
    const number = Number(this.source);
    return !Number.isSafeInteger(number) && DIGITS.test(this.source) ? BigInt(this.source) : number;
  }

  toString(): string {
    return this.source;
  }
}
