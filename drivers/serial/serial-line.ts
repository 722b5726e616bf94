import { createReason, explain } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAILURES } from './sentences/failure-sentences.ts';
import { delay } from '../../daemon/base/clock.ts';
import type { UnitStatus } from '../../daemon/channel/driver.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink } from '../link/byte-link.ts';
import { createRequestQueue } from '../link/request-queue.ts';
import { nameLine } from '../link/serial-device.ts';
import { FrameWaits } from './frame-waits.ts';
import type { Frame, FrameCheck, WaitOptions } from './frame-waits.ts';
import { IncomingFrames } from './incoming-frames.ts';
import { createInstrumentStatus } from './instrument-status.ts';
import type { InstrumentStatus } from './instrument-status.ts';
import type {
  Conversation,
  ExchangeOptions,
  LineOptions,
  ResponseOptions,
  SendOptions,
} from './line-calls.ts';
import { DeadLineDetector } from './dead-line-detector.ts';
import { InstrumentRefusal, LinkLost, NoResponse } from './serial-errors.ts';

// Bytes buffered in the kernel arrive within a few ticks of the event loop; a device that sends endlessly is not waited
// for.
const MAXIMUM_SETTLING_TURNS = 64;

// On a line that is never silent only the patterns distinguish responses.
const MAXIMUM_SILENCE_WAITS = 3;

/**
 * The connection to the instrument on one serial line, shared by all callers.
 *
 * Responses of instruments do not identify their request. So one request at a time is outstanding, and bytes received
 * before it are discarded. After a timeout the line must be silent for `responseTimeoutMs`, so that a late response
 * arrives while no call waits for one. That also applies if the line was reopened in between: the instrument may not
 * have noticed.
 *
 * A dead line is reopened before it is used.
 */
export class SerialLine {
  readonly #options: LineOptions;
  readonly #requests = createRequestQueue('SERIAL_QUEUE_FULL');
  readonly #waits: FrameWaits;
  readonly #incoming: IncomingFrames;
  readonly #status: InstrumentStatus;
  readonly #silence = new DeadLineDetector();
  #link: ByteLink | undefined;
  #down: ConnectionError;
  #onLost: ((error: Error) => void) | undefined;
  #closing = new AbortController();
  #lastEndMs = Number.NEGATIVE_INFINITY;
  #isAnswerOutstanding = false;

