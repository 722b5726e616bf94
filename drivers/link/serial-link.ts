import { readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { SerialPort } from 'serialport';
import { delay } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';
import { checkSerialDevice } from './serial-device.ts';
import { describeAdapters, explainOpenFailure } from './serial-open-failure.ts';

// Most bytes read at once; the rest waits in the kernel, however much the far end sends.
const RECEIVE_BUFFER_BYTES = 4096;

// Opening takes milliseconds; only a broken driver of the adapter keeps it longer.
const DEFAULT_OPEN_TIMEOUT_MS = 5000;

// The system closes in the background, so a line that was just given back stays locked for a moment.
const BUSY_ATTEMPTS = 20;
const BUSY_PAUSE_MS = 50;

/** How characters travel on the line. */
export interface LineSettings {
  readonly baudRate: number;
  readonly dataBits: 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: 'none' | 'even' | 'odd';
}

export interface SerialLinkOptions extends LineSettings {
  /** Path of the line, best its name under `/dev/serial/by-id`, which stays when other adapters come and go. */
  readonly device: string;
  readonly clock: Clock;
  readonly openTimeoutMs?: number;
}

/** The part of an open line that is used here. */
interface OpenLine {
  fd: number | null;
  readonly poller: {
    once(event: 'readable', listener: (error: Error | null) => void): unknown;
  };
  write(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

/**
 * A link over one serial line, locked against other programs.
 *
 * The library opens and configures the line, waits for it and writes. Reading is done here: the library's own read
 * turns for ever when a line hangs up with a read under way, and a line without a reader does not notice that its
 * adapter was pulled.
 */
export class SerialLink implements ByteLink {
  readonly #options: SerialLinkOptions;
  #line: OpenLine | undefined;
  #events: ByteLinkEvents | undefined;
  #cancelOpen: (() => void) | undefined;
  /** Chunks that are not written yet; the first is under way. */
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
      const fail = (code: string, reason: string, cause?: unknown): void => {
        if (attempt.signal.aborted) return;
        endAttempt();
        reject(new ConnectionError({ code, detail: `cannot open serial line ${device}: ${reason}`, cause }));
      };
      const onAbort = (): void => fail('CONNECT_ABORTED', messageOf(signal.reason), signal.reason);
      const cancelTimeout = clock.schedule(openTimeoutMs, () =>
        fail('CONNECT_TIMEOUT', `it did not open within ${openTimeoutMs} ms`),
      );
      this.#cancelOpen = () => fail('CONNECT_ABORTED', 'closed meanwhile');
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return onAbort();
      openFreeLine(this.#options, attempt.signal).then(
        (line) => {
          // The system cannot be told to stop opening; a line that comes too late is given back.
          if (attempt.signal.aborted) return discard(line);
          endAttempt();
          this.#begin(line, events);
          resolve();
        },
        async (error: unknown) => {
          const { code, reason } = explainOpenFailure(messageOf(error));
          const isMissing = code === 'SERIAL_NOT_FOUND';
          fail(code, isMissing ? `${reason} ${describeAdapters(await listAdapters())}` : reason, error);
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

  close(): void {
    this.#cancelOpen?.();
    const line = this.#line;
    this.#line = undefined;
    this.#events = undefined;
    this.#outgoing = [];
    if (line !== undefined) discard(line);
  }

  #begin(line: OpenLine, events: ByteLinkEvents): void {
    this.#line = line;
    this.#events = events;
    const buffer = Buffer.allocUnsafeSlow(RECEIVE_BUFFER_BYTES);
    const onReadable = (error: Error | null): void => {
      if (this.#line !== line) return;
      if (error !== null) return this.#lose(line, 'it hung up, as when its adapter is pulled', error);
      this.#receive(line, buffer);
      if (this.#line === line) line.poller.once('readable', onReadable);
    };
    line.poller.once('readable', onReadable);
  }

  // One after the other: simultaneous writes are mixed when the line takes only a part of one.
  async #write(line: OpenLine): Promise<void> {
    try {
      while (this.#line === line) {
        const [bytes] = this.#outgoing;
        if (bytes === undefined) return;
        await line.write(bytes);
        if (this.#line === line) this.#outgoing.shift();
      }
    } catch (error) {
      this.#lose(line, messageOf(error), error);
    }
  }

  #receive(line: OpenLine, buffer: Buffer): void {
    if (line.fd === null) return;
    try {
      const count = readSync(line.fd, buffer);
      // A line that is only idle returns EAGAIN; the end of a file means that it hung up.
      if (count === 0) this.#lose(line, 'it hung up, as when its adapter is pulled');
      else this.#events?.onChunk(buffer.subarray(0, count));
    } catch (error) {
      if (!isTransient(error)) this.#lose(line, messageOf(error), error);
    }
  }

  #lose(line: OpenLine, reason: string, cause?: unknown): void {
    if (this.#line !== line) return;
    const events = this.#events;
    this.close();
    events?.onClose(new Error(reason, { cause }));
  }
}

async function openFreeLine(options: SerialLinkOptions, signal: AbortSignal): Promise<OpenLine> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await openLine(options);
    } catch (error) {
      const { code } = explainOpenFailure(messageOf(error));
      if (code !== 'SERIAL_BUSY' || attempts === BUSY_ATTEMPTS) throw error;
    }
    await delay(options.clock, BUSY_PAUSE_MS, signal);
  }
}

// The folder is there only while an adapter is.
async function listAdapters(): Promise<readonly string[]> {
  return readdir('/dev/serial/by-id').catch(() => []);
}

// Loaded with the first line that is opened: a gateway without serial lines does without.
async function openLine(options: SerialLinkOptions): Promise<OpenLine> {
  const { device, baudRate, dataBits, stopBits, parity } = options;
  await checkSerialDevice(device);
  const { SerialPort: library } = await import('serialport');
  const { binding }: { readonly binding: typeof SerialPort.binding } = library;
  const line = await binding.open({ path: device, baudRate, dataBits, stopBits, parity, lock: true });
  if ('poller' in line) return line;
  throw new Error('serial lines are served on Linux only');
}

// Writes under way are cancelled, and the system closes in the background; neither needs a report.
function discard(line: OpenLine): void {
  line.close().catch(() => undefined);
}

function isTransient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EAGAIN' || code === 'EINTR';
}
