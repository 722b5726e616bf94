import { appendCrc, hasRightCrc } from './crc.ts';

// Space for noise, an echo and the longest frame of either mode.
const CAPACITY_BYTES = 2048;

/** A frame found in received bytes; `pdu` is a view. */
export interface SerialFrame {
  readonly unitId: number;
  readonly pdu: Buffer;
  /** Offset in the received bytes. */
  readonly start: number;
}

/** Durations on a line, in milliseconds. */
export interface LineTiming {
  /** Duration of one character; 0 if the line speed is unknown. */
  readonly characterMs: number;
  /** Silence before each request. */
  readonly silentIntervalMs: number;
}

/** The frame to find: the response of a unit to a function, or its exception. */
export interface ExpectedFrame {
  readonly unitId: number;
  readonly functionCode: number;
  /** Length of a correct response, derived from the request; length fields of received bytes are not trusted. */
  readonly pduBytes: number;
  /** Determines the length of a response from its content; undefined while unknown. `pduBytes` is then the maximum. */
  readonly measure?: ((pdu: Buffer) => number | undefined) | undefined;
}

/** Framing of a serial line: RTU or ASCII mode. */
export interface SerialFraming {
  encode(unitId: number, pdu: Uint8Array): Buffer;
  /** Counts the characters of a frame on the line. */
  countCharacters(pduBytes: number): number;
  /** Finds a frame with a correct checksum among other bytes. */
  find(received: Buffer, expected: ExpectedFrame): SerialFrame | undefined;
  /** Parses all bytes as one frame; undefined if they are none or the checksum is wrong. */
  readonly parseWhole: (received: Buffer) => SerialFrame | undefined;
}

// An exception consists of function code and exception code (MODBUS Application Protocol V1.1b3, 7).
const EXCEPTION_PDU_BYTES = 2;
const EXCEPTION_BIT = 0x80;

const RTU_OVERHEAD_BYTES = 3;
const MINIMUM_RTU_FRAME_BYTES = 4;
const MAXIMUM_RTU_FRAME_BYTES = 256;
// In ASCII mode: two characters per byte, and three delimiters.
const MAXIMUM_FRAME_BYTES = 513;

/** RTU mode: binary, with a CRC (MODBUS over Serial Line V1.02, 2.5.1). */
export const rtuFraming: SerialFraming = {
  encode: appendCrc,
  countCharacters: (pduBytes) => pduBytes + RTU_OVERHEAD_BYTES,
  find(received, { unitId, functionCode, pduBytes, measure }) {
    // The mode has no start delimiter, so a frame may begin anywhere after noise.
    for (let start = received.indexOf(unitId); start !== -1; start = received.indexOf(unitId, start + 1)) {
      const answered = received[start + 1];
      const isException = answered === (functionCode | EXCEPTION_BIT);
      if (answered !== functionCode && !isException) continue;
      const bytes = measure === undefined ? pduBytes : measure(received.subarray(start + 1));
      const end = start + (isException ? EXCEPTION_PDU_BYTES : (bytes ?? Infinity)) + RTU_OVERHEAD_BYTES;
      if (end > received.length) continue;
      const frame = received.subarray(start, end);
      if (hasRightCrc(frame)) return { unitId, pdu: frame.subarray(1, -2), start };
    }
    return undefined;
  },
  parseWhole(received) {
    if (received.length < MINIMUM_RTU_FRAME_BYTES || received.length > MAXIMUM_RTU_FRAME_BYTES)
      return undefined;
    if (!hasRightCrc(received)) return undefined;
    return { unitId: received[0] ?? 0, pdu: received.subarray(1, -2), start: 0 };
  },
};

const ASCII_START = 0x3a;
const ASCII_END = 0x0a;
const ASCII_OVERHEAD_CHARACTERS = 7;
// Two digits per byte: at least unit identifier, function code and LRC, at most 255 bytes.
const ASCII_FRAME = /^:((?:[\dA-Fa-f]{2}){3,255})\r\n$/;

