import { delay } from '../../daemon/base/clock.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import type { GatewayError } from '../../daemon/base/errors.ts';
import type { UnitStatus } from '../../daemon/channel/driver.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { LineCounters } from './line-counters.ts';
import { LineTurns } from './line-turns.ts';
import { LinkUses } from './link-uses.ts';
import type { ModbusClient, TransactOptions } from './modbus-client.ts';
import { BroadcastRead, LinkLost, NoAnswer } from './modbus-errors.ts';
import { isWrite } from './entry-range.ts';
import { ExceptionAnswer } from './exception.ts';
import type { Answer, ExchangeOptions, LineOptions } from './exchange.ts';
import type { Silences } from './read-around.ts';
import { toProbe } from './modbus-functions.ts';
import { RequestPauses } from './request-pauses.ts';
import { RequestSizes } from './request-sizes.ts';
import type { ModbusRequest, ReadRequest, WriteRequest } from './request.ts';
import { UnitWatch } from './unit-watch.ts';

// On a serial line all units carry out requests to this one, and none answers (MODBUS over Serial Line V1.02, 2.1).
const BROADCAST_UNIT = 0;

/**
 * The connection to all units behind one link, shared by all callers.
 *
 * Between `connect` and a loss it is up. A link that was dropped because of an answer that did not come is opened again
 * by the next exchange, so that one silent unit costs the others nothing; when that fails, the line is down.
 */
export class ModbusLine {
  readonly #options: LineOptions;
  readonly #pauses: RequestPauses;
  readonly #turns: LineTurns;
  readonly #watch: UnitWatch;
  /** How long the requests to each unit may be. */
  readonly sizes: RequestSizes;
  readonly #counters = new LineCounters();
  readonly #uses = new LinkUses();
  #client: ModbusClient | undefined;
  #closing = new AbortController();
  #down: ConnectionError | undefined;
  #onLost: ((error: Error) => void) | undefined;
  #opening: Promise<ModbusClient> | undefined;
  #links = 0;
  #underWay = 0;

