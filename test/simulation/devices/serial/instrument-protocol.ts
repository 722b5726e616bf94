import type { Random } from '../../world/random.ts';
import type { RestValue } from '../../world/truth.ts';
import type { ValueKind } from '../value-kind.ts';
import { VALUE_KINDS } from '../value-kind.ts';

/** A value of an instrument: `W1` is the first that it measures, `S1` the first that can be set. */
export interface InstrumentValue {
  readonly code: 'W' | 'S' | 'E';
  readonly index: number;
  readonly kind: ValueKind;
}

/** What the gateway sent, as the instrument understands it. */
export type InstrumentRequest =
  | { readonly type: 'READ'; readonly code: string; readonly index: number }
  | { readonly type: 'WRITE'; readonly index: number; readonly text: string };

/** How an instrument speaks. */
export interface InstrumentProtocol {
  /** Settings of the driver that tell it. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly values: readonly InstrumentValue[];
  /** Returns the address of the channel of a value. */
  readonly describe: (value: InstrumentValue) => Readonly<Record<string, unknown>>;
  /** Returns what was asked for; undefined when it is nothing that the instrument knows. */
  readonly parse: (bytes: Buffer) => InstrumentRequest | undefined;
  readonly answer: (code: string, index: number, value: RestValue) => Buffer;
  readonly confirm: (index: number) => Buffer;
  /** What the instrument says where it refuses. */
  readonly refuse: () => Buffer;
  /** Returns bytes that nobody takes for a frame or a part of one. */
  readonly damage: (bytes: Buffer, random: Random) => Buffer;
}

const { double, integer32, integer64, text } = VALUE_KINDS;

const TEXT_VALUES: readonly InstrumentValue[] = [
  { code: 'W', index: 1, kind: double },
  { code: 'W', index: 2, kind: integer32 },
  { code: 'W', index: 3, kind: text },
  { code: 'W', index: 4, kind: integer64 },
  { code: 'S', index: 1, kind: double },
  { code: 'S', index: 2, kind: text },
  { code: 'S', index: 3, kind: integer64 },
  { code: 'E', index: 1, kind: integer64 },
];

/** Returns the protocol of an instrument that speaks in lines of text: `W1?`, `W1=12.5`, `S1:3`, `OK S1`. */
export function createTextProtocol(delimiter: '\r\n' | '\r' | '\x03'): InstrumentProtocol {
  const escaped = { '\r\n': '\\r\\n', '\r': '\\r', '\x03': '\\x03' }[delimiter];
  const line = (content: string): Buffer => Buffer.from(content + delimiter, 'latin1');
  return {
    settings: { framing: { type: 'delimiter', delimiter: escaped }, encoding: 'ascii' },
    values: TEXT_VALUES,
    describe: ({ code, index, kind }) => ({
      ...(code === 'E' ? {} : { request: `${code}${index}?${escaped}` }),
      // Nothing else, as the end of a line may be missing.
      response: {
        pattern: `^${code}${index}=${kind.valueType === 'STRING' ? '(P[0-9]+[.][0-9]+)' : '([0-9.]+)'}$`,
      },
      ...(code === 'S' ? { write: `S${index}:{value}${escaped}`, acknowledge: `^OK S${index}$` } : {}),
    }),
    parse: (bytes) => {
      const content = bytes.toString('latin1');
      if (!content.endsWith(delimiter)) return undefined;
      const read = /^([WS])(\d)\?/.exec(content);
      if (read !== null) return { type: 'READ', code: read[1] ?? '', index: Number(read[2]) };
      // What was disturbed has a character that is none.
      const write = /^S(\d):([\x20-\x7e]+)/.exec(content.slice(0, -delimiter.length));
      if (write === null || write[0].length !== content.length - delimiter.length) return undefined;
      return { type: 'WRITE', index: Number(write[1]), text: write[2] ?? '' };
    },
    answer: (code, index, value) => line(`${code}${index}=${String(value)}`),
    confirm: (index) => line(`OK S${index}`),
    refuse: () => line('ERR 2'),
    damage: (bytes, random) => alterOne(bytes, random, (byte) => byte | 0x80),
  };
}

