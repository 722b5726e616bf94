import { delay } from '../../daemon/base/clock.ts';
import type { DriverContext, UnitStatus } from '../../daemon/channel/driver.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { DeviceStatus } from '../../daemon/channel/device-status.ts';
import type { ByteLink } from '../link/byte-link.ts';
import { createRequestQueue } from '../link/request-queue.ts';
import { nameLine } from '../link/serial-device.ts';
import { FrameWaits } from './frame-waits.ts';
import type { Frame, FrameCheck, WaitOptions } from './frame-waits.ts';
import { IncomingFrames } from './incoming-frames.ts';
import { LineSilence } from './line-silence.ts';
import type { SerialConfig } from './serial-config.ts';
import { LinkLost, NoAnswer, InvalidAnswer } from './serial-errors.ts';

export interface LineOptions {
  /** Creates a link that was never opened. */
  readonly createLink: () => ByteLink;
  readonly config: Pick<
    SerialConfig,
    'device' | 'framing' | 'maximumFrameBytes' | 'responseTimeoutMs' | 'delayBetweenRequestsMs' | 'baudRate'
  >;
  readonly context: Pick<DriverContext, 'clock'>;
}

export interface SendOptions {
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
  /** Called when the bytes may go out at once; what it throws ends the call, and nothing was sent. */
  readonly throwIfCancelled?: () => void;
  /** Called right before the bytes go out; a failure before that has changed nothing. */
  readonly onSend?: () => void;
}

// Bytes that wait in the kernel come in within a few turns of the event loop; a device that never stops is not waited for.
const MAXIMUM_SETTLING_TURNS = 64;

// On a line that is never silent the patterns alone have to tell answers apart.
const LONGEST_SILENCE_WAITS = 3;

const COUNTERS = [
  'requests',
  'answers',
  'timeouts',
  'invalidAnswers',
  'frames',
  'strayFrames',
  'framingFaults',
  'linkLosses',
  'reopenings',
] as const;

type InstrumentStatus = DeviceStatus<(typeof COUNTERS)[number]>;

/**
 * The connection to the instrument behind one serial line, shared by all callers.
 *
 * Answers of instruments do not show to which request they belong. So one request at a time is under way, bytes that
 * came before it was sent are thrown away, and after one without answer the line has to be silent for `responseTimeoutMs`
 * before the next, so that the late answer comes while no call waits for one. That holds as well when the line was opened
 * again in between: the instrument may not have noticed.
 *
 * A line through which nothing comes any more is opened again before it is used.
 */
export class SerialLine {
  readonly #options: LineOptions;
  readonly #requests = createRequestQueue('SERIAL_QUEUE_FULL');
  readonly #waits: FrameWaits;
  readonly #incoming: IncomingFrames;
  readonly #status: InstrumentStatus;
  readonly #silence = new LineSilence();
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
      onFault: (fault) => {
        this.#status.count('framingFaults');
        this.#waits.noteFault(fault);
      },
    });
  }

  /**
   * Opens the line; one that is open is closed before.
   *
   * @param onLost called at most once, when the line is lost while no call is under way
   * @throws {ConnectionError}
   */
  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    await this.disconnect();
    this.#closing = new AbortController();
    await this.#open(signal);
    this.#onLost = onLost;
  }

  /** Closes the line; calls under way or waiting fail with {ConnectionError}. Never throws. */
  disconnect(): Promise<void> {
    const error = this.#notConnected();
    this.#onLost = undefined;
    this.#link?.close();
    this.#goDown(error);
    return Promise.resolve();
  }

  /**
   * Sends a request when its turn comes, and waits for the first frame that passes the check.
   *
   * @throws {NoAnswer | InvalidAnswer} when there is none in time
   * @throws {ConnectionError} when the line is down, or goes
   * @throws the reason of the signal
   */
  exchange({ check, ...sending }: SendOptions & { readonly check: FrameCheck }): Promise<Frame> {
    const { signal } = sending;
    return this.#requests.run(signal, async () => {
      await this.#send(sending);
      this.#status.count('requests');
      this.#isAnswerOutstanding = true;
      try {
        const frame = await this.#wait({ check, isAnswer: true, signal });
        this.#isAnswerOutstanding = false;
        return frame;
      } finally {
        this.#lastEndMs = this.#options.context.clock.monotonicMs();
      }
    });
  }

  /**
   * Sends bytes when their turn comes, and waits for nothing.
   *
   * @throws {ConnectionError} when the line is down
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
   * Waits for the next frame that passes the check and is no answer to a request.
   *
   * @throws as `exchange`
   */
  async listen(check: FrameCheck, signal: AbortSignal): Promise<Frame> {
    if (this.#silence.isSuspect) await this.#requests.run(signal, () => this.#reopenDead(signal));
    if (this.#link === undefined) throw this.#down;
    return this.#wait({ check, isAnswer: false, signal });
  }

  /** One entry for the instrument, once something is known of it. */
  unitStatus(): readonly UnitStatus[] {
    return this.#status.unitStatus();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#status.counters();
  }

  // Only called by the request whose turn it is.
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
    const deadlineMs = clock.monotonicMs() + LONGEST_SILENCE_WAITS * responseTimeoutMs;
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

  // Bytes that the kernel holds already came before the request as well.
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
    this.#incoming.noteOpened();
    this.#silence.noteOpened();
  }

  // Only called by the request whose turn it is.
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
      if (error instanceof NoAnswer && this.#incoming.byteCount === before) {
        this.#silence.noteSilentWait({
          startMs,
          endMs: clock.monotonicMs(),
          isAnswer: options.isAnswer,
        });
      }
      this.#status.noteFailure(error);
      throw error;
    }
  }

  #onChunk(bytes: Buffer): void {
    this.#silence.noteBytes();
    this.#incoming.push(bytes);
  }

  #onFrame(bytes: Buffer): void {
    this.#status.count('frames');
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
    return new ConnectionError({ code: 'NOT_CONNECTED', detail: `not connected to ${device}` });
  }
}

/** Creates the status of an instrument of which nothing is known. */
function createInstrumentStatus(device: string, clock: { epochMs(): number }): InstrumentStatus {
  return new DeviceStatus({
    name: `instrument at ${device}`,
    clock,
    counters: COUNTERS,
    interpret(error) {
      if (error instanceof NoAnswer) return { counter: 'timeouts', isGone: true };
      if (error instanceof InvalidAnswer) return { counter: 'invalidAnswers' };
      return { isGone: error instanceof LinkLost };
    },
  });
}
