import { createCyclicCheck } from '../checksum.ts';
import type { OpenedFrame } from '../checksum.ts';
import type { FrameEvents, FrameReader } from '../frame-events.ts';

const STX = 0x02;
const ETX = 0x03;
const LINE_FEED = 0x0a;
const SLASH = 0x2f;
const EXCLAMATION_MARK = 0x21;

/**
 * Splits what a meter sends into frames (IEC 62056-21, 6.3).
 *
 * In mode C a frame is an identification message, or a data message from STX up to the block check character. In mode D
 * it is a telegram from the identification up to the line with `!`. Other bytes, such as an echo, are ignored.
 */
export class MeterFrameReader implements FrameReader {
  readonly #mode: 'C' | 'D';
  readonly #maximumBytes: number;
  readonly #events: FrameEvents;
  #bytes: number[] = [];
  #state: 'IDLE' | 'LINE' | 'BLOCK' | 'CHECK' | 'TELEGRAM' = 'IDLE';
  /** In a telegram: whether the line begins with the mark of the end. */
  #isLastLine = false;

  constructor(mode: 'C' | 'D', maximumBytes: number, events: FrameEvents) {
    this.#mode = mode;
    this.#maximumBytes = maximumBytes;
    this.#events = events;
  }

  get isWithinFrame(): boolean {
    return this.#state !== 'IDLE';
  }

  push(bytes: Buffer): void {
    for (const byte of bytes) this.#take(byte);
  }

  reset(): void {
    this.#state = 'IDLE';
    this.#bytes = [];
  }

  // Bytes that begin no frame are ignored anyway.
  skipRest(): void {
    this.reset();
  }

  #take(byte: number): void {
    if (this.#state === 'IDLE') return this.#begin(byte);
    this.#bytes.push(byte);
    if (this.#bytes.length > this.#maximumBytes) {
      this.reset();
      return this.#events.onFault(`no end of the readout within ${this.#maximumBytes} bytes`);
    }
    switch (this.#state) {
      case 'LINE':
        // A sign-on that comes back; no identification has this character.
        if (byte === EXCLAMATION_MARK) this.reset();
        else if (byte === LINE_FEED) this.#emit();
        break;
      case 'BLOCK':
        if (byte === ETX) this.#state = 'CHECK';
        break;
      case 'CHECK':
        this.#emit();
        break;
      case 'TELEGRAM':
        if (this.#bytes.at(-2) === LINE_FEED) this.#isLastLine = byte === EXCLAMATION_MARK;
        if (this.#isLastLine && byte === LINE_FEED) this.#emit();
        break;
    }
  }

  #begin(byte: number): void {
    if (byte === SLASH) this.#state = this.#mode === 'C' ? 'LINE' : 'TELEGRAM';
    else if (byte === STX && this.#mode === 'C') this.#state = 'BLOCK';
    else return;
    this.#isLastLine = false;
    this.#bytes = [byte];
  }

  #emit(): void {
    const frame = Buffer.from(this.#bytes);
    this.reset();
    this.#events.onFrame(frame);
  }
}

// CRC-16/ARC, which the telegrams of DSMR 4 and later have after their end.
const computeTelegramCheck = createCyclicCheck({
  width: 16,
  polynomial: 0x8005,
  initial: 0,
  reflect: true,
  xorOut: 0,
});

/** Checks a frame of a `MeterFrameReader`; the content keeps its first byte, which identifies its kind. */
export function openMeterFrame(frame: Buffer): OpenedFrame {
  return frame[0] === STX ? openBlock(frame) : openTelegram(frame);
}

/** True if the frame is a data message. */
export function isDataMessage(frame: Buffer): boolean {
  return frame[0] === STX;
}

function openBlock(frame: Buffer): OpenedFrame {
  const received = frame.at(-1) ?? 0;
  // The block check character covers everything after STX up to ETX (6.4.5).
  const expected = frame.subarray(1, -1).reduce((sum, byte) => sum ^ byte, 0);
  return received === expected
    ? { content: frame.subarray(0, -2) }
    : { fault: describe(received, expected, 2) };
}

function openTelegram(frame: Buffer): OpenedFrame {
  const found = /!([0-9A-F]{4})\r?\n$/i.exec(frame.subarray(-8).toString('latin1'));
  if (found === null) return { content: frame };
  const received = Number.parseInt(found[1] ?? '', 16);
  const expected = computeTelegramCheck(frame.subarray(0, frame.lastIndexOf(EXCLAMATION_MARK) + 1));
  return received === expected ? { content: frame } : { fault: describe(received, expected, 4) };
}

function describe(received: number, expected: number, digits: number): string {
  const [wrong, right] = [received, expected].map((sum) =>
    sum.toString(16).toUpperCase().padStart(digits, '0'),
  );
  return `the readout has the checksum ${wrong} instead of ${right}`;
}
