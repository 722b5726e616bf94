import type { BundleRecord, BundleWrite, DriverOutcome } from '../../../interface/software/bundle-records.ts';
import type { PlainValue } from '../message/wire-value.ts';

/** The part of the gateway that a bundle may use; it receives it when it is activated. */
export interface BundleContext {
  /** Symbolic name and version, and the two directories that it can read; it can write to `dataDirectory` only. */
  readonly bundle: {
    readonly name: string;
    readonly version: string;
    readonly directory: string;
    readonly dataDirectory: string;
  };
  readonly logger: BundleLogger;
  readonly assets: BundleAssets;
  /**
   * Offers a kind of driver; resolves when configurations can name it.
   *
   * @throws when the kind exists already or its schemas are not understood
   */
  registerDriver(factory: BundleDriverFactory): Promise<void>;
  /**
   * Offers a way to prove who sent a request; resolves when it takes part.
   *
   * @throws when the manifest lacks the permission `authentication`, or `credentials` for one of the fields
   */
  registerAuthenticationProvider(provider: BundleAuthenticationProvider): Promise<void>;
}

/** Named values of a log line. */
export type BundleLogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Writes into the log of the gateway, under the name of the bundle. */
export interface BundleLogger {
  debug(message: string, fields?: BundleLogFields): void;
  info(message: string, fields?: BundleLogFields): void;
  warn(message: string, fields?: BundleLogFields): void;
  error(message: string, fields?: BundleLogFields): void;
}

/** Reads and writes the assets of the gateway. */
export interface BundleAssets {
  /**
   * Reads now.
   *
   * @param channels names; absent: all channels of the asset that can be read
   * @returns one record per channel
   * @throws when there is no such asset; a device that fails shows in the records
   */
  read(asset: string, channels?: readonly string[]): Promise<readonly PlainRecord[]>;
  /** Writes in the order given; one record per element. */
  write(asset: string, channels: readonly PlainWrite[]): Promise<readonly PlainRecord[]>;
}

/** One value to be written; LONG is a bigint, BYTE_ARRAY a Uint8Array. */
export type PlainWrite = BundleWrite<PlainValue>;

/** The result of one channel in a read or write: a value, of which LONG is a bigint and BYTE_ARRAY a Uint8Array, or a failure. */
export type PlainRecord = BundleRecord<PlainValue>;

/** Why a channel has no value or was not written. */
export interface BundleFailure {
  /** Upper case, for example `METER_SILENT`. */
  readonly code: string;
  /** Shown to clients. */
  readonly message: string;
  /** The answer of the device in the words of its protocol; only in what a driver returns. */
  readonly status?: string | undefined;
}

/** A kind of driver. */
export interface BundleDriverFactory {
  /** Value of `type` in configurations. */
  readonly type: string;
  /** Settings of one connection, as JSON Schema. */
  readonly settings: object;
  /** `address` of one channel, as JSON Schema. */
  readonly address: object;
  /** Creates a connection for valid settings; `onLost` may be called when its link is lost while no call is under way. */
  create(settings: Readonly<Record<string, unknown>>, onLost: (error: Error) => void): BundleDriver;
}

/** One connection to a device. */
export interface BundleDriver {
  /** Opens the link; throws when that fails. Each signal aborts when the gateway waits no longer. */
  connect?(signal: AbortSignal): Promise<void> | void;
  /** Closes the link. */
  disconnect?(): Promise<void> | void;
  /**
   * Reads now.
   *
   * @returns one reading per channel, in their order
   * @throws when the link is lost
   */
  read(
    channels: readonly BundleChannel[],
    signal: AbortSignal,
  ): Promise<readonly BundleReading[]> | readonly BundleReading[];
  /** Writes in the order given, each value at most once; absent: nothing can be written. */
  write?(
    requests: readonly BundleWriteRequest[],
    signal: AbortSignal,
  ): Promise<readonly BundleOutcome[]> | readonly BundleOutcome[];
}

/** A channel that the gateway asks a driver for. */
export interface BundleChannel {
  readonly name: string;
  readonly valueType: string;
  /** Fits the schema of addresses. */
  readonly address: Readonly<Record<string, unknown>>;
}

/** One raw value, before scaling, or why there is none; now, unless it says when. */
export interface BundleReading {
  readonly value?: PlainValue | undefined;
  readonly failure?: BundleFailure | undefined;
  readonly timestampMs?: number | undefined;
  /** GOOD when not given; a value that is bad is a failure. */
  readonly quality?: 'GOOD' | 'UNCERTAIN' | undefined;
  /** What the device says about the value in the words of its protocol: a letter, then letters, digits, `_`, `.` and `-`. */
  readonly status?: string | undefined;
}

/** One raw value on its way to a device. */
export interface BundleWriteRequest {
  readonly channel: BundleChannel;
  readonly value: PlainValue;
}

/** The outcome of one write; without a failure the device has accepted it. */
export interface BundleOutcome {
  readonly failure?: BundleFailure | undefined;
  /**
   * What became of a write with a failure: the device said no, nothing was sent, or it was sent and nobody knows. Not given,
   * a failure with a status counts as the answer of the device, and one without as unknown.
   */
  readonly outcome?: DriverOutcome | undefined;
  /** The value was sent where the protocol has no confirmation. */
  readonly isUnconfirmed?: boolean | undefined;
  readonly timestampMs?: number | undefined;
}

/** A way to prove an identity. */
export interface BundleAuthenticationProvider {
  /** Lower is asked earlier: certificate 100, BASIC 200, session 300, bearer 400. */
  readonly priority: number;
  /**
   * Names of the header fields that it needs to see; it is not asked about a request that has none of them. Fields with
   * credentials need the permission `credentials`.
   */
  readonly headers: readonly string[];
  /** An answer that takes longer counts as "no"; 1000 when not given. All providers of bundles share 2000 for a request. */
  readonly deadlineMs?: number | undefined;
  /** Returns the name of the identity, one with permissions for assets only unless the manifest allows any; anything else is "no". */
  authenticate(request: BundleCredentials): string | undefined | Promise<string | undefined>;
  /** The provider takes part from now on. */
  onEnabled?(): Promise<void> | void;
  /** The provider is not asked any more. Has as long as `deactivate`, which begins at the same time. */
  onDisabled?(): Promise<void> | void;
}

/** The part of a request that a provider is shown. */
export interface BundleCredentials {
  readonly remoteAddress: string;
  /** Of a verified client certificate; absent without one. */
  readonly certificateCommonNames?: readonly string[] | undefined;
  /** Those that the provider named and the request has, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The exports of the main module of a bundle. */
export interface BundleModule {
  activate(context: BundleContext): Promise<void> | void;
  /** Has a few seconds to put things in order; then the process is ended. */
  deactivate?(): Promise<void> | void;
}
