import type { RestValue } from '../world/truth.ts';

/** Values of one type, made so that they tell of which point they are. */
export interface ValueKind {
  readonly valueType: 'DOUBLE' | 'FLOAT' | 'LONG' | 'INTEGER' | 'STRING' | 'BOOLEAN' | 'BYTE_ARRAY';
  /**
   * Returns a value.
   *
   * @param point number of the point, 1 to 4095; no other point has the same, so no other has the same value, except
   *   where the type is too narrow
   * @param count which of its values
   */
  readonly make: (point: number, count: number) => RestValue;
}

const LONG = 'All pumps run as they should. '.repeat(700);

/** Kinds of values; the numbers in a name are the bits that a device has for it. */
export const VALUE_KINDS = {
  double: { valueType: 'DOUBLE', make: (point, count) => point * 2 ** 26 + (count % 2 ** 26) + 0.5 },
  /** Exact in the 24 bits of the fraction; repeats after 4096 values. */
  float: { valueType: 'FLOAT', make: (point, count) => point * 2 ** 12 + (count % 2 ** 12) },
  integer64: { valueType: 'LONG', make: (point, count) => point * 2 ** 36 + (count % 2 ** 36) },
  integer32: { valueType: 'INTEGER', make: (point, count) => point * 2 ** 18 + (count % 2 ** 18) },
  integer16: { valueType: 'INTEGER', make: (point, count) => (point * 4099 + count) % 2 ** 15 },
  boolean: { valueType: 'BOOLEAN', make: (point, count) => (point + count) % 2 === 1 },
  text: { valueType: 'STRING', make: (point, count) => `P${point}.${count}` },
  longText: { valueType: 'STRING', make: (point, count) => `P${point}.${count}.${LONG}` },
  bytes: {
    valueType: 'BYTE_ARRAY',
    make: (point, count) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(point, 0);
      bytes.writeUInt32BE(count, 4);
      return bytes.toString('base64');
    },
  },
} as const satisfies Readonly<Record<string, ValueKind>>;

export type ValueKindName = keyof typeof VALUE_KINDS;