  constructor(options: LineOptions) {
    const { config, context } = options;
    const { responseTimeoutMs } = config;
    const device = nameLine(config.device);
    this.#options = options;
    this.#down = this.#notConnected();
    this.#status = createInstrumentStatus(device, context.clock);
    this.#waits = new FrameWaits({ device, timeoutMs: responseTimeoutMs, clock: context.clock });
    this.#incoming = new IncomingFrames({
      config,
      clock: context.clock,
      onFrame: (frame) => this.#onFrame(frame),
      onDamage: (fault) => {
        this.#status.count('checksumFaults');
        this.#waits.recordDamage(fault);
      },
      onFault: (fault) => {
        this.#status.count('framingFaults');
        this.#waits.recordFault(fault);
      },
    });
  }

  /**
   * Opens the line; closes an open one first.
   *
   * @param onLost called at most once, if the line is lost while no call is outstanding
   * @throws {ConnectionError}
   */
  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    await this.disconnect();
    this.#closing = new AbortController();
    await this.#open(signal);
    this.#onLost = onLost;
  }

  /** Closes the line; outstanding and queued calls fail with {ConnectionError}. Never throws. */
  disconnect(): Promise<void> {
    const error = this.#notConnected();
    this.#onLost = undefined;
    this.#link?.close();
    this.#goDown(error);
    return Promise.resolve();
  }

  /**
   * Schedules and sends a request, and waits for the first frame that passes the check.
   *
   * @throws {NoResponse | InvalidResponse | ChecksumMismatch} if there is none in time
   * @throws {InstrumentRefusal}
   * @throws {ConnectionError} if the line is down or lost
   * @throws the reason of the signal
   */
  exchange(options: ExchangeOptions): Promise<Frame> {
    return this.#requests.run(options.signal, () => this.#exchange(options));
  }

  /**
   * Schedules a conversation of several messages, which no other request interrupts; the line has its initial speed
   * again afterwards.
   *
   * @throws what `talk` throws
   */
  converse<T>(signal: AbortSignal, talk: (conversation: Conversation) => Promise<T>): Promise<T> {
    return this.#requests.run(signal, async () => {
      // One after the other: a change that outlives the conversation must not follow the one back.
      let change: Promise<void> | undefined;
      const changeSpeed = (baudRate: number): Promise<void> => {
        const link = this.#link;
        change = (change ?? Promise.resolve()).then(() => link?.changeSpeed?.(baudRate));
        return change;
      };
      try {
        return await talk({
          ask: (options) => this.#exchange(options),
          send: (options) => this.#send(options),
          reply: (bytes) => {
            if (this.#link === undefined) throw this.#down;
            this.#link.send(bytes);
          },
          await: (options) => this.#awaitResponse(options),
          changeSpeed,
        });
      } finally {
        if (change !== undefined) await changeSpeed(this.#options.config.baudRate);
      }
    });
  }

  /**
   * Schedules and sends bytes without waiting for a response.
   *
   * @throws {ConnectionError} if the line is down
   * @throws the reason of the signal
   */
  send(sending: SendOptions): Promise<void> {
    return this.#requests.run(sending.signal, async () => {
      await this.#send(sending);
      this.#status.count('requests');
      this.#lastEndMs = this.#options.context.clock.monotonicMs();
    });
  }

  /**
   * Waits for the next unrequested frame that passes the check.
   *
   * @throws like `exchange`
   */
  async listen(check: FrameCheck, signal: AbortSignal): Promise<Frame> {
    if (this.#silence.isSuspect) await this.#requests.run(signal, () => this.#reopenDead(signal));
    if (this.#link === undefined) throw this.#down;
    return this.#wait({ check, isResponse: false, signal });
  }

  /** Returns one entry for the instrument, once its state is known. */
  unitStatus(): readonly UnitStatus[] {
    return this.#status.unitStatus();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#status.counters();
  }

  // Called only by the scheduled request.
  async #exchange({ check, isRefusal, endsOnDamage, silence, ...sending }: ExchangeOptions): Promise<Frame> {
    await this.#send(sending);
    this.#status.count('requests');
    return this.#awaitResponse({ check, isRefusal, endsOnDamage, silence, signal: sending.signal });
  }

  async #awaitResponse({ check, isRefusal, endsOnDamage, silence, signal }: ResponseOptions): Promise<Frame> {
    this.#isAnswerOutstanding = true;
    try {
      const frame = await this.#wait({ check, isRefusal, endsOnDamage, silence, isResponse: true, signal });
      this.#isAnswerOutstanding = false;
      return frame;
    } catch (error) {
      if (error instanceof InstrumentRefusal) this.#isAnswerOutstanding = false;
      throw error;
    } finally {
      this.#lastEndMs = this.#options.context.clock.monotonicMs();
    }
  }

  // Called only by the scheduled request.
  async #send({ bytes, signal, throwIfCancelled, onSend }: SendOptions): Promise<void> {
    const { clock } = this.#options.context;
    const { delayBetweenRequestsMs } = this.#options.config;
    await this.#reopenDead(signal);
    const pauseMs = this.#lastEndMs + delayBetweenRequestsMs - clock.monotonicMs();
    if (pauseMs > 0) await this.#pause(pauseMs, signal);
    if (this.#isAnswerOutstanding) await this.#awaitSilence(signal);
    await this.#settleInput();
    await this.#incoming.settle(AbortSignal.any([signal, this.#closing.signal]));
    signal.throwIfAborted();
    if (this.#link === undefined) throw this.#down;
    throwIfCancelled?.();
    onSend?.();
    this.#link.send(bytes);
  }

  async #awaitSilence(signal: AbortSignal): Promise<void> {
    const { context, config } = this.#options;
    const { clock } = context;
    const { responseTimeoutMs } = config;
    const deadlineMs = clock.monotonicMs() + MAXIMUM_SILENCE_WAITS * responseTimeoutMs;
    for (;;) {
      const silentSinceMs = Math.max(this.#incoming.lastByteMs, this.#lastEndMs);
      const nowMs = clock.monotonicMs();
      const endMs = Math.min(silentSinceMs + responseTimeoutMs, deadlineMs);
      if (nowMs >= endMs) return;
      await this.#pause(endMs - nowMs, signal);
    }
  }

  #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    return delay(this.#options.context.clock, pauseMs, AbortSignal.any([signal, this.#closing.signal]));
  }

  // Bytes buffered in the kernel also arrived before the request.
  async #settleInput(): Promise<void> {
    for (let turn = 0; turn < MAXIMUM_SETTLING_TURNS; turn += 1) {
      const before = this.#incoming.byteCount;
      await this.#options.context.clock.nextTurn();
      if (this.#incoming.byteCount === before) return;
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    const closing = this.#closing.signal;
    const link = this.#options.createLink();
    await link.open(AbortSignal.any([signal, closing]), {
      onChunk: (bytes) => this.#onChunk(bytes),
      onClose: (cause) => this.#onClose(link, cause),
    });
    if (closing.aborted) {
      link.close();
      throw this.#notConnected();
    }
    this.#link = link;
    this.#incoming.recordOpened();
    this.#silence.recordOpened();
  }

  // Called only by the scheduled request.
  async #reopenDead(signal: AbortSignal): Promise<void> {
    if (!this.#silence.isSuspect || this.#link === undefined) return;
    const closing = this.#closing;
    this.#link.close();
    this.#link = undefined;
    try {
      await this.#open(signal);
      this.#status.count('reopenings');
    } catch (error) {
      if (this.#closing === closing && error instanceof ConnectionError) this.#goDown(error);
      throw error;
    }
  }

  async #wait(options: WaitOptions): Promise<Frame> {
    const { clock } = this.#options.context;
    const startMs = clock.monotonicMs();
    const before = this.#incoming.byteCount;
    try {
      const frame = await this.#waits.wait(options);
      this.#status.count('answers');
      this.#status.noteAnswer();
      return frame;
    } catch (error) {
      if (error instanceof NoResponse && this.#incoming.byteCount === before) {
        this.#silence.recordTimeout({
          startMs,
          endMs: clock.monotonicMs(),
          isResponse: options.isResponse,
        });
      }
      this.#status.noteFailure(error);
      throw error;
    }
  }

  #onChunk(bytes: Buffer): void {
    this.#silence.recordBytes();
    this.#waits.recordBytes();
    this.#incoming.push(bytes);
  }

  #onFrame(bytes: Buffer): void {
    this.#status.count('frames');
    this.#options.onFrame?.(bytes);
    const frame = { bytes, timestampMs: this.#options.context.clock.epochMs() };
    if (!this.#waits.offer(frame)) this.#status.count('strayFrames');
  }

  #onClose(link: ByteLink, cause: Error): void {
    if (this.#link !== link) return;
    const error = new LinkLost(nameLine(this.#options.config.device), cause);
    const isIdle = this.#waits.isEmpty && this.#requests.isIdle;
    const onLost = this.#onLost;
    this.#onLost = undefined;
    this.#status.count('linkLosses');
    this.#status.noteLoss(error);
    this.#goDown(error);
    if (isIdle) onLost?.(error);
  }

  #goDown(error: ConnectionError): void {
    this.#link = undefined;
    this.#down = error;
    this.#closing.abort(error);
    this.#requests.clear(error);
    this.#waits.failAll(error);
  }

  #notConnected(): ConnectionError {
    const device = nameLine(this.#options.config.device);
    const reason = createReason(SERIAL_FAILURES, 'INSTRUMENT_NOT_CONNECTED', { device });
    return new ConnectionError({ code: 'NOT_CONNECTED', ...explain(reason) });
  }
}
