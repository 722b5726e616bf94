import type { GatewayError } from '../../../daemon/base/errors.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { IdleClose } from './idle-close.ts';
import { toProbe, isWrite } from '../pdu/modbus-functions.ts';
import { LineCounters } from './line-counters.ts';
import { RequestScheduler } from './request-scheduler.ts';
import type { ScheduledRequest } from './request-scheduler.ts';
import { LineClient } from './line-client.ts';
import { createExclusiveLine } from './exchange.ts';
import type { ExchangeOptions, ExchangingLine, LineOptions, SendOptions, UnitResponse } from './exchange.ts';
import type { ModbusClient } from './modbus-client.ts';
import { BroadcastRead, notConnected, toConnectionError } from '../modbus-errors.ts';
import type { LinkLost } from '../modbus-errors.ts';
import type { SilentRanges } from '../read/read-around.ts';
import { RequestPauses } from './request-pauses.ts';
import type { PauseScope } from './request-pauses.ts';
import { RequestSizes } from '../pdu/request-sizes.ts';
import type { LineRequest, ModbusRequest, ReadRequest } from '../pdu/request.ts';
import { isBroadcast } from './transport.ts';
import type { ProbeWait } from '../health/unit-health.ts';
import { UnitProber, checkUnit, readFirst } from '../health/unit-prober.ts';
import { UnitMonitor } from '../health/unit-monitor.ts';
import { WakeUp } from '../health/wake-up.ts';

// An exclusive run may write, so it is queued with the writes.
const WRITING_FUNCTION = 16;

/**
 * The connection to all units of one link, shared by all callers.
 *
 * It is up from `connect` until a loss. A link that was closed because of a timeout is opened again by the next
 * exchange, so that one silent unit costs the others nothing. If that fails, the line is down.
 */
export class ModbusLine implements ExchangingLine {
  readonly #options: LineOptions;
  readonly #scheduler: RequestScheduler;
  readonly units: UnitMonitor;
  readonly sizes: RequestSizes;
  readonly #counters = new LineCounters();
  readonly link: LineClient;
  readonly #pauses: RequestPauses;
  readonly #idle: IdleClose;
  readonly #prober: UnitProber;
  readonly #waker: WakeUp;
  #closing = new AbortController();
  #down: ConnectionError | undefined;
  #onLost: ((error: Error) => void) | undefined;
  /** Outstanding and queued requests. */
  #exchanges = 0;