  constructor(options: LineOptions) {
    this.#options = options;
    const { transport, settings, context } = options;
    const { clock, logger, random, onUnitChange } = context;
    const { depth, settling } = transport;
    this.#pauses = new RequestPauses(clock, settings);
    const restMs = (unitId: number): number => this.#pauses.remainingOwnMs(unitId);
    this.#turns = new LineTurns({ clock, depth, settling, restMs });
    this.#down = this.#notConnected();
    this.sizes = new RequestSizes(options.context);
    this.#watch = new UnitWatch({
      clock,
      logger,
      responseTimeoutMsOf: (unitId) => settings.of(unitId).responseTimeoutMs,
      sizes: this.sizes,
      random,
      probe: (request, timeoutMs) => this.#probe(request, timeoutMs),
      onChange: onUnitChange,
    });
  }

  /** Counts the links opened so far; knowledge about a device may be out of date when it changes. */
  get linkNumber(): number {
    return this.#links;
  }

  /**
   * Opens the link; one that is open is closed before.
   *
   * @param onLost called at most once, when the link is lost while no call is under way
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
    this.#turns.clear(error);
    return Promise.resolve();
  }

  /**
   * Sends one request when its turn comes.
   *
   * @throws {ExceptionAnswer | NoAnswer | InvalidAnswer | UnitSuspended | AddressSuspended} an error of the unit
   * @throws {ConnectionError} when the link is down, or goes
   * @throws the reason of the signal
   */
  exchange(request: ModbusRequest, options: ExchangeOptions): Promise<Answer> {
    return this.#inTurn(request, options, () => this.#exchangeNow(request, options));
  }

  /**
   * Reads a register and writes what is made of it, in one turn: no other write of this connection is sent in between.
   *
   * @param toWrite makes the request from the bytes of the register; its unit and function do not depend on them
   * @throws like `exchange`
   */
  modify(
    read: ReadRequest,
    toWrite: (bytes: Buffer) => WriteRequest,
    options: ExchangeOptions,
  ): Promise<Answer> {
    return this.#inTurn(toWrite(Buffer.alloc(2)), options, async () => {
      const { bytes } = await this.#exchangeNow(read, { signal: options.signal });
      const answer = await this.#exchangeNow(toWrite(bytes), options);
      this.#counters.count('readModifyWrites');
      return answer;
    });
  }

  /** One entry per unit that was ever asked. */
  unitStatus(): readonly UnitStatus[] {
    return this.#watch.status();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#counters.toRecord();
  }

  /** Returns why a request would not be sent now, from the silence of its unit; undefined when it would. */
  findRefusal(request: ModbusRequest): GatewayError | undefined {
    return this.#watch.findRefusal(request);
  }

  /** Returns the silent addresses of a unit; undefined when there are none. */
  findSilences(unitId: number): Silences | undefined {
    return this.#watch.findSilences(unitId);
  }

  // A line that is down comes first: units that are suspended are probed only while it is up.
  #throwIfRefused(request: ModbusRequest): void {
    if (this.#down !== undefined) throw this.#down;
    if (this.#isBroadcast(request) && !isWrite(request)) throw new BroadcastRead();
    this.#watch.noteWish(request);
    const refusal = this.#watch.findRefusal(request);
    if (refusal !== undefined) throw refusal;
  }

  async #inTurn(
    request: ModbusRequest,
    { signal }: ExchangeOptions,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    this.#throwIfRefused(request);
    return this.#turns.run(request, { signal, closing: this.#closing.signal }, work);
  }

  async #exchangeNow(request: ModbusRequest, { signal, onSend }: ExchangeOptions): Promise<Answer> {
    // The unit may have been found silent while this request waited.
    this.#throwIfRefused(request);
    const client = await this.#useClient(request.unitId, signal);
    // The line may have been closed within this turn of the event loop.
    if (this.#down !== undefined) throw this.#down;
    const timeoutMs = this.#options.settings.of(request.unitId).responseTimeoutMs;
    await this.#checkUnit(client, request, { timeoutMs, signal });
    if (client.isAnswerAmbiguous(request)) await this.#readFirst(client, request, { timeoutMs, signal });
    return this.#transact(client, request, { timeoutMs, signal, onSend });
  }

  // A request that the unit used to answer shows whether the silence is that of the unit or of the requested addresses.
  async #checkUnit(client: ModbusClient, request: ModbusRequest, options: TransactOptions): Promise<void> {
    const check = this.#watch.findCheck(request);
    if (check === undefined) return;
    try {
      await this.#transact(client, check, options);
    } catch (error) {
      if (!(error instanceof ExceptionAnswer || error instanceof NoAnswer)) throw error;
      if (error instanceof NoAnswer) throw this.#watch.findRefusal(request) ?? error;
    }
    // The answer may have shown that the request itself is the silent one.
    this.#throwIfRefused(request);
  }

  // An adapter that echoes requests would confirm a write that no unit carried out.
  async #readFirst(client: ModbusClient, request: ModbusRequest, options: TransactOptions): Promise<void> {
    try {
      await this.#transact(client, toProbe(request), options);
    } catch (error) {
      // A refused read of a writable address shows as well that the line has no echo.
      if (!(error instanceof ExceptionAnswer)) throw error;
    }
  }

  async #transact(client: ModbusClient, request: ModbusRequest, options: TransactOptions): Promise<Answer> {
    const { clock } = this.#options.context;
    const startMs = clock.monotonicMs();
    this.#counters.count('requests');
    this.#watch.noteRequest(request);
    this.#underWay += 1;
    try {
      const bytes = await client.transact(request, options);
      this.#uses.noteAnswer();
      this.#pauses.noteEnd(request.unitId, this.#isBroadcast(request));
      const durationMs = clock.monotonicMs() - startMs;
      if (this.#isBroadcast(request)) {
        this.#counters.count('broadcasts');
      } else {
        this.#counters.count('answers');
        this.#watch.noteAnswer(request, durationMs);
      }
      return { bytes, timestampMs: clock.epochMs(), durationMs };
    } catch (error) {
      this.#pauses.noteEnd(request.unitId, this.#isBroadcast(request));
      this.#counters.countFailure(error);
      if (error instanceof ExceptionAnswer) this.#uses.noteAnswer();
      else if (error instanceof LinkLost) this.#uses.noteLoss();
      this.#watch.noteFailure(request, error, clock.monotonicMs() - startMs);
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  #isBroadcast({ unitId }: ModbusRequest): boolean {
    return unitId === BROADCAST_UNIT && this.#options.transport.settling !== undefined;
  }

  async #useClient(unitId: number, signal: AbortSignal): Promise<ModbusClient> {
    const waitMs = this.#pauses.remainingMs(unitId);
    if (waitMs > 0) await delay(this.#options.context.clock, waitMs, signal);
    for (;;) {
      if (this.#down !== undefined) throw this.#down;
      if (this.#client?.isOpen === true && !this.#closeUsedUp(this.#client)) return this.#client;
      if (this.#opening === undefined) break;
      // The state of the line shows the outcome; the caller that opens it may have been stopped by its own signal.
      await this.#opening.catch(() => undefined);
      signal.throwIfAborted();
    }
    const closing = this.#closing.signal;
    try {
      this.#opening = this.#open(AbortSignal.any([signal, closing]));
      const client = await this.#opening;
      this.#counters.count('reconnects');
      return client;
    } catch (error) {
      signal.throwIfAborted();
      const down = error instanceof ConnectionError ? error : this.#notConnected(error);
      if (!closing.aborted) this.#goDown(down);
      throw down;
    } finally {
      this.#opening = undefined;
    }
  }

  // A request sent while the device closes the link is lost, and the outcome of a write is not known then.
  #closeUsedUp(client: ModbusClient): boolean {
    if (!this.#uses.isUsedUp || this.#underWay > 0) return false;
    client.close(this.#notConnected());
    return true;
  }

  async #open(signal: AbortSignal): Promise<ModbusClient> {
    const client: ModbusClient = this.#options.transport.createClient({
      onLost: (error) => this.#onIdleLoss(client, error),
      onCount: (counter) => this.#counters.count(counter),
      onLateProbeAnswer: (unitId) => this.#watch.noteLateAnswer(unitId),
    });
    await client.open(signal);
    if (signal.aborted) {
      const error = this.#notConnected(signal.reason);
      client.close(error);
      throw error;
    }
    this.#client = client;
    this.#uses.noteOpen();
    this.#links += 1;
    this.sizes.forgetAnswered();
    return client;
  }

  #onIdleLoss(client: ModbusClient, error: LinkLost): void {
    if (this.#client !== client) return;
    this.#counters.count('linkLosses');
    this.#uses.noteLoss();
    // The request whose turn it is, in a pause between two requests, opens a new link.
    if (this.#turns.isIdle) this.#reportLoss(error);
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
      await this.#askLiving(signal);
      await this.#turns.run(request, { signal, closing: signal }, async () => {
        const client = await this.#useClient(request.unitId, signal);
        this.#counters.count('probes');
        return this.#transact(client, request, { timeoutMs, signal, isProbe: true });
      });
    } catch (error) {
      // Errors of the unit have been noted; only a line that is down now is news, because no client asked.
      const isDown = error instanceof ConnectionError && error === this.#down;
      if (isDown && !signal.aborted) this.#reportLoss(error);
      else this.#options.context.logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
  }

  // A link is not given up because one unit is silent while another, which no client asks, is there.
  async #askLiving(signal: AbortSignal): Promise<void> {
    const living = this.#client?.isQuiet === true ? this.#watch.findLiving() : undefined;
    if (living === undefined) return;
    try {
      await this.exchange(living, { signal });
    } catch (error) {
      this.#options.context.logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
  }

  #notConnected(cause?: unknown): ConnectionError {
    const { endpoint } = this.#options.transport;
    return new ConnectionError({ code: 'NOT_CONNECTED', detail: `not connected to ${endpoint}`, cause });
  }
}
