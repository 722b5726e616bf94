import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { z } from '../base/schema.ts';
import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { ChannelValue } from './value-type.ts';

/** What a driver brings back for one channel of a read: a raw value, before scaling, or why there is none. */
export type Reading =
  | { readonly value: ChannelValue; readonly timestampMs: number; readonly failure?: undefined }
  | { readonly failure: ChannelFailure; readonly timestampMs: number; readonly value?: undefined };

/** One raw value on its way to a device. A fractional number for an integer register is rounded to the nearest. */
export interface WriteRequest<Address = unknown> {
  readonly channel: Channel<Address>;
  readonly value: ChannelValue;
}

/** What became of one write: done at that time, or not done, or not known to be done. */
export interface WriteOutcome {
  /** Absent when the device confirmed the write. */
  readonly failure?: ChannelFailure | undefined;
  readonly timestampMs: number;
}

/** A read whose requests are planned once and used many times. */
export interface PreparedRead {
  /**
   * Asks the device now; every value is sampled after the call began.
   *
   * @param signal ends the wait; channels without an answer by then get a failure
   * @returns one reading per prepared channel, in the same order
   * @throws {ConnectionError} when the link is lost and no channel got an answer
   */
  read(signal: AbortSignal): Promise<readonly Reading[]>;
}

/** State of one device behind a connection, for the people who look after it. */
export interface UnitStatus {
  /** What the driver calls the device, for example `unit 7`. */
  readonly name: string;
  readonly state: 'UNKNOWN' | 'ANSWERING' | 'SET_ASIDE';
  /** Text of the newest failure. */
  readonly lastError?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly lastErrorAtMs?: number | undefined;
  /** Milliseconds since the epoch at which a device that is set aside is asked again. */
  readonly nextProbeAtMs?: number | undefined;
  readonly counters: Readonly<Record<string, number>>;
}

/** A connection to one device or line. It is asked for one thing at a time or many at once; it does its own queueing. */
export interface Driver<Address = unknown> {
  /**
   * Opens the link. Called again after a loss.
   *
   * @param onLost called at most once per connect, when the link is lost while nobody asks
   * @throws {ConnectionError}
   */
  connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void>;
  /** Closes the link; calls under way end with failures. Never throws. */
  disconnect(): Promise<void>;
  /** Plans a read; does no I/O. The plan stays usable across reconnects. */
  prepareRead(channels: readonly Channel<Address>[]): PreparedRead;
  /**
   * Writes in the order given; each value goes to the device at most once.
   *
   * @returns one outcome per request, in the same order
   * @throws {ConnectionError} when the link was down before anything was sent
   */
  write(requests: readonly WriteRequest<Address>[], signal: AbortSignal): Promise<readonly WriteOutcome[]>;
  /** One entry per device behind the link that was ever asked. */
  unitStatus(): readonly UnitStatus[];
  /** Totals since the driver was made, for example `requests`, `timeouts`. */
  counters(): Readonly<Record<string, number>>;
}

/** What a driver may use of the gateway. */
export interface DriverContext {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Random number in 0..1, for jitter. */
  readonly random: () => number;
}

/** A kind of driver: its name, its two schemas, and how to make one. */
export interface DriverFactory<Config = unknown, Address = unknown> {
  /** Value of `type` in the configuration. */
  readonly type: string;
  /** Settings of one connection, without `pid` and `type`. */
  readonly configSchema: z.ZodType<Config>;
  /** `address` of one channel. */
  readonly addressSchema: z.ZodType<Address>;
  /** Text of the settings that says what may be shown of where the driver connects to, for example `192.0.2.7:502`. */
  describe(config: Config): string;
  /**
   * Checks what neither schema can see alone: address against value type and direction.
   *
   * @returns what is wrong with the channel, with the path inside it; empty when the driver can serve it
   */
  checkChannel(
    channel: Channel<Address>,
  ): readonly { readonly path: readonly string[]; readonly message: string }[];
  /** Makes a driver; has no side effects and does no I/O. */
  create(config: Config, context: DriverContext): Driver<Address>;
}
