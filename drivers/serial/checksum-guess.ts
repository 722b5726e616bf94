import { createChecksum } from './checksum.ts';
import { checksumSchema } from './checksum-setting.ts';

const PLAIN = ['XOR', 'SUM', 'TWOS_COMPLEMENT'] as const;
// MODBUS, IBM-3740, XMODEM and KERMIT of the catalogues.
const CYCLIC = [
  { kind: 'CRC16', polynomial: 0x8005, initial: 0xffff, reflect: true, byteOrder: 'LITTLE_ENDIAN' },
  { kind: 'CRC16', polynomial: 0x1021, initial: 0xffff },
  { kind: 'CRC16', polynomial: 0x1021 },
  { kind: 'CRC16', polynomial: 0x1021, reflect: true, byteOrder: 'LITTLE_ENDIAN' },
  { kind: 'CRC8', polynomial: 0x31, reflect: true },
  { kind: 'CRC8', polynomial: 0x07 },
] as const;

const CANDIDATES: readonly object[] = [
  { kind: 'XOR', form: 'HEX', after: '$', separator: '*' },
  ...[...PLAIN.map((kind) => ({ kind })), ...CYCLIC].flatMap((setting) => [
    setting,
    { ...setting, from: 1 },
    { ...setting, form: 'HEX' },
    { ...setting, form: 'HEX', from: 1 },
  ]),
];

// With four frames, one byte is right by chance once in four thousand million times.
const NEEDED_FRAMES = 4;
const KEPT_FRAMES = 8;
// A checksum of one or two bytes over long frames would cost much and is rare.
const LONGEST_FRAME = 512;

/** Keeps the newest distinct frames of a line without a `checksum`, and finds the one that they carry. */
export class ChecksumGuess {
  #frames: readonly Buffer[] = [];

  /** Takes a frame as received. */
  push(frame: Buffer): void {
    if (frame.length < 3 || frame.length > LONGEST_FRAME || this.#frames.length >= KEPT_FRAMES) return;
    if (this.#frames.some((other) => other.equals(frame))) return;
    this.#frames = [...this.#frames, frame];
  }

  /** Returns the setting that all frames fit; undefined if there is none, or there are too few frames. */
  find(): object | undefined {
    if (this.#frames.length < NEEDED_FRAMES) return undefined;
    return CANDIDATES.find((candidate) => {
      const checksum = createChecksum(checksumSchema.parse(candidate), 8);
      return this.#frames.every((frame) => checksum.open(frame).fault === undefined);
    });
  }
}

/** Writes a setting as the configuration has it. */
export function describeChecksum(setting: object): string {
  const fields = Object.entries(setting).map(([key, value]) => {
    const isMark = key === 'after' || key === 'separator';
    const isHex = key === 'polynomial' || key === 'initial';
    const text = isHex ? `0x${Number(value).toString(16).toUpperCase()}` : String(value);
    return `${key}: ${isMark ? `'${text}'` : text}`;
  });
  return `{ ${fields.join(', ')} }`;
}