const START = 0x02;
const END = 0x03;
const READ = 'R'.charCodeAt(0);
const PUT = 'P'.charCodeAt(0);
const DONE = 'A'.charCodeAt(0);
const REFUSED = 'N'.charCodeAt(0);
const DIGITS = 16;
const DIGIT_BYTES = DIGITS / 2;
// What follows the length, and all of it.
const REST_BYTES = 2 + DIGIT_BYTES;
const FRAME_BYTES = 2 + REST_BYTES;
const INDEX_OF_SETTINGS = 0x10;

/** How the frames of binary instruments are told apart. */
const BINARY_FRAMINGS = {
  lengthField: { type: 'lengthField', offset: 1, size: 1 },
  fixedLength: { type: 'fixedLength', length: FRAME_BYTES },
  idleGap: { type: 'idleGap', gapMs: 40 },
} as const;

/** Names of the framings of binary instruments. */
export const BINARY_FRAMING_NAMES = ['lengthField', 'fixedLength', 'idleGap'] as const;

const BINARY_VALUES: readonly InstrumentValue[] = [
  { code: 'W', index: 1, kind: integer64 },
  { code: 'W', index: 2, kind: integer64 },
  { code: 'W', index: 3, kind: integer64 },
  { code: 'S', index: 1, kind: integer64 },
  { code: 'S', index: 2, kind: integer64 },
];

/** Returns the protocol of an instrument that answers with frames of decimal digits. */
export function createBinaryProtocol(framing: (typeof BINARY_FRAMING_NAMES)[number]): InstrumentProtocol {
  const frame = (code: number, index: number, digits: string): Buffer =>
    Buffer.from([START, REST_BYTES, code, index, ...Buffer.from(digits.padStart(DIGITS, '0'), 'hex')]);
  const codeOf = (code: string, index: number): number => (code === 'S' ? INDEX_OF_SETTINGS + index : index);
  const hex = (...bytes: readonly number[]): string =>
    bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const pattern = (code: number, index: number): string =>
    `^${[START, REST_BYTES, code, index].map((byte) => `\\x${hex(byte)}`).join('')}`;
  return {
    settings: { framing: BINARY_FRAMINGS[framing], encoding: 'latin1' },
    values: BINARY_VALUES,
    describe: ({ code, index }) => ({
      request: `hex:${hex(START, READ, codeOf(code, index), END)}`,
      match: pattern(READ, codeOf(code, index)),
      response: { offset: 4, dataType: 'BCD64' },
      ...(code === 'S'
        ? {
            write: `\\x${hex(START)}P\\x${hex(codeOf(code, index))}{value}\\x${hex(END)}`,
            acknowledge: pattern(DONE, codeOf(code, index)),
          }
        : {}),
    }),
    parse: (bytes) => {
      if (bytes[0] !== START || bytes.at(-1) !== END) return undefined;
      const place = bytes[2] ?? 0;
      const index = place % INDEX_OF_SETTINGS;
      if (bytes[1] === READ && bytes.length === 4) {
        return { type: 'READ', code: place === index ? 'W' : 'S', index };
      }
      const digits = bytes.subarray(3, -1).toString('latin1');
      if (bytes[1] !== PUT || place === index || !/^\d+$/.test(digits)) return undefined;
      return { type: 'WRITE', index, text: digits };
    },
    answer: (code, index, value) => frame(READ, codeOf(code, index), String(value)),
    confirm: (index) => frame(DONE, codeOf('S', index), '0'),
    refuse: () => frame(REFUSED, 0, '2'),
    damage: (bytes, random) => alterOne(bytes, random, (byte) => byte | 0xf0),
  };
}

function alterOne(bytes: Buffer, random: Random, alter: (byte: number) => number): Buffer {
  const altered = Buffer.from(bytes);
  const position = random.integer(0, bytes.length - 1);
  altered[position] = alter(altered[position] ?? 0);
  return altered;
}