/** ASCII mode: two hexadecimal digits per byte, with an LRC (MODBUS over Serial Line V1.02, 2.5.2). */
export const asciiFraming: SerialFraming = {
  encode(unitId, pdu) {
    const bytes = Buffer.concat([Buffer.from([unitId]), pdu]);
    const text = Buffer.concat([bytes, Buffer.from([computeLrc(bytes)])]).toString('hex');
    return Buffer.from(`:${text.toUpperCase()}\r\n`, 'latin1');
  },
  countCharacters: (pduBytes) => 2 * pduBytes + ASCII_OVERHEAD_CHARACTERS,
  find(received, { unitId, functionCode }) {
    let end = received.indexOf('\r\n', 0, 'latin1');
    for (let from = 0; end !== -1; end = received.indexOf('\r\n', from, 'latin1')) {
      // A colon within a frame starts a new one.
      const start = received.lastIndexOf(ASCII_START, end);
      const frame = start < from ? undefined : parseAscii(received.subarray(start, end + 2), start);
      const isResponse = frame?.unitId === unitId && ((frame.pdu[0] ?? 0) & ~EXCEPTION_BIT) === functionCode;
      if (isResponse) return frame;
      from = end + 2;
    }
    return undefined;
  },
  parseWhole: (received) => parseAscii(received, 0),
};

/** Splits all bytes into consecutive frames; undefined if bytes remain. */
export function splitFrames(
  { parseWhole }: Pick<SerialFraming, 'parseWhole'>,
  received: Buffer,
): readonly SerialFrame[] | undefined {
  const frames: SerialFrame[] = [];
  for (let start = 0; start < received.length;) {
    const longest = Math.min(received.length, start + MAXIMUM_FRAME_BYTES);
    let end = start + MINIMUM_RTU_FRAME_BYTES;
    // The shortest match: a CRC is correct by chance once in 65536 positions.
    let frame = parseWhole(received.subarray(start, end));
    while (frame === undefined && end < longest) frame = parseWhole(received.subarray(start, (end += 1)));
    if (frame === undefined || end > received.length) return undefined;
    frames.push({ ...frame, start });
    start = end;
  }
  return frames.length === 0 ? undefined : frames;
}

function parseAscii(characters: Buffer, start: number): SerialFrame | undefined {
  if (characters.at(-1) !== ASCII_END) return undefined;
  const [, digits] = ASCII_FRAME.exec(characters.toString('latin1')) ?? [];
  if (digits === undefined) return undefined;
  const bytes = Buffer.from(digits, 'hex');
  const body = bytes.subarray(0, -1);
  if (bytes.at(-1) !== computeLrc(body)) return undefined;
  return { unitId: body[0] ?? 0, pdu: body.subarray(1), start };
}

// Two's complement of the sum of the bytes (MODBUS over Serial Line V1.02, 6.2.1).
function computeLrc(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return -sum & 0xff;
}

/** Bounded buffer of received bytes that are not parsed yet. */
export class ReceivedBytes {
  readonly #buffer = Buffer.allocUnsafeSlow(CAPACITY_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A view that is valid until the next change. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Appends bytes; returns false if they do not all fit. */
  push(bytes: Buffer): boolean {
    const copied = bytes.copy(this.#buffer, this.#length);
    this.#length += copied;
    return copied === bytes.length;
  }

  startsWith(sent: Buffer): boolean {
    return this.#length >= sent.length && this.bytes.subarray(0, sent.length).equals(sent);
  }

  /** Drops the first occurrence of these bytes and everything before it; returns false if there is none. */
  dropThrough(sent: Buffer): boolean {
    const start = this.bytes.indexOf(sent);
    if (start === -1) return false;
    const rest = this.bytes.copyWithin(0, start + sent.length);
    this.#length = Math.max(0, rest.length - start - sent.length);
    return true;
  }

  clear(): void {
    this.#length = 0;
  }
}
