import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { z } from '../base/schema.ts';
import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Proposal, Scanning, ScanRun, Settings } from './discovery.ts';
import type { ConnectionError } from './driver-errors.ts';
import type { ValueQuality } from './quality.ts';
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
  /** What the device says about the value in the words of its protocol, for example `UncertainLastUsableValue`. */
  readonly status?: string | undefined;
  readonly failure?: undefined;
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
  /** The requests of the next read, in their order; absent when the driver asks for each channel alone. */
  describe?(): readonly PlannedRequest[];
}

/** One request of a prepared read, for the people who tune a line. */
export interface PlannedRequest {
  /** The request in the words of the protocol, for example `unit 1 HOLDING_REGISTERS 100-109`. */
  readonly name: string;
  /** Names of the channels that the answer brings. */
  readonly channels: readonly string[];
  /** Bytes on the wire, framing included. */
  readonly requestBytes: number;
  /** Bytes on the wire of an answer without fault, framing included. */
  readonly answerBytes: number;
  /** Milliseconds that both take at the speed of the line, pauses included; absent where the speed is not known. */
  readonly wireMs?: number | undefined;
  /** Milliseconds that the newest exchange took; absent before the first. */
  readonly measuredMs?: number | undefined;
  /** Why the next read does not send it; absent when it does. */
  readonly notSent?: string | undefined;
}

/** Something that one device does not answer, although it answers the rest. */
export interface SilentAddressStatus {
  /** The request in the words of the protocol, for example `HOLDING_REGISTERS 100-109`. */
  readonly address: string;
  readonly operation: 'READ' | 'WRITE';
  /** Milliseconds since the epoch of its first silence. */
  readonly sinceMs: number;
  /** Milliseconds since the epoch from which on it may be asked again. */
  readonly nextAttemptAtMs: number;
}

/** The longest request that one device takes, where it takes no longer ones. */
export interface RequestLimit {
  /** What is requested, in the words of the protocol, for example `HOLDING_REGISTERS`. */
  readonly kind: string;
  /** Most of them in one request that the device answered. */
  readonly maximumQuantity: number;
}

/** State of one device behind a connection, for the people who look after it. */
export interface UnitStatus {
  /** The driver's name for the device, for example `unit 7`. */
  readonly name: string;
  readonly state: 'UNKNOWN' | 'ANSWERING' | 'SUSPENDED';
  /** Text of the newest failure. */
  readonly lastError?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly lastErrorAtMs?: number | undefined;
  /** Milliseconds since the epoch of the first of the silences for which it is suspended; absent otherwise. */
  readonly silentSinceMs?: number | undefined;
  /** Milliseconds since the epoch at which a device that is suspended is asked again. */
  readonly nextProbeAtMs?: number | undefined;
  /** The suspended addresses: the device is silent only there; absent when there are none. */
  readonly silentAddresses?: readonly SilentAddressStatus[] | undefined;
  /** The requests that had to become shorter for the device; absent when there are none. */
  readonly requestLimits?: readonly RequestLimit[] | undefined;
  readonly counters: Readonly<Record<string, number>>;
}

/** A connection to one device or line. It is asked for one thing at a time or many at once; it does its own queueing. */
export interface Driver<Address = unknown> {
  /**
   * Opens the link. Called again after a loss.
   *
   * @param onLost called at most once per connect, when the link is lost while no request runs
   * @throws {ConnectionError}
   */
  connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void>;
  /** Closes the link; calls under way end with failures. Never throws. */
  disconnect(): Promise<void>;
  /** Plans a read; does no I/O. The plan stays usable across reconnects. */
  prepareRead(channels: readonly Channel<Address>[]): PreparedRead;
  /**
   * Makes of each value what is sent, which steps send in the order given; reads where it has to, and changes nothing.
   *
   * @throws {ConnectionError} when the link is down, for a driver that needs it to prepare
   */
  prepareWrite(requests: readonly WriteRequest<Address>[], signal: AbortSignal): Promise<PreparedWrites>;
  /**
   * Whether a text means the value that the newest read of a channel of value type STRING has shown, in the type that the
   * device has; does no I/O. Texts of a time, for example, are the same when they name the same instant.
   *
   * @returns undefined where the driver does not know the type
   */
  isSameText?(channel: Channel<Address>, shown: string, text: string): boolean | undefined;
  /** One entry per device behind the link that was ever asked. */
  unitStatus(): readonly UnitStatus[];
  /** Names the device of a channel, as `unitStatus` does; absent: there is one device behind the link. */
  unitOf?(channel: Channel<Address>): string;
  /** Totals since the driver was made, for example `requests`, `timeouts`. */
  counters(): Readonly<Record<string, number>>;
}

/** The parameters of a subscription. */
export interface SubscribeOptions<Address = unknown> {
  readonly channels: readonly Channel<Address>[];
  /**
   * Called with the position of the channel: once for each soon after the subscription stands, then on each change.
   * Never called after `signal` ended or `onEnd` was called.
   */
  readonly onReading: (index: number, reading: Reading) => void;
  /** Called at most once, when the subscription ends by itself: its link is lost or the device gave it up. */
  readonly onEnd: (error: ConnectionError) => void;
  /** Changes of one channel may be reported this seldom, in milliseconds; unless they are queued, the newest counts. */
  readonly minimumIntervalMs: number;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/** A driver whose device reports changes by itself. */
export interface SubscribingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Has the device report channels; resolves when it does.
   *
   * @throws {ConnectionError} when there is no link or the device refuses subscriptions as such; a channel that it does
   *   not have gets a failure through `onReading`
   */
  subscribe(options: SubscribeOptions<Address>): Promise<void>;
}

/** Whether the driver's device reports changes by itself. */
export function isSubscribing(driver: Driver): driver is SubscribingDriver {
  return 'subscribe' in driver;
}

