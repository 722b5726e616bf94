import { readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { SerialPort } from 'serialport';
import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { delay } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { messageOf, toReasons } from '../../daemon/base/errors.ts';
import { createReason, explain, ExplainedError, quoteText } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';
import { LINK_FAILURES } from './failure-sentences.ts';
import type { FlowControl } from './line-control.ts';
import { setRs485 } from './rs485.ts';
import type { Rs485Settings } from './rs485.ts';
import { checkSerialDevice, nameLine } from './serial-device.ts';
import { explainMissing, explainOpenFailure } from './serial-open-failure.ts';

// Maximum bytes read at once; the rest waits in the kernel, however much the far end sends.
const RECEIVE_BUFFER_BYTES = 4096;

// Opening takes milliseconds; only a broken adapter driver takes longer.
const DEFAULT_OPEN_TIMEOUT_MS = 5000;

// The system closes in the background, so a released line stays locked for a moment.
const BUSY_ATTEMPTS = 20;
const BUSY_PAUSE_MS = 50;

const HUNG_UP = createReason(LINK_FAILURES, 'LINE_HUNG_UP', {});

/** Character format and control of a line. */
export interface LineSettings {
  readonly baudRate: number;
  readonly dataBits: 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: 'none' | 'even' | 'odd';
  /** Default: none. */
  readonly flowControl?: FlowControl;
  /** Unchanged if absent: firmware may have enabled the mode. */
  readonly rs485?: Rs485Settings | undefined;
}

export interface SerialLinkOptions extends LineSettings {
  /**
   * Path of the line, preferably under `/dev/serial/by-id`, which is stable when other adapters are plugged in or out.
   */
  readonly device: string;
  readonly clock: Clock;
  readonly openTimeoutMs?: number;
}

/** Polls an open line. */
interface LinePoller {
  on(event: 'newListener', listener: (event: string | symbol) => void): unknown;
  once(event: 'readable', listener: (error: Error | null) => void): unknown;
  poll(flags: number): void;
  listenerCount(event: 'readable' | 'writable'): number;
}

/** The part of an open line used here. */
interface OpenLine {
  fd: number | null;
  readonly poller: LinePoller;
  write(bytes: Buffer): Promise<void>;
  flush(): Promise<void>;
  drain(): Promise<void>;
  update(options: { readonly baudRate: number }): Promise<void>;
  close(): Promise<void>;
}

/**
 * A link over one serial line, locked against other programs.
 *
 * The library opens, configures, polls and writes the line. Reading is done here: the library's own read loops
 * endlessly when a line hangs up during a read, and a line without a reader does not detect an unplugged adapter.
 */
export class SerialLink implements ByteLink {
  readonly #options: SerialLinkOptions;
  #line: OpenLine | undefined;
  #events: ByteLinkEvents | undefined;
  #cancelOpen: (() => void) | undefined;
  /** Chunks that are not written yet; the first is in progress. */
  #outgoing: Buffer[] = [];

  constructor(options: SerialLinkOptions) {
    this.#options = options;
  }

  open(signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { device, clock, openTimeoutMs = DEFAULT_OPEN_TIMEOUT_MS } = this.#options;
    return new Promise((resolve, reject) => {
      const attempt = new AbortController();
      const endAttempt = (): void => {
        attempt.abort();
        this.#cancelOpen = undefined;
        cancelTimeout();
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (code: ErrorCode, reasons: readonly FaultReason[], cause?: unknown): void => {
        if (attempt.signal.aborted) return;
        endAttempt();
        const line = createReason(LINK_FAILURES, 'LINE_NOT_OPENED', { device: nameLine(device) });
        // Clients see the detail, the log also the cause.
        reject(
          new ConnectionError({ code, ...explain(line, ...reasons), cause: new Error(device, { cause }) }),
        );
      };
      const onAbort = (): void => fail('CONNECT_ABORTED', toReasons(signal.reason), signal.reason);
      const cancelTimeout = clock.schedule(openTimeoutMs, () =>
        fail('CONNECT_TIMEOUT', [
          createReason(LINK_FAILURES, 'LINE_OPEN_OVERDUE', { timeoutMs: openTimeoutMs }),
        ]),
      );
      this.#cancelOpen = () =>
        fail('CONNECT_ABORTED', [createReason(LINK_FAILURES, 'LINK_CLOSED_DURING_ATTEMPT', {})]);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return onAbort();
      openFreeLine(this.#options, attempt.signal).then(
        (line) => {
          // Opening cannot be cancelled; a line that opens too late is released.
          if (attempt.signal.aborted) return void discard(line, this.#options);
          endAttempt();
          this.#begin(line, events);
          resolve();
        },
        async (error: unknown) => {
          const { code, reason } = explainOpenFailure(error);
          const isMissing = code === 'SERIAL_NOT_FOUND';
          fail(code, [isMissing ? explainMissing(await listAdapters()) : reason], error);
        },
      );
    });
  }

  send(bytes: Uint8Array): void {
    const line = this.#line;
    if (line === undefined) return;
    this.#outgoing.push(Buffer.from(bytes));
    if (this.#outgoing.length === 1) void this.#write(line);
  }

  async changeSpeed(baudRate: number): Promise<void> {
    const line = this.#line;
    if (line === undefined) return;
    try {
      await line.drain();
      if (this.#line === line) await line.update({ baudRate });
    } catch (error) {
      this.#lose(line, quoteText(messageOf(error)), error);
    }
  }

  close(): void {
    this.#cancelOpen?.();
    const line = this.#line;
    this.#line = undefined;
    this.#events = undefined;
    this.#outgoing = [];
    if (line !== undefined) void discard(line, this.#options);
  }

  #begin(line: OpenLine, events: ByteLinkEvents): void {
    this.#line = line;
    this.#events = events;
    waitForBoth(line.poller);
    const buffer = Buffer.allocUnsafeSlow(RECEIVE_BUFFER_BYTES);
    const onReadable = (error: Error | null): void => {
      if (this.#line !== line) return;
      if (error !== null) return this.#lose(line, HUNG_UP, error);
      this.#receive(line, buffer);
      if (this.#line === line) line.poller.once('readable', onReadable);
    };
    line.poller.once('readable', onReadable);
  }

  // One at a time: simultaneous writes are mixed if the line accepts only a part of one.
  async #write(line: OpenLine): Promise<void> {
    try {
      while (this.#line === line) {
        const [bytes] = this.#outgoing;
        if (bytes === undefined) return;
        await line.write(bytes);
        if (this.#line === line) this.#outgoing.shift();
      }
    } catch (error) {
      this.#lose(line, quoteText(messageOf(error)), error);
    }
  }

  #receive(line: OpenLine, buffer: Buffer): void {
    if (line.fd === null) return;
    try {
      const count = readSync(line.fd, buffer);
      // An idle line returns EAGAIN; the end of file means that it hung up.
      if (count === 0) this.#lose(line, HUNG_UP);
      else this.#events?.onChunk(buffer.subarray(0, count));
    } catch (error) {
      if (!isTransient(error)) this.#lose(line, quoteText(messageOf(error)), error);
    }
  }

  #lose(line: OpenLine, reason: FaultReason, cause?: unknown): void {
    if (this.#line !== line) return;
    const events = this.#events;
    this.close();
    events?.onClose(new ExplainedError([reason], { cause }));
  }
}

async function openFreeLine(options: SerialLinkOptions, signal: AbortSignal): Promise<OpenLine> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await openLine(options, signal);
    } catch (error) {
      const { code } = explainOpenFailure(error);
      if (code !== 'SERIAL_BUSY' || attempts === BUSY_ATTEMPTS) throw error;
    }
    await delay(options.clock, BUSY_PAUSE_MS, signal);
  }
}

// The directory exists only while an adapter is plugged in.
async function listAdapters(): Promise<readonly string[]> {
  return readdir('/dev/serial/by-id').catch(() => []);
}

// Loaded lazily, when the first serial port is opened.
async function openLine(options: SerialLinkOptions, signal: AbortSignal): Promise<OpenLine> {
  const { device, baudRate, dataBits, stopBits, parity, flowControl, rs485 } = options;
  await checkSerialDevice(device);
  const { SerialPort: library } = await import('serialport');
  const { binding }: { readonly binding: typeof SerialPort.binding } = library;
  const [rtscts, pauses] = [flowControl === 'rtsCts', flowControl === 'xonXoff'];
  const characters = { baudRate, dataBits, stopBits, parity };
  const line = await binding.open({
    path: device,
    ...characters,
    rtscts,
    xon: pauses,
    xoff: pauses,
    lock: true,
  });
  if (!('poller' in line)) throw new Error('serial lines require Linux');
  try {
    if (rs485 !== undefined && line.fd !== null) await setRs485(line.fd, rs485, { signal });
    return line;
  } catch (error) {
    void discard(line, options);
    throw error;
  }
}

// UV_READABLE and UV_WRITABLE (uv.h), which the library passes on.
const WAITS = { readable: 1, writable: 2 } as const;

// The library polls only for the newest event: a read would cancel the wait of a blocked write, and a write that of a
// read.
function waitForBoth(poller: LinePoller): void {
  const isAwaited = (event: keyof typeof WAITS, added: string | symbol): boolean =>
    event === added || poller.listenerCount(event) > 0;
  poller.on('newListener', (added) => {
    const readable = isAwaited('readable', added) ? WAITS.readable : 0;
    const writable = isAwaited('writable', added) ? WAITS.writable : 0;
    if (readable + writable > 0) poller.poll(readable | writable);
  });
}

// Outstanding writes are cancelled, and the system closes in the background; neither is reported. Closing waits for all
// bytes to be sent, for half a minute with a thread of the process, so bytes that flow control blocks are dropped
// first.
async function discard(line: OpenLine, { flowControl = 'none' }: LineSettings): Promise<void> {
  if (flowControl !== 'none') await line.flush().catch(() => undefined);
  await line.close().catch(() => undefined);
}

function isTransient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EAGAIN' || code === 'EINTR';
}
