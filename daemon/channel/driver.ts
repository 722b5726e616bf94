import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import type { Logger } from '../base/logger.ts';
import type { Fault, z } from '../base/schema.ts';
import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Proposal, Scanning, ScanRun, Settings } from './discovery.ts';
import type { ConnectionError } from './driver-errors.ts';
import type { ValueQuality } from './quality.ts';
import type { RawNumberAt } from './raw-number.ts';
import type { DecimalFactor } from './scale/scale-from.ts';
import type { ChannelValue, ValueType } from './value-type.ts';
import type { PreparedWrites, WriteRequest } from './write-step.ts';

/** The result of a read for one channel: a raw value, before scaling, or the failure. */
export type Reading = (
  | ValueReading
  | { readonly failure: ChannelFailure; readonly timestampMs: number; readonly value?: undefined }
) & {
  /** See `ChannelRecord`; only with `SubscribeOptions.onReading`. */
  readonly isQueued?: boolean | undefined;
};

interface ValueReading {
  readonly value: ChannelValue;
  readonly timestampMs: number;
  /** Absent: GOOD. A value that is bad is a failure. */
  readonly quality?: ValueQuality | undefined;
  /** Status of the value as the device reports it, for example `UncertainLastUsableValue`. */
  readonly status?: string | undefined;
  /** Factor of the value that `scaleFrom` of the channel yields; set by the reader of the driver. */
  readonly factor?: DecimalFactor | undefined;
  readonly failure?: undefined;
}

/** A read whose requests are planned once and used many times. */
export interface PreparedRead {
  /**
   * Reads the device; every value is sampled after the call began.
   *
   * @param signal ends the wait; channels without a response by then return a failure
   * @returns one reading per prepared channel, in the same order
   * @throws {ConnectionError} when the link is lost before any response
   */
  read(signal: AbortSignal): Promise<readonly Reading[]>;
  /** Requests of the next read, in order; absent if the driver requests each channel alone. */
  describe?(): readonly PlannedRequest[];
}

/** One request of a prepared read, for the commissioning of a line. */
export interface PlannedRequest {
  /** Request in protocol terms, for example `unit 1 HOLDING_REGISTERS 100-109`. */
  readonly name: string;
  /** The same as sentences with codes; absent: it has none. */
  readonly nameReasons?: readonly FaultReason[] | undefined;
  /** Names of the channels in the response. */
  readonly channels: readonly string[];
  /** Bytes on the wire, framing included. */
  readonly requestBytes: number;
  /** Bytes on the wire of a response without errors, framing included. */
  readonly answerBytes: number;
  /** Duration of both in milliseconds at line speed, pauses included; absent if the speed is unknown. */
  readonly wireMs?: number | undefined;
  /** Duration of the newest exchange in milliseconds; absent before the first. */
  readonly measuredMs?: number | undefined;
  /** Reason that the next read skips it; absent if it is sent. */
  readonly notSent?: string | undefined;
  readonly notSentCode?: ErrorCode | undefined;
  /** Its sentences with their codes; absent: one has none. */
  readonly notSentReasons?: readonly FaultReason[] | undefined;
}

/** An address to which a device does not respond, although it responds to others. */
export interface SilentAddressStatus {
  /** Request in protocol terms, for example `HOLDING_REGISTERS 100-109`. */
  readonly address: string;
  readonly operation: 'READ' | 'WRITE';
  /** Milliseconds since the epoch of the first timeout. */
  readonly sinceMs: number;
  /** Milliseconds since the epoch of the next permitted request. */
  readonly nextAttemptAtMs: number;
}

/** The largest request that a device accepts, if it rejects larger ones. */
export interface RequestLimit {
  /** Requested table in protocol terms, for example `HOLDING_REGISTERS`. */
  readonly kind: string;
  /** Largest quantity in a request with a response. */
  readonly maximumQuantity: number;
}

/** State of one device on a connection, for operators. */
export interface UnitStatus {
  /** The driver's name for the device, for example `unit 7`. */
  readonly name: string;
  readonly state: 'UNKNOWN' | 'ANSWERING' | 'SUSPENDED';
  /** Text of the newest failure. */
  readonly lastError?: string | undefined;
  readonly lastErrorCode?: ErrorCode | undefined;
  /** Its sentences with their codes; absent: one has none. */
  readonly lastErrorReasons?: readonly FaultReason[] | undefined;
  /** Milliseconds since the epoch. */
  readonly lastErrorAtMs?: number | undefined;
  /** Milliseconds since the epoch of the first timeout that led to the suspension; absent otherwise. */
  readonly silentSinceMs?: number | undefined;
  /** Milliseconds since the epoch of the next probe of a suspended device. */
  readonly nextProbeAtMs?: number | undefined;
  /** Suspended addresses: only requests to them time out; absent if none. */
  readonly silentAddresses?: readonly SilentAddressStatus[] | undefined;
  /** Requests that were shortened for the device; absent if none. */
  readonly requestLimits?: readonly RequestLimit[] | undefined;
  readonly counters: Readonly<Record<string, number>>;
}

