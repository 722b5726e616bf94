import { createReason, explain } from '../../../base/fault-reason.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import { deadlineExceeded } from './deadline-exceeded.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { raceWithAbort } from '../../../base/sharing/race-with-abort.ts';
import type { Channel } from '../../../channel/channel.ts';
import { ConnectionError } from '../../../channel/driver-errors.ts';
import type { Proposal, Scanning } from '../../../channel/discovery.ts';
import { isAdapting, isScanning, isSubscribing } from '../../../channel/driver.ts';
import type { Driver, PreparedRead, Reading, SubscribeOptions } from '../../../channel/driver.ts';
import { isRetaining } from '../../../channel/retaining-driver.ts';
import type { SentWrites } from '../../../channel/write-run.ts';
import type { PreparedWrites, WriteOutcome, WriteRequest } from '../../../channel/write-step.ts';
import { backoffMs } from './backoff.ts';
import type { ConnectionState } from '../../../interface/plant/drivers.ts';
import type { ConnectionStatus } from './connection-status.ts';
import { withDeadline } from './with-deadline.ts';
import { LinkState } from './link-state.ts';
import { listScaled, prepareScaledRead } from '../read/scaled-read.ts';
import { followScales } from '../read/scaled-subscription.ts';
import { ConnectionWriter } from '../write/connection-writer.ts';
import type { WriteConditions } from '../write/connection-writer.ts';

interface DriverConnectionOptions {
  readonly driver: Driver;
  /** Endpoint shown in messages: `192.0.2.7:502`. */
  readonly endpoint: string;
  /** Maximum duration of one read or write, including the time in the queue. */
  readonly callDeadlineMs: number;
  /** Reason that it never connects; absent: it connects. */
  readonly refusal?: string;
  /** Called after each change of `ConnectionStatus.state`. */
  readonly onStateChange: () => void;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

interface CallOptions {
  /** True if a failure closes the link. */
  readonly isLinkAtFault?: boolean;
  /** Number of retries after a lost link. */
  readonly repeats?: number;
}

/** Connects a driver lazily and reconnects after a loss, with growing pauses between failed attempts. */
export class DriverConnection {
  readonly #options: DriverConnectionOptions;
  readonly #link: LinkState;
  #connecting: Promise<void> | undefined;
  #failures = 0;
  #connects = 0;
  #nextAttempt: { readonly monotonicMs: number; readonly epochMs: number } | undefined;
  readonly #writes: ConnectionWriter;
  readonly #closing = new AbortController();

  constructor(options: DriverConnectionOptions) {
    this.#options = options;
    this.#link = new LinkState(options.clock);
    this.#writes = new ConnectionWriter(options);
  }

  /**
   * Connects if there is no link, without the pause after a failure.
   *
   * @throws {ConnectionError} when there is no link
   */
  connectNow(): Promise<void> {
    this.#nextAttempt = undefined;
    return this.#call(() => Promise.resolve());
  }

