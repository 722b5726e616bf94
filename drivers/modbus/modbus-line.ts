import { delay } from '../../daemon/base/clock.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import type { DriverContext, UnitStatus } from '../../daemon/channel/driver.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink } from '../link/byte-link.ts';
import { ExceptionAnswer } from './exception.ts';
import { ModbusClient } from './modbus-client.ts';
import { InvalidAnswer, LinkLost, NoAnswer } from './modbus-errors.ts';
import type { ModbusRequest, ReadRequest } from './request.ts';
import { TransactionQueue } from './transaction-queue.ts';
import { UnitWatch } from './unit-watch.ts';

export interface LineOptions {
  /** Makes a link that was never opened. */
  readonly createLink: () => ByteLink;
  /** Names the far end in messages: `192.0.2.7:502`. */
  readonly endpoint: string;
  readonly responseTimeoutMs: number;
  readonly delayBetweenRequestsMs: number;
  readonly context: DriverContext;
}

/** What a unit answered. */
export interface Answer {
  /** The bytes of a read; nothing for a write. */
  readonly bytes: Buffer;
  /** Milliseconds since the epoch at which the answer arrived. */
  readonly timestampMs: number;
  /** Milliseconds from request to answer, without the wait for a turn. */
  readonly durationMs: number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Called right before the request goes out; a failure before that has changed nothing. */
  readonly onSend?: () => void;
}

/**
 * The way to all units behind one connection, shared by whoever asks.
 *
 * Between `connect` and a loss it is up. A link that was dropped because of an answer that did not come is opened again
 * by the next exchange, so that one silent unit costs the others nothing; when that fails, the line is down.
 */