/** A connection to one device or line. Accepts concurrent calls and queues them itself. */
export interface Driver<Address = unknown> {
  /**
   * Opens the link. Called again after a loss.
   *
   * @param onLost called at most once per connect, when the link is lost while no request runs
   * @throws {ConnectionError}
   */
  connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void>;
  /** Closes the link; outstanding calls end with failures. Never throws. */
  disconnect(): Promise<void>;
  /** Releases what outlives a link, such as a listening port; called once, after the last `disconnect`. */
  close?(): void;
  /** Plans a read; does no I/O. The plan stays usable across reconnects. */
  prepareRead(channels: readonly Channel<Address>[]): PreparedRead;
  /**
   * Encodes each value and returns the steps that send them in the given order. May read; changes nothing.
   *
   * @throws {ConnectionError} when the link is down, for a driver that needs it to prepare
   */
  prepareWrite(requests: readonly WriteRequest<Address>[], signal: AbortSignal): Promise<PreparedWrites>;
  /**
   * True if a text equals the value of the newest read of a STRING channel, compared in the type of the
   * device; does no I/O. Two texts of a time, for example, are equal if they name the same instant.
   *
   * @returns undefined if the type is unknown
   */
  isSameText?(channel: Channel<Address>, shown: string, text: string): boolean | undefined;
  /** One entry for each device on the link that was ever polled. */
  unitStatus(): readonly UnitStatus[];
  /** Names the device of a channel, as `unitStatus` does; absent: the link has one device. */
  unitOf?(channel: Channel<Address>): string;
  /** Totals since the driver was created, for example `requests`, `timeouts`. */
  counters(): Readonly<Record<string, number>>;
}

/** The parameters of a subscription. */
export interface SubscribeOptions<Address = unknown> {
  readonly channels: readonly Channel<Address>[];
  /**
   * Called with the position of the channel: once for each after the subscription starts, then on each change.
   * Never called after `signal` ended or `onEnd` was called.
   */
  readonly onReading: (index: number, reading: Reading) => void;
  /** Called at most once, if the link is lost or the device ends the subscription. */
  readonly onEnd: (error: ConnectionError) => void;
  /**
   * Requested interval between changes of a channel, in milliseconds; the newest value counts, unless values are queued. If others
   * request shorter ones, a device may report more often.
   */
  readonly minimumIntervalMs: number;
  /** Ends the subscription. If other channels are wanted, another one with all of them begins in the same turn of the event loop. */
  readonly signal: AbortSignal;
}

/** A driver whose device reports changes. */
export interface SubscribingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Subscribes to channels; resolves when the subscription is active.
   *
   * @throws {NoSubscriptionCapacity} when the device has no capacity for it, or no subscriptions
   * @throws {ConnectionError} when there is no link or the device refuses subscriptions as such; a channel that it does
   *   not have gets a failure through `onReading`
   */
  subscribe(options: SubscribeOptions<Address>): Promise<void>;
}

/** True if the device of the driver reports changes. */
export function isSubscribing(driver: Driver): driver is SubscribingDriver {
  return 'subscribe' in driver;
}

/** One interpretation of the bytes at a channel's address. */
export interface Interpretation {
  /** Address fields that select this interpretation, for example `dataType` and `wordOrder`. */
  readonly address: Readonly<Record<string, unknown>>;
  /** Raw value, before scaling. */
  readonly value: ChannelValue;
  /** True if the channel is configured with it. */
  readonly isConfigured: boolean;
}

/** The bytes at a channel's address, with all interpretations. */
export interface Inspection {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly interpretations: readonly Interpretation[];
}

/** A driver that can interpret the raw bytes of a channel. */
export interface InspectingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Reads the bytes at the channel's address and some beyond, for types that are longer than the configured one.
   *
   * @returns the interpretations, or the failure of the read
   * @throws {ConnectionError}
   */
  inspect(
    channel: Channel<Address>,
    signal: AbortSignal,
  ): Promise<Inspection | { readonly failure: ChannelFailure }>;
}

/** True if the driver can interpret the raw bytes of a channel. */
export function isInspecting(driver: Driver): driver is InspectingDriver {
  return 'inspect' in driver;
}

/** A driver that applies some setting changes without reconnecting. */
export interface AdaptingDriver<Address = unknown> extends Driver<Address> {
  /** Applies new settings that `DriverFactory.canAdapt` allows, from the next request. */
  adapt(settings: unknown): void;
}

/** True if the driver applies some setting changes without reconnecting. */
export function isAdapting(driver: Driver): driver is AdaptingDriver {
  return 'adapt' in driver;
}