  /** Plans a read; does no I/O. */
  prepareRead(channels: readonly Channel[]): PreparedRead {
    return prepareScaledRead(channels, (all) => this.#options.driver.prepareRead(all));
  }

  /**
   * Reads, connecting first if necessary. A read that lost its link is retried once on a new one, in the time that is
   * left.
   *
   * @returns one reading per prepared channel, in the same order
   * @throws {ConnectionError} when there is no link
   */
  read(prepared: PreparedRead): Promise<readonly Reading[]> {
    return this.#call((signal) => prepared.read(signal), { repeats: 1 });
  }

  /**
   * Encodes values for sending, connecting first if necessary; changes nothing.
   *
   * @throws {ConnectionError} when there is no link
   */
  prepareWrite(requests: readonly WriteRequest[]): Promise<PreparedWrites> {
    return this.call((signal) => this.#options.driver.prepareWrite(requests, signal));
  }

  /**
   * Sends prepared writes in order, connecting first if necessary; see `runWrites`.
   *
   * @throws {ConnectionError} when there is no link; nothing was sent
   */
  write(writes: SentWrites): Promise<ReadonlyMap<number, WriteOutcome>> {
    return this.#call((signal) => this.#writes.write(writes, signal));
  }

  /**
   * Reads the conditions of a write and sends it if they are true, connecting first if necessary. No other write of this
   * connection is sent in between.
   *
   * @throws {ConnectionError} when there is no link; nothing was sent
   */
  writeIf(writes: SentWrites, conditions: WriteConditions): Promise<ReadonlyMap<number, WriteOutcome>> {
    return this.#call((signal) => this.#writes.writeIf(writes, conditions, signal));
  }

  /** See `Driver`. */
  isSameText(channel: Channel, shown: string, text: string): boolean | undefined {
    return this.#options.driver.isSameText?.(channel, shown, text);
  }

  /** Applies new settings without reconnecting. */
  adapt(settings: unknown): void {
    const { driver, endpoint } = this.#options;
    if (!isAdapting(driver)) throw new RangeError(`the driver of ${endpoint} takes no new settings`);
    driver.adapt(settings);
  }

  /** Drops driver state that serves none of these channels, which are all configured ones. */
  retain(channels: readonly Channel[]): void {
    if (isRetaining(this.#options.driver)) this.#options.driver.retain(listScaled(channels).channels);
  }

  /** Returns the driver narrowed to an extension, for `call`; undefined if it does not implement it. */
  find<Kind extends Driver>(isKind: (driver: Driver) => driver is Kind): Kind | undefined {
    return isKind(this.#options.driver) ? this.#options.driver : undefined;
  }

  /** Makes a read-only call, like `read`. */
  call<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#call(work, { repeats: 1 });
  }

  /** Aborts when the connection is closed permanently. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Scans the link; see {ScanningDriver}. Ends with the connection. */
  scan(options: unknown, { signal, report }: Scanning): Promise<Proposal> {
    const { driver, endpoint } = this.#options;
    if (!isScanning(driver)) throw new RangeError(`the driver of ${endpoint} finds no devices`);
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    return driver.scan(options, { signal: ending, report, call: (work) => this.#call(work, { repeats: 1 }) });
  }

  /** True while the link is open. */
  get isConnected(): boolean {
    return this.#link.current === 'CONNECTED';
  }

  /** True if the device reports changes. */
  get canSubscribe(): boolean {
    return isSubscribing(this.#options.driver);
  }

  /**
   * Subscribes to channels at the device, connecting first if necessary; resolves when the device has accepted. A device
   * that refuses does not affect other calls.
   *
   * @throws {ConnectionError} when there is no link, or the device refuses the subscription
   */
  async subscribe(options: SubscribeOptions): Promise<void> {
    const { driver } = this.#options;
    if (!isSubscribing(driver)) throw new RangeError(`${this.#options.endpoint} has no subscriptions`);
    const refused = new AbortController();
    const signal = AbortSignal.any([options.signal, this.#closing.signal, refused.signal]);
    try {
      await this.#call(() => driver.subscribe(followScales({ ...options, signal })), {
        isLinkAtFault: false,
      });
    } catch (error) {
      // A subscription that is accepted too late must not stay without a client.
      refused.abort(error);
      throw error;
    }
  }

  /** Returns the wait after this number of consecutive failures. */
  pauseMs(failures: number): number {
    return backoffMs(failures, this.#options.random());
  }

  /** Names the device of a channel, as `status` does; undefined if the link has one device. */
  unitOf(channel: Channel): string | undefined {
    return this.#options.driver.unitOf?.(channel);
  }

  status(): ConnectionStatus {
    const { driver } = this.#options;
    return {
      ...this.#link.show(),
      nextAttemptAtMs: this.#link.current === 'BACKING_OFF' ? this.#nextAttempt?.epochMs : undefined,
      counters: { connects: this.#connects, ...driver.counters() },
      units: driver.unitStatus(),
    };
  }

  /** Closes the link permanently; outstanding calls and connection attempts end with failures. */
  async close(): Promise<void> {
    const { driver, endpoint } = this.#options;
    const reason = createReason(PLANT_FAILURES, 'CONNECTION_WAS_CLOSED', { endpoint });
    this.#closing.abort(new ConnectionError({ code: 'CONNECTION_CLOSED', ...explain(reason) }));
    this.#enter('DISCONNECTED');
    await driver.disconnect();
    driver.close?.();
  }

  async #call<T>(
    work: (signal: AbortSignal) => Promise<T>,
    { isLinkAtFault = true, repeats = 0 }: CallOptions = {},
  ): Promise<T> {
    const { clock, callDeadlineMs } = this.#options;
    const deadline = new AbortController();
    const cancel = clock.schedule(callDeadlineMs, () => deadline.abort(deadlineExceeded(callDeadlineMs)));
    try {
      for (let attempt = 0; ; attempt += 1) {
        let link: number | undefined;
        try {
          if (this.#link.current !== 'CONNECTED') await this.#ensureConnected(deadline.signal);
          link = this.#connects;
          return await withDeadline(work(deadline.signal), deadline.signal, this.#options);
        } catch (thrown) {
          const error = this.#toConnectionError(thrown);
          const isCutOff = error.isCutOff && link !== undefined;
          const isRepeated = isCutOff && attempt < repeats && !deadline.signal.aborted;
          // A failure on an earlier link does not concern the current one.
          const isPresent = this.#link.current === 'CONNECTED' && link === this.#connects;
          if (isPresent && isLinkAtFault && !deadline.signal.aborted) {
            await (isRepeated ? this.#dropLink(error) : this.#onFailure(error));
          }
          if (!isRepeated) throw error;
        }
      }
    } finally {
      cancel();
    }
  }

  // A driver defect affects only its own channels, and is logged once.
  #toConnectionError(thrown: unknown): ConnectionError {
    if (thrown instanceof ConnectionError) return thrown;
    const { endpoint, logger } = this.#options;
    logger.error('driver.failed', { endpoint, error: thrown });
    const details = explain(createReason(PLANT_FAILURES, 'CONNECTION_DRIVER_FAILED', { endpoint }));
    return new ConnectionError({ code: 'DRIVER_FAULT', ...details, cause: thrown, mayBeDone: true });
  }

  async #ensureConnected(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    this.#closing.signal.throwIfAborted();
    const waitMs = (this.#nextAttempt?.monotonicMs ?? 0) - clock.monotonicMs();
    if (this.#connecting === undefined && this.#link.current === 'BACKING_OFF' && waitMs > 0) {
      const stableMessage = this.#link.lastError ?? 'not connected';
      const detail = `${stableMessage}; next attempt in ${Math.ceil(waitMs)} ms`;
      throw new ConnectionError({ code: 'NOT_CONNECTED', detail, stableMessage });
    }
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    await raceWithAbort(this.#connecting, signal);
  }

  async #connect(): Promise<void> {
    const { driver, clock, callDeadlineMs, endpoint, refusal } = this.#options;
    this.#enter('CONNECTING');
    // All callers share the attempt, so it does not end with the deadline of the first.
    const attempt = new AbortController();
    const cancel = clock.schedule(callDeadlineMs, () =>
      attempt.abort(
        new ConnectionError({
          code: 'CONNECT_TIMEOUT',
          detail: `${endpoint} did not accept the connection within ${callDeadlineMs} ms`,
        }),
      ),
    );
    const closing = this.#closing.signal;
    try {
      if (refusal !== undefined) throw new ConnectionError({ code: 'SECRET_UNREADABLE', detail: refusal });
      await driver.connect(AbortSignal.any([attempt.signal, closing]), (error) =>
        this.#onLostWhileIdle(error),
      );
      closing.throwIfAborted();
      const isStateChange = this.#connects === 0 || this.#failures > 0;
      this.#failures = 0;
      this.#connects += 1;
      this.#enter('CONNECTED');
      this.#options.logger[isStateChange ? 'info' : 'debug']('driver.connected', { endpoint });
    } catch (thrown) {
      // `close` was called during the attempt, when there was nothing to close yet.
      if (closing.aborted) await driver.disconnect();
      closing.throwIfAborted();
      const error = this.#toConnectionError(thrown);
      await this.#onFailure(error);
      throw error;
    } finally {
      cancel();
    }
  }

  async #onFailure(error: ConnectionError): Promise<void> {
    const { clock, logger, endpoint, driver } = this.#options;
    this.#failures += 1;
    const delayMs = this.pauseMs(this.#failures);
    this.#nextAttempt = { monotonicMs: clock.monotonicMs() + delayMs, epochMs: clock.epochMs() + delayMs };
    this.#link.noteError(error);
    this.#enter('BACKING_OFF');
    // Only the first failure is logged, not each further attempt.
    if (this.#failures === 1) logger.warn('driver.connectionLost', { endpoint, error });
    await driver.disconnect();
  }

  // The next attempt to connect follows at once.
  async #dropLink(error: ConnectionError): Promise<void> {
    this.#onLostWhileIdle(error);
    await this.#options.driver.disconnect();
  }

  // Many devices close an idle link: the next call reconnects without a pause.
  #onLostWhileIdle(error: Error): void {
    if (this.#link.current !== 'CONNECTED') return;
    this.#link.noteError(error);
    this.#enter('DISCONNECTED');
    this.#options.logger.debug('driver.disconnected', {
      endpoint: this.#options.endpoint,
      reason: error.message,
    });
  }

  #enter(state: ConnectionState): void {
    if (this.#link.enter(state)) this.#options.onStateChange();
  }
}