/** One way to understand the bytes at a channel's address. */
export interface Interpretation {
  /** Fields of the address that make this the meaning, for example `dataType` and `wordOrder`. */
  readonly address: Readonly<Record<string, unknown>>;
  /** Raw value, before scaling. */
  readonly value: ChannelValue;
  /** The channel is configured like this. */
  readonly isConfigured: boolean;
}

/** The bytes at a channel's address and everything that they may mean. */
export interface Inspection {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly interpretations: readonly Interpretation[];
}

/** A driver that can show what the bytes of a channel may mean. */
export interface InspectingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Reads the bytes at the channel's address and some beyond, for types that are longer than the configured one.
   *
   * @returns what they mean, or why they could not be read
   * @throws {ConnectionError}
   */
  inspect(
    channel: Channel<Address>,
    signal: AbortSignal,
  ): Promise<Inspection | { readonly failure: ChannelFailure }>;
}

/** Whether the driver can show what the bytes of a channel may mean. */
export function isInspecting(driver: Driver): driver is InspectingDriver {
  return 'inspect' in driver;
}

/** A driver that takes some changes of its settings while its link stands. */
export interface AdaptingDriver<Address = unknown> extends Driver<Address> {
  /** Takes new settings that `DriverFactory.canAdapt` allows; they hold from the next request on. */
  adapt(settings: unknown): void;
}

/** Whether the driver takes some changes of its settings while its link stands. */
export function isAdapting(driver: Driver): driver is AdaptingDriver {
  return 'adapt' in driver;
}

/** A driver that can find out what is behind its link. It only reads, and sends one request at a time. */
export interface ScanningDriver<Address = unknown> extends Driver<Address> {
  /**
   * Looks for devices and what they have, in turn with everything else that uses the link.
   *
   * @param options conform to `Discovery.optionsSchema`
   * @returns what was found, also when the signal ended the scan
   * @throws {ConnectionError} when the link cannot be used
   */
  scan(options: unknown, run: ScanRun): Promise<Proposal>;
}

/** Whether the driver can find out what is behind its link. */
export function isScanning(driver: Driver): driver is ScanningDriver {
  return 'scan' in driver;
}

/** The services of the gateway that a driver may use. */
export interface DriverContext {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Directory for the files of this kind of driver: keys, trust lists. It may not exist yet. */
  readonly dataDirectory: string;
  /** Records that a device was suspended or answers again; called once per change, after `unitStatus` shows it. */
  readonly onUnitChange: (unit: UnitStatus) => void;
  /** Random number in 0..1, for jitter. */
  readonly random: () => number;
}

/** A device that may serve one driver at a time. */
export interface ExclusiveDevice {
  /** The same for all drivers that use it, for example `192.0.2.7:502` or the path of a serial line; clients do not see it. */
  readonly name: string;
  /** A serial line serves one driver for certain; a network device may serve several. */
  readonly isLine: boolean;
}

/** A value that most devices of a kind have, to find out whether one answers. */
export interface Probe<Address = unknown> {
  /** What it is, in the words of the protocol: `unit 1 HOLDING_REGISTERS 0`. */
  readonly description: string;
  readonly valueType: ValueType;
  readonly address: Address;
}

/** What the search for settings is given. */
export interface SettingsSearch<Options = unknown> extends Scanning {
  readonly options: Options;
  readonly context: DriverContext;
}

/** How devices of a kind of driver are found; its drivers are each a {ScanningDriver}. */
export interface Discovery<Options = unknown> {
  /** The options of a scan. */
  readonly optionsSchema: z.ZodType<Options>;
  /**
   * Finds the settings that a connection needs and that nobody gave, such as the speed of a line; nothing else uses the
   * device meanwhile. Absent: there are none to find.
   *
   * @param given settings as they were given; they fit the schema of the driver, whose defaults are not filled in
   * @returns the settings for the connection; undefined when none were found, or the signal ended the search
   * @throws {ConnectionError} when the device cannot be reached at all
   */
  findSettings?(given: Settings, search: SettingsSearch<Options>): Promise<Settings | undefined>;
}

/** A kind of driver: its name, its two schemas, and how to make one. */
export interface DriverFactory<Config = unknown, Address = unknown> {
  /** Value of `type` in the configuration. */
  readonly type: string;
  /** Whether a bundle brings it, whose next version may bring other schemas; absent: it is one of the gateway. */
  readonly isOfBundle?: boolean;
  /** Settings of one connection, without `pid` and `type`. */
  readonly configSchema: z.ZodType<Config>;
  /** `address` of one channel. */
  readonly addressSchema: z.ZodType<Address>;
  /** Returns where the driver connects to, without secrets, for example `192.0.2.7:502`. */
  describe(config: Config): string;
  /** Returns the device of the connection, where another driver for it is likely to be a mistake; does no I/O. */
  findExclusiveDevice?(config: Config): ExclusiveDevice | undefined;
  /**
   * Checks what neither schema can check alone: address against value type and direction.
   *
   * @returns what is wrong with the channel, with the path inside it; empty when the driver can serve it
   */
  checkChannel(
    channel: Channel<Address>,
  ): readonly { readonly path: readonly string[]; readonly message: string }[];
  /** Asked for when a connection is tested that serves no channel yet; absent: devices have nothing in common. */
  readonly probe?: Probe<Address>;
  /** How devices of this kind are found; absent: they cannot be. */
  readonly discovery?: Discovery;
  /** Whether an {AdaptingDriver} with the settings `before` can take `after`; absent: never. */
  canAdapt?(before: Config, after: Config): boolean;
  /** Creates a driver; has no side effects and does no I/O. */
  create(config: Config, context: DriverContext): Driver<Address>;
}