/** A driver that can scan its link. It only reads, and sends one request at a time. */
export interface ScanningDriver<Address = unknown> extends Driver<Address> {
  /**
   * Scans for devices and their data, interleaved with all other use of the link.
   *
   * @param options conform to `Discovery.optionsSchema`
   * @returns the findings, even if the signal ended the scan
   * @throws {ConnectionError} when the link cannot be used
   */
  scan(options: unknown, run: ScanRun): Promise<Proposal>;
}

/** True if the driver can scan its link. */
export function isScanning(driver: Driver): driver is ScanningDriver {
  return 'scan' in driver;
}

/** The services of the gateway that a driver may use. */
export interface DriverContext {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Directory for the files of this driver type: keys, trust lists. It may not exist yet. */
  readonly dataDirectory: string;
  /** Records that a device was suspended or responds again; called once per change, after `unitStatus` shows it. */
  readonly onUnitChange: (unit: UnitStatus) => void;
  /** Random number in 0..1, for jitter. */
  readonly random: () => number;
}

/** A device that can serve one driver at a time. */
export interface ExclusiveDevice {
  /** Identical for all drivers that use it, for example `192.0.2.7:502` or a serial port path; hidden from clients. */
  readonly name: string;
  /** A serial line always serves one driver; a network device may serve several. */
  readonly isLine: boolean;
}

/** A value that most devices of a type have, to test for a response. */
export interface Probe<Address = unknown> {
  /** Description in protocol terms: `unit 1 HOLDING_REGISTERS 0`. */
  readonly description: FaultReason;
  readonly valueType: ValueType;
  readonly address: Address;
}

/** Input of the search for settings. */
export interface SettingsSearch<Options = unknown> extends Scanning {
  readonly options: Options;
  readonly context: DriverContext;
}

/** Result of a search that reads the devices as well. */
export interface FoundDevice {
  /** Settings for the connection; absent: nothing was found. */
  readonly settings?: Settings;
  readonly proposal: Proposal;
}

/** Discovery of the devices of a driver type, whose drivers are each a {ScanningDriver}. */
export interface Discovery<Options = unknown> {
  /** The options of a scan. */
  readonly optionsSchema: z.ZodType<Options>;
  /** Completes settings that `findSettings` finds, so that they match the driver schema and name the target. Absent: none. */
  fillSettings?(given: Settings): Settings;
  /**
   * Finds missing settings of a connection, for example the speed of a line; nothing else uses the
   * device while it runs. Absent: no setting can be found.
   *
   * @param given settings as provided; they match the driver schema after `fillSettings`, without its defaults
   * @returns the settings for the connection; undefined when none were found, or the signal ended the search
   * @throws {ConnectionError} when the device cannot be reached at all
   */
  findSettings?(given: Settings, search: SettingsSearch<Options>): Promise<Settings | undefined>;
  /**
   * Finds settings and devices of a connection that is not configured, in place of `findSettings` and a scan: for devices that
   * are read to be found, and should not be read twice.
   *
   * @param given as for `findSettings`
   * @throws {ConnectionError} when the device cannot be reached at all
   */
  search?(given: Settings, search: SettingsSearch<Options>): Promise<FoundDevice>;
}

/** A driver type: name, schemas and constructor. */
export interface DriverFactory<Config = unknown, Address = unknown> {
  /** Value of `type` in the configuration. */
  readonly type: string;
  /** True if a bundle provides it: its next version may change the schemas. Absent: built in. */
  readonly isOfBundle?: boolean;
  /** Settings of one connection, without `pid` and `type`. */
  readonly configSchema: z.ZodType<Config>;
  /** `address` of one channel. */
  readonly addressSchema: z.ZodType<Address>;
  /** Returns the endpoint of the driver, without secrets, for example `192.0.2.7:502`. */
  describe(config: Config): string;
  /** Returns the device of the connection if a second driver for it is probably a mistake; does no I/O. */
  findExclusiveDevice?(config: Config): ExclusiveDevice | undefined;
  /**
   * Checks constraints across schemas: address against value type and direction.
   *
   * @returns the errors of the channel, with paths inside it; empty if the driver can serve it
   */
  checkChannel(channel: Channel<Address>): readonly Fault[];
  /** Returns the raw number at an address; of an array, that of an element. Absent: unknown for every address. */
  rawNumberOf?(address: Address): RawNumberAt;
  /** Read by the test of a connection without channels; absent: devices have no common value. */
  readonly probe?: Probe<Address>;
  /** Discovery of devices; absent: not supported. */
  readonly discovery?: Discovery;
  /** True if an {AdaptingDriver} with the settings `before` can apply `after`; absent: never. */
  canAdapt?(before: Config, after: Config): boolean;
  /** Creates a driver; has no side effects and does no I/O. */
  create(config: Config, context: DriverContext): Driver<Address>;
}
