import { crc32 } from 'node:zlib';

// "PSJ1", little-endian.
const MAGIC = 0x314a5350;
// The checksum covers everything that follows it.
const CHECKED_FROM = 8;
/** Bytes of the head of a frame. */
export const HEAD_BYTES = 48;
/** A frame holds the entries of about a second; a longer one is damage. */
const MAXIMUM_FRAME_BYTES = 64 * 1024 * 1024;

/** The head of a frame. */
export interface FrameHead {
  /** Number of the first entry. */
  readonly firstSequence: number;
  /** Number of entries, at least 1. */
  readonly count: number;
  /** Milliseconds since the epoch at which the frame was closed, by a clock that may have been wrong. */
  readonly wallMs: number;
  /** Clock.monotonicMs() at the same moment. */
  readonly monotonicMs: number;
  /** The clock of the machine had not been set. */
  readonly isClockUnset: boolean;
}

/** A frame: its head, the names of its series, and its compressed body. */
export interface Frame {
  readonly head: FrameHead;
  readonly names: Buffer;
  readonly body: Buffer;
}

/** Lengths of the parts of a frame, as its head gives them. */
interface FrameLengths {
  readonly names: number;
  readonly body: number;
}

/**
 * Writes a frame: the head, the names, the body.
 *
 * The head, little-endian: magic u32, CRC-32 u32 of everything after it, length of the names u32, length of the body
 * u32, number of entries u32, flags u32 (bit 0: clock not set), first sequence number f64, wall time f64, monotonic time f64.
 */
export function encodeFrame({ head, names, body }: Frame): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(HEAD_BYTES), names, body]);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(names.length, 8);
  bytes.writeUInt32LE(body.length, 12);
  bytes.writeUInt32LE(head.count, 16);
  bytes.writeUInt32LE(head.isClockUnset ? 1 : 0, 20);
  bytes.writeDoubleLE(head.firstSequence, 24);
  bytes.writeDoubleLE(head.wallMs, 32);
  bytes.writeDoubleLE(head.monotonicMs, 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKED_FROM)), 4);
  return bytes;
}

/**
 * Returns the length of the frame that begins at an offset, as its head gives it.
 *
 * @returns undefined if no frame can begin there; a length says nothing of the checksum
 */
export function findFrameLength(bytes: Buffer, offset: number): number | undefined {
  if (offset + HEAD_BYTES > bytes.length || bytes.readUInt32LE(offset) !== MAGIC) return undefined;
  const { names, body } = readLengths(bytes, offset);
  const length = HEAD_BYTES + names + body;
  return length <= MAXIMUM_FRAME_BYTES ? length : undefined;
}

/**
 * Reads a frame.
 *
 * @param bytes exactly those of the frame
 * @returns undefined if it is damaged
 */
export function decodeFrame(bytes: Buffer): Frame | undefined {
  if (findFrameLength(bytes, 0) !== bytes.length) return undefined;
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(CHECKED_FROM))) return undefined;
  const lengths = readLengths(bytes, 0);
  const head = {
    count: bytes.readUInt32LE(16),
    isClockUnset: bytes.readUInt32LE(20) % 2 === 1,
    firstSequence: bytes.readDoubleLE(24),
    wallMs: bytes.readDoubleLE(32),
    monotonicMs: bytes.readDoubleLE(40),
  };
  // Nothing else was ever written; such a frame would hide the entries after it.
  if (head.count === 0 || !Number.isSafeInteger(head.firstSequence) || head.firstSequence < 1)
    return undefined;
  const end = HEAD_BYTES + lengths.names;
  return { head, names: bytes.subarray(HEAD_BYTES, end), body: bytes.subarray(end) };
}

/** Returns the offset of the next magic at or after one; undefined if there is none. */
export function findMagic(bytes: Buffer, offset: number): number | undefined {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(MAGIC);
  const found = bytes.indexOf(magic, offset);
  return found === -1 ? undefined : found;
}

function readLengths(bytes: Buffer, offset: number): FrameLengths {
  return { names: bytes.readUInt32LE(offset + 8), body: bytes.readUInt32LE(offset + 12) };
}
