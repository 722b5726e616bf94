import { createReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';
import { TextFault } from '../binary/text-encoding.ts';
import { parseByteText, quoteBytes } from './byte-text.ts';
import { checksumBytes } from './checksum-setting.ts';
import type { ChecksumSetting } from './checksum-setting.ts';

/** A frame without its checksum, or the reason why it is damaged. */
export type OpenedFrame =
  | { readonly content: Buffer; readonly fault?: undefined }
  | { readonly fault: string; readonly content?: undefined };

/** Computes and checks the checksum of frames. */
export interface Checksum {
  /** Bytes that follow the delimiter of a frame. */
  readonly bytesAfterDelimiter: number;
  /**
   * Checks a received frame.
   *
   * @param frame as received; with its delimiter if the checksum follows that
   * @returns the bytes before separator and checksum
   */
  open(frame: Buffer): OpenedFrame;
  /**
   * Computes the checksum of a request.
   *
   * @param before all bytes of the request before the checksum, with the separator
   * @returns undefined if the bytes are none that the checksum can cover
   */
  seal(before: Buffer): Buffer | undefined;
}

/** Creates the checksum of a line; `dataBits` is the size of a character. */
export function createChecksum(setting: ChecksumSetting, dataBits: 7 | 8): Checksum {
  const { form, trailing, afterDelimiter } = setting;
  const after = setting.after === undefined ? undefined : parseByteText(setting.after, 'ascii');
  const separator =
    setting.separator === undefined ? Buffer.alloc(0) : parseByteText(setting.separator, 'ascii');
  const compute = createComputation(setting, dataBits);
  const size = checksumBytes(setting);
  const encode = (covered: Buffer): Buffer => {
    const bytes = compute(covered);
    return form === 'HEX' ? Buffer.from(bytes.toString('hex').toUpperCase(), 'latin1') : bytes;
  };
  const findStart = (bytes: Buffer): number | undefined => {
    if (after === undefined) return setting.from ?? 0;
    const at = bytes.indexOf(after);
    return at < 0 ? undefined : at + after.length;
  };
  const endsWithSeparator = (bytes: Buffer): boolean =>
    bytes.length >= separator.length && bytes.subarray(bytes.length - separator.length).equals(separator);
  const cover = (before: Buffer): Buffer | undefined => {
    const start = findStart(before);
    const end = before.length - separator.length;
    return start !== undefined && start <= end && endsWithSeparator(before)
      ? before.subarray(start, end)
      : undefined;
  };
  return {
    bytesAfterDelimiter: afterDelimiter ? size : 0,
    open(frame) {
      const at = frame.length - trailing - size;
      const covered = at < 0 ? undefined : cover(frame.subarray(0, at));
      if (covered === undefined) return { fault: `${quoteBytes(frame)} has no checksum` };
      const received = frame.subarray(at, at + size);
      const expected = encode(covered);
      // Instruments use both cases of hexadecimal digits.
      const isRight =
        form === 'HEX'
          ? received.toString('latin1').toUpperCase() === expected.toString('latin1')
          : received.equals(expected);
      return isRight
        ? { content: frame.subarray(0, at - separator.length) }
        : { fault: `${quoteBytes(frame)} has the checksum ${show(received)} instead of ${show(expected)}` };
    },
    seal(before) {
      const covered = cover(before);
      return covered === undefined ? undefined : encode(covered);
    },
  };

  function show(bytes: Buffer): string {
    return form === 'HEX' ? quoteBytes(bytes) : bytes.toString('hex').toUpperCase();
  }
}

/**
 * Joins the parts of a request with the checksum between them.
 *
 * @param parts the whole request, or its bytes before and after the checksum
 * @throws {TextFault} if the line has no checksum, or it cannot cover the bytes
 */
export function sealRequest(parts: readonly Buffer[], checksum: Checksum | undefined): Buffer {
  const [before = Buffer.alloc(0), after] = parts;
  if (after === undefined) return before;
  if (checksum === undefined)
    throw new TextFault(createReason(SERIAL_FAULTS, 'CHECKSUM_MISSING', { placeholder: '{checksum}' }));
  const sum = checksum.seal(before);
  if (sum !== undefined) return Buffer.concat([before, sum, after]);
  throw new TextFault(createReason(SERIAL_FAULTS, 'CHECKSUM_NOT_COVERING', { bytes: quoteBytes(before) }));
}

type Computation = (covered: Buffer) => Buffer;

function createComputation(setting: ChecksumSetting, dataBits: 7 | 8): Computation {
  // The checksum is sent as a character of the line.
  const mask = dataBits === 7 && setting.form === 'BINARY' ? 0x7f : 0xff;
  switch (setting.kind) {
    case 'XOR':
      return (covered) => Buffer.of(covered.reduce((sum, byte) => sum ^ byte, 0) & mask);
    case 'SUM':
      return (covered) => Buffer.of(covered.reduce((sum, byte) => sum + byte, 0) & mask);
    case 'TWOS_COMPLEMENT':
      return (covered) => Buffer.of(-covered.reduce((sum, byte) => sum + byte, 0) & mask);
    case 'CRC8': {
      const compute = createCyclicCheck({ ...setting, width: 8 });
      return (covered) => Buffer.of(compute(covered));
    }
    case 'CRC16': {
      const compute = createCyclicCheck({ ...setting, width: 16 });
      const isBig = setting.byteOrder === 'BIG_ENDIAN';
      return (covered) => {
        const sum = compute(covered);
        return isBig ? Buffer.of(sum >> 8, sum & 0xff) : Buffer.of(sum & 0xff, sum >> 8);
      };
    }
  }
}

/** Parameters of a cyclic redundancy check, as the catalogue of G. Cook names them; `reflect` is refin and refout. */
export interface CyclicCheck {
  readonly width: 8 | 16;
  readonly polynomial: number;
  readonly initial: number;
  readonly reflect: boolean;
  readonly xorOut: number;
}

/** Creates a table-driven cyclic redundancy check. */
export function createCyclicCheck({
  width,
  polynomial,
  initial,
  reflect,
  xorOut,
}: CyclicCheck): (bytes: Buffer) => number {
  const mask = 2 ** width - 1;
  const highest = 2 ** (width - 1);
  const reflected = reflectBits(polynomial, width);
  const table = Array.from({ length: 256 }, (_, byte) => {
    let register = reflect ? byte : byte << (width - 8);
    for (let bit = 0; bit < 8; bit += 1) {
      if (reflect) register = (register >> 1) ^ (register % 2 === 1 ? reflected : 0);
      else register = ((register << 1) ^ ((register & highest) === 0 ? 0 : polynomial)) & mask;
    }
    return register;
  });
  const start = reflect ? reflectBits(initial, width) : initial;
  return (bytes) => {
    let register = start;
    for (const byte of bytes) {
      const entry = table[(reflect ? register ^ byte : (register >> (width - 8)) ^ byte) & 0xff] ?? 0;
      register = ((reflect ? register >> 8 : register << 8) ^ entry) & mask;
    }
    return register ^ xorOut;
  };
}

function reflectBits(value: number, width: number): number {
  let reflected = 0;
  for (let bit = 0; bit < width; bit += 1) reflected |= ((value >> bit) & 1) << (width - 1 - bit);
  return reflected;
}