export class ModbusLine {
  readonly #options: LineOptions;
  readonly #queue = new TransactionQueue();
  readonly #watch: UnitWatch;
  readonly #counters = {
    requests: 0,
    answers: 0,
    exceptions: 0,
    timeouts: 0,
    invalidAnswers: 0,
    strayAnswers: 0,
    linkLosses: 0,
    reconnects: 0,
    probes: 0,
  };
  #client: ModbusClient | undefined;
  #closing = new AbortController();
  #down: ConnectionError | undefined;
  #onLost: ((error: Error) => void) | undefined;
  #links = 0;
  #lastEndMs = Number.NEGATIVE_INFINITY;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#down = this.#notConnected();
    this.#watch = new UnitWatch({
      clock: options.context.clock,
      logger: options.context.logger,
      responseTimeoutMs: options.responseTimeoutMs,
      probe: (request, timeoutMs) => this.#probe(request, timeoutMs),
    });
  }

  /** Counts the links opened so far; what was learned about a device may be out of date when it changes. */
  get linkNumber(): number {
    return this.#links;
  }

  /**
   * Opens the link; one that is open is closed before.
   *
   * @param onLost called at most once, when the link goes while nobody asks
   * @throws {ConnectionError}
   */
  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    await this.disconnect();
    this.#closing = new AbortController();
    await this.#open(AbortSignal.any([signal, this.#closing.signal]));
    this.#down = undefined;
    this.#onLost = onLost;
    this.#watch.start();
  }

  /** Closes the link; exchanges under way or waiting fail with {ConnectionError}. Never throws. */
  disconnect(): Promise<void> {
    const error = this.#notConnected();
    this.#goDown(error);
    this.#onLost = undefined;
    this.#closing.abort(error);
    this.#client?.close(error);
    this.#client = undefined;
    this.#queue.clear(error);
    return Promise.resolve();
  }

  /**
   * Sends one request when its turn comes.
   *
   * @throws {ExceptionAnswer | NoAnswer | InvalidAnswer | UnitSetAside} what concerns the unit
   * @throws {ConnectionError} when the link is down, or goes
   * @throws the reason of the signal
   */
  async exchange(request: ModbusRequest, { signal, onSend }: ExchangeOptions): Promise<Answer> {
    this.#throwIfRefused(request.unitId);
    return this.#queue.run(request.unitId, signal, async () => {
      // The unit may have been found silent while this request waited.
      this.#throwIfRefused(request.unitId);
      const client = await this.#useClient(signal);
      // The line may have been closed within this turn of the event loop.
      if (this.#down !== undefined) throw this.#down;
      onSend?.();
      return this.#transact(client, request, { timeoutMs: this.#options.responseTimeoutMs, signal });
    });
  }

  /** One entry per unit that was ever asked. */
  unitStatus(): readonly UnitStatus[] {
    return this.#watch.status();
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.#counters };
  }

  // A line that is down comes first: units that are set aside are probed only while it is up.
  #throwIfRefused(unitId: number): void {
    const refusal = this.#down ?? this.#watch.findRefusal(unitId);
    if (refusal !== undefined) throw refusal;
  }

  async #transact(
    client: ModbusClient,
    request: ModbusRequest,
    options: Parameters<ModbusClient['transact']>[1],
  ): Promise<Answer> {
    const { clock } = this.#options.context;
    const startMs = clock.monotonicMs();
    this.#counters.requests += 1;
    this.#watch.noteRequest(request.unitId);
    try {
      const bytes = await client.transact(request, options);
      this.#counters.answers += 1;
      this.#lastEndMs = clock.monotonicMs();
      const durationMs = this.#lastEndMs - startMs;
      this.#watch.noteAnswer(request.unitId, durationMs);
      return { bytes, timestampMs: clock.epochMs(), durationMs };
    } catch (error) {
      this.#lastEndMs = clock.monotonicMs();
      this.#countFailure(error);
      this.#watch.noteFailure(request, error, this.#lastEndMs - startMs);
      throw error;
    }
  }

  #countFailure(error: unknown): void {
    if (error instanceof ExceptionAnswer) this.#counters.exceptions += 1;
    else if (error instanceof NoAnswer) this.#counters.timeouts += 1;
    else if (error instanceof InvalidAnswer) this.#counters.invalidAnswers += 1;
    else if (error instanceof LinkLost) this.#counters.linkLosses += 1;
  }

  // Only ever called by whoever has the turn, so two never open a link at once.
  async #useClient(signal: AbortSignal): Promise<ModbusClient> {
    const { context, delayBetweenRequestsMs } = this.#options;
    const waitMs = this.#lastEndMs + delayBetweenRequestsMs - context.clock.monotonicMs();
    if (delayBetweenRequestsMs > 0 && waitMs > 0) await delay(context.clock, waitMs, signal);
    if (this.#down !== undefined) throw this.#down;
    if (this.#client?.isOpen === true) return this.#client;
    const closing = this.#closing.signal;
    try {
      const client = await this.#open(AbortSignal.any([signal, closing]));
      this.#counters.reconnects += 1;
      return client;
    } catch (error) {
      signal.throwIfAborted();
      const down = error instanceof ConnectionError ? error : this.#notConnected(error);
      if (!closing.aborted) this.#goDown(down);
      throw down;
    }
  }

  async #open(signal: AbortSignal): Promise<ModbusClient> {
    const { createLink, endpoint, context } = this.#options;
    const client: ModbusClient = new ModbusClient({
      link: createLink(),
      endpoint,
      clock: context.clock,
      events: {
        onLost: (error) => this.#onIdleLoss(client, error),
        onStray: () => {
          this.#counters.strayAnswers += 1;
        },
        onLateProbeAnswer: (unitId) => this.#watch.noteAnswer(unitId, undefined),
      },
    });
    await client.open(signal);
    if (signal.aborted) {
      const error = this.#notConnected(signal.reason);
      client.close(error);
      throw error;
    }
    this.#client = client;
    this.#links += 1;
    return client;
  }

  #onIdleLoss(client: ModbusClient, error: LinkLost): void {
    if (this.#client !== client) return;
    this.#counters.linkLosses += 1;
    // Whoever has the turn, in a pause between two requests, opens a new link.
    if (this.#queue.isIdle) this.#reportLoss(error);
  }

  #reportLoss(error: ConnectionError): void {
    const onLost = this.#onLost;
    this.#onLost = undefined;
    this.#goDown(error);
    onLost?.(error);
  }

  #goDown(error: ConnectionError): void {
    this.#down = error;
    this.#watch.stop();
  }

  async #probe(request: ReadRequest, timeoutMs: number): Promise<void> {
    const { signal } = this.#closing;
    try {
      await this.#queue.run(request.unitId, signal, async () => {
        const client = await this.#useClient(signal);
        this.#counters.probes += 1;
        await this.#transact(client, request, { timeoutMs, signal, isProbe: true });
      });
    } catch (error) {
      // What concerns the unit has been noted; only a line that is down now is news, for nobody else asked.
      const isDown = error instanceof ConnectionError && error === this.#down;
      if (isDown && !signal.aborted) this.#reportLoss(error);
      else this.#options.context.logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
  }

  #notConnected(cause?: unknown): ConnectionError {
    const { endpoint } = this.#options;
    return new ConnectionError({ code: 'NOT_CONNECTED', detail: `not connected to ${endpoint}`, cause });
  }
}
