/** How the value of a point lies in a device. */
export type FormName =
  | 'BIT'
  | 'BITS'
  | 'INT16'
  | 'UINT16'
  | 'INT32'
  | 'UINT32'
  | 'INT64'
  | 'FLOAT32'
  | 'STRING';

/** What a device holds: a truth, a number that all of its bits fit in, or a text. */
export type Raw = boolean | number | string;

/** The bits that a value is made of: whose it is, and the how many-th value of that one. */
export interface ValueOrigin {
  /** 13 bits that no other point of the world has. */
  readonly identity: number;
  readonly step: number;
}

interface Form {
  /** Entries of its table, each of two bytes here; an entry of a table of bits is 0 or 1. */
  readonly entries: number;
  /** Returns the value of this origin; no other one has it, as far as the type is wide enough. */
  readonly make: (origin: ValueOrigin) => Raw;
  /** Writes the value, high word first. */
  readonly write: (raw: Raw, out: Buffer) => void;
  readonly read: (registers: Buffer) => Raw;
}

/** Length of every array of bits: as many as identity and step have. */
export const ARRAY_BITS = 32;
/** Bytes of every text. */
export const TEXT_BYTES = 16;
const HIGH = 2 ** 32;

/** The forms of values that the devices of a world have. */
export const FORMS: Readonly<Record<FormName, Form>> = {
  BIT: {
    entries: 1,
    make: ({ identity, step }) => (mix(identity, step) & 1) === 1,
    write: (raw, out) => void out.writeUInt16BE(raw === true ? 1 : 0),
    read: (registers) => registers.readUInt16BE() === 1,
  },
  BITS: {
    entries: ARRAY_BITS,
    make({ identity, step }) {
      const bits = (identity << 19) | (step & 0x7_ffff);
      return JSON.stringify(Array.from({ length: ARRAY_BITS }, (_, bit) => ((bits >>> bit) & 1) === 1));
    },
    write(raw, out) {
      const bits = JSON.parse(String(raw)) as readonly boolean[];
      for (const [index, isOn] of bits.entries()) out.writeUInt16BE(isOn ? 1 : 0, 2 * index);
    },
    read: (entries) =>
      JSON.stringify(Array.from({ length: ARRAY_BITS }, (_, index) => entries.readUInt16BE(2 * index) === 1)),
  },
  INT16: {
    entries: 1,
    make: (origin) => makeShort(origin) - 2 ** 15,
    write: (raw, out) => void out.writeInt16BE(Number(raw)),
    read: (registers) => registers.readInt16BE(),
  },
  UINT16: {
    entries: 1,
    make: makeShort,
    write: (raw, out) => void out.writeUInt16BE(Number(raw)),
    read: (registers) => registers.readUInt16BE(),
  },
  INT32: {
    entries: 2,
    make: ({ identity, step }) => (identity << 19) | (step & 0x7_ffff),
    write: (raw, out) => void out.writeInt32BE(Number(raw)),
    read: (registers) => registers.readInt32BE(),
  },
  UINT32: {
    entries: 2,
    make: ({ identity, step }) => ((identity << 19) | (step & 0x7_ffff)) >>> 0,
    write: (raw, out) => void out.writeUInt32BE(Number(raw)),
    read: (registers) => registers.readUInt32BE(),
  },
  INT64: {
    entries: 4,
    // Below 2^53, so that JSON keeps every digit.
    make: ({ identity, step }) => identity * 2 ** 39 + step,
    write(raw, out) {
      out.writeInt32BE(Math.floor(Number(raw) / HIGH));
      out.writeUInt32BE(Number(raw) % HIGH, 4);
    },
    read: (registers) => registers.readInt32BE() * HIGH + registers.readUInt32BE(4),
  },
  FLOAT32: {
    entries: 2,
    make: (origin) => makeFloat(origin),
    write: (raw, out) => void out.writeFloatBE(Number(raw)),
    read: (registers) => registers.readFloatBE(),
  },
  STRING: {
    entries: TEXT_BYTES / 2,
    make: ({ identity, step }) => `${identity}:${step}`,
    write(raw, out) {
      out.fill(0);
      out.write(String(raw), 'latin1');
    },
    read: (registers) => registers.toString('latin1').replace(/\0.*$/s, ''),
  },
};

// Another value with each step, until all have been used.
function makeShort({ identity, step }: ValueOrigin): number {
  return (Math.imul(step, 40_503) + Math.imul(identity, 7919)) & 0xffff;
}

const FLOAT = Buffer.alloc(4);

// 13 bits of identity and 17 of the step, as an exponent of 64 to 191 and the 23 bits of a mantissa: a number in any case.
function makeFloat({ identity, step }: ValueOrigin): number {
  const bits = (identity << 17) | (step & 0x1_ffff);
  FLOAT.writeUInt32BE((64 << 23) + bits);
  return FLOAT.readFloatBE();
}

function mix(a: number, b: number): number {
  let mixed = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