  constructor(options: LineOptions) {
    this.#options = options;
    const { transport, settings, context } = options;
    const { clock } = context;
    const { depth, endpoint, settling, closeAfterIdleMs, connectDelayMs } = transport;
    this.#pauses = new RequestPauses(clock, settings, connectDelayMs);
    const restMs = (unitId: number): number => this.#pauses.remainingOwnMs(unitId);
    const isOneAtATime = (): boolean => this.link.isSingleUse;
    this.#scheduler = new RequestScheduler({ clock, depth, settling, restMs, isOneAtATime });
    this.#idle = new IdleClose({
      clock,
      afterMs: closeAfterIdleMs,
      keepMs: () => Math.max(2 * this.#pauses.remainingDelayMs(), this.link.keepMs()),
      isBusy: () => this.#exchanges > 0,
      close: () => this.link.closeByChoice(),
    });
    this.link = new LineClient({
      createClient: (events) => transport.createClient(events),
      events: {
        onLost: (error) => this.#onIdleLoss(error),
        onCount: (counter) => this.#counters.count(counter),
        onLateProbeResponse: (response) => this.units.recordLateResponse(response),
      },
      createError: (cause) => notConnected(endpoint, cause),
      onOtherDevice: () => this.sizes.forgetAnswered(),
    });
    this.#prober = new UnitProber({
      findResponsive: () => (this.link.isQuiet ? this.units.findResponsive() : undefined),
      exchange: (request) => this.exchange(request, { signal: this.#closing.signal }),
      send: (request, wait, isWanted) => this.#sendProbe(request, wait, isWanted),
      reportLoss: (error) => this.#reportProbeLoss(error),
      logger: context.logger,
    });
    this.#down = notConnected(endpoint);
    this.sizes = new RequestSizes(context);
    this.units = new UnitMonitor({
      ...context,
      responseTimeoutMsOf: (unitId) => settings.of(unitId).responseTimeoutMs,
      sizes: this.sizes,
      probe: (request, wait) => this.#prober.probe(request, wait),
      onChange: context.onUnitChange,
    });
    this.#waker = new WakeUp({
      settings,
      monitor: this.units,
      send: (read, timeoutMs, signal) =>
        this.#schedule(read, signal, () => this.#send(read, { timeoutMs, signal, isExpendable: true })),
    });
  }

  /** Changes with each link that may lead to another device. */
  get linkNumber(): number {
    return this.link.linkNumber;
  }

  /**
   * Opens the link; closes an open one first.
   *
   * @param onLost called at most once, if the link is lost while no call is outstanding
   * @throws {ConnectionError}
   */
  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    await this.disconnect();
    this.#closing = new AbortController();
    await this.link.open(AbortSignal.any([signal, this.#closing.signal]));
    this.#pauses.recordOpen();
    this.#down = undefined;
    this.#onLost = onLost;
    this.#idle.begin();
    this.units.start();
  }

  /** Closes the link; outstanding and queued exchanges fail with {ConnectionError}. Never throws. */
  disconnect(): Promise<void> {
    const error = notConnected(this.#options.transport.endpoint);
    this.#goDown(error);
    this.#onLost = undefined;
    this.#closing.abort(error);
    this.link.close(error);
    this.#idle.stop();
    this.#scheduler.clear(error);
    return Promise.resolve();
  }

  /**
   * Schedules and sends one request.
   *
   * @throws {ExceptionResponse | NoResponse | InvalidResponse | UnitSuspended | AddressSuspended} an error of the unit
   * @throws {ConnectionError} if the link is down or lost
   * @throws the reason of the signal
   */
  async exchange(request: ModbusRequest, options: ExchangeOptions): Promise<UnitResponse> {
    this.#throwIfRefused(request);
    const waking = isWrite(request) ? this.#wakeUp(request, options.signal) : undefined;
    if (waking !== undefined) await waking;
    return this.#schedule(request, options.signal, () => this.#exchangeNow(request, options));
  }

  /** Runs `work` exclusively, with a line that exchanges at once: no other write is sent before it ends. */
  async runExclusive<T>(
    unitId: number,
    signal: AbortSignal,
    work: (line: ExchangingLine) => Promise<T>,
  ): Promise<T> {
    const waking = this.#wakeUp({ unitId, functionCode: 3, offset: 0, quantity: 1 }, signal);
    if (waking !== undefined) await waking;
    const exclusive = createExclusiveLine(this, async (request, options) => {
      this.#throwIfRefused(request);
      await this.#scheduler.settle(request.unitId, { signal: options.signal, closing: this.#closing.signal });
      return this.#exchangeNow(request, options);
    });
    return this.#schedule({ unitId, functionCode: WRITING_FUNCTION }, signal, () => work(exclusive));
  }

  countModification(): void {
    this.#counters.count('readModifyWrites');
  }

  /** Schedules and sends a request of a scan, whose outcome does not affect the unit; throws like `exchange`. */
  async sendScan(request: LineRequest, signal: AbortSignal): Promise<UnitResponse> {
    const timeoutMs = this.#options.settings.of(request.unitId).responseTimeoutMs;
    // Silent units are normal in a scan: their timeouts reopen neither a serial line nor a connection.
    const isProbe = this.#options.transport.settling === undefined;
    return this.#schedule(request, signal, () => this.#send(request, { timeoutMs, signal, isProbe }));
  }

  counters(): Readonly<Record<string, number>> {
    return this.#counters.toRecord();
  }

  /** Returns the reason not to send a request now: its unit or address is suspended. */
  findRefusal(request: ModbusRequest): GatewayError | undefined {
    return this.units.findRefusal(request);
  }

  /** Returns the silent addresses of a unit; undefined when there are none. */
  findSilentRanges(unitId: number): SilentRanges | undefined {
    return this.units.findSilentRanges(unitId);
  }

  // A line that is down takes precedence, because suspended units are probed only while it is up.
  #throwIfRefused(request: ModbusRequest): void {
    if (this.#down !== undefined) throw this.#down;
    if (isBroadcast(this.#options.transport, request) && !isWrite(request)) throw new BroadcastRead();
    this.units.recordWanted(request);
    const refusal = this.units.findRefusal(request);
    if (refusal !== undefined) throw refusal;
  }

  #wakeUp(request: ModbusRequest, signal: AbortSignal): Promise<void> | undefined {
    if (this.#down !== undefined || isBroadcast(this.#options.transport, request)) return undefined;
    return this.#waker.before(toProbe(request), signal);
  }

  async #schedule<T>(request: ScheduledRequest, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#exchanges += 1;
    try {
      return await this.#scheduler.run(request, { signal, closing: this.#closing.signal }, () =>
        this.#pauses.during(request.unitId, work),
      );
    } finally {
      this.#exchanges -= 1;
      this.#idle.begin();
    }
  }

  async #exchangeNow(request: ModbusRequest, { signal, ...turn }: ExchangeOptions): Promise<UnitResponse> {
    // The unit may have been suspended while this request was queued.
    this.#throwIfRefused(request);
    const options = { timeoutMs: this.#options.settings.of(request.unitId).responseTimeoutMs, signal };
    const transact = (other: ModbusRequest): Promise<UnitResponse> => this.#transact(other, options);
    const check = this.units.findCheck(request);
    if (check !== undefined) {
      await checkUnit(check, transact, () => this.units.findRefusal(request));
      // The response may have shown that the request itself is the silent one.
      this.#throwIfRefused(request);
    }
    const client = this.#findClient(request) ?? (await this.#useClient(request, signal));
    if (client.isResponseAmbiguous(request)) await readFirst(request, transact);
    return this.#transact(request, { ...options, ...turn });
  }

  async #transact(request: ModbusRequest, options: SendOptions): Promise<UnitResponse> {
    const { clock } = this.#options.context;
    let startMs: number | undefined;
    const onBegin = (): void => {
      startMs = clock.monotonicMs();
      this.units.recordRequest(request);
    };
    try {
      const response = await this.#send(request, options, onBegin);
      if (!response.isUnconfirmed) this.units.recordResponse(request, response.durationMs);
      return response;
    } catch (error) {
      if (startMs !== undefined) this.units.recordFailure(request, error, clock.monotonicMs() - startMs);
      throw error;
    }
  }

  async #send(request: LineRequest, options: SendOptions, onBegin?: () => void): Promise<UnitResponse> {
    const { transport, context } = this.#options;
    const scope = { unitId: request.unitId, isBroadcast: isBroadcast(transport, request) };
    const client =
      this.#takeReadyClient(request, scope) ?? (await this.#takeClient(request, scope, options.signal));
    // The line may have been closed within this tick of the event loop.
    if (this.#down !== undefined) throw this.#down;
    options.throwIfCancelled?.();
    const startMs = context.clock.monotonicMs();
    this.#counters.count('requests');
    if (options.isProbe === true) this.#counters.count('probes');
    onBegin?.();
    try {
      const bytes = await this.link.transact(client, this.#options.settings.toSent(request), options);
      const durationMs = context.clock.monotonicMs() - startMs;
      this.#counters.count(scope.isBroadcast ? 'broadcasts' : 'answers');
      return { bytes, timestampMs: context.clock.epochMs(), isUnconfirmed: scope.isBroadcast, durationMs };
    } catch (error) {
      this.#counters.countFailure(error);
      throw error;
    } finally {
      this.#pauses.recordEnd(scope);
    }
  }

  #findClient(request: LineRequest): ModbusClient | undefined {
    return this.#down === undefined ? this.link.find(request) : undefined;
  }

  #takeReadyClient(request: LineRequest, scope: PauseScope): ModbusClient | undefined {
    const client = this.#findClient(request);
    return client !== undefined && this.#pauses.begin(scope) ? client : undefined;
  }

  // Returns the open link as soon as a request may be sent over it; the link may be lost during the pause before.
  async #takeClient(request: LineRequest, scope: PauseScope, signal: AbortSignal): Promise<ModbusClient> {
    for (;;) {
      await this.#pauses.wait(scope.unitId, AbortSignal.any([signal, this.#closing.signal]));
      const client = await this.#useClient(request, signal);
      if (this.#pauses.begin(scope)) return client;
    }
  }

  #useClient(request: LineRequest, signal: AbortSignal): Promise<ModbusClient> {
    const closing = this.#closing.signal;
    return this.link.acquire(request, AbortSignal.any([signal, closing]), {
      throwIfDown: () => {
        if (this.#down !== undefined) throw this.#down;
      },
      onOpen: () => {
        this.#counters.count('reconnects');
        this.#pauses.recordOpen();
      },
      toFailure: (error) => {
        signal.throwIfAborted();
        const down = toConnectionError(error, this.#options.transport.endpoint);
        if (!closing.aborted) this.#goDown(down);
        return down;
      },
    });
  }

  #onIdleLoss(error: LinkLost): void {
    this.#counters.count('linkLosses');
    // The scheduled request, in a pause between two requests, opens a new link.
    if (this.#scheduler.isIdle) this.#reportLoss(error);
  }

  #reportLoss(error: ConnectionError): void {
    const onLost = this.#onLost;
    this.#onLost = undefined;
    this.#goDown(error);
    onLost?.(error);
  }

  #goDown(error: ConnectionError): void {
    this.#down = error;
    this.units.stop();
  }

  // Only a line that is down now must be reported, because no client sent a request.
  #reportProbeLoss(error: unknown): boolean {
    const isNews = error === this.#down && !this.#closing.signal.aborted;
    if (isNews && error instanceof ConnectionError) this.#reportLoss(error);
    return isNews;
  }

  async #sendProbe(request: ReadRequest, wait: ProbeWait, isWanted: () => boolean): Promise<boolean> {
    const { signal } = this.#closing;
    await this.#wakeUp(request, signal);
    return this.#schedule(request, signal, async () => {
      if (!isWanted()) return false;
      this.#idle.keepFor(this.#options.settings.of(request.unitId).responseTimeoutMs);
      const timeoutMs = this.link.isQuiet ? wait.onQuietLinkMs : wait.timeoutMs;
      await this.#transact(request, { timeoutMs, signal, isProbe: true });
      this.#idle.keepFor(0);
      return true;
    });
  }
}
