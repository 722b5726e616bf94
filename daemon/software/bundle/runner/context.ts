import type { BundleRecord, BundleWrite, DriverOutcome } from '../../../interface/software/bundle-records.ts';
import type { PlainValue } from '../message/wire-value.ts';

/** Interface of the gateway for a bundle, passed to `activate`. */
export interface BundleContext {
  /** Symbolic name and version, and the two directories that it can read; it can write to `dataDirectory` only. */
  readonly bundle: {
    readonly name: string;
    readonly version: string;
    readonly directory: string;
    readonly dataDirectory: string;
  };
  /** Version of this interface: 2. */
  readonly interfaceVersion: number;
  /** Name of the gateway, for topics and messages: the host name of the machine. */
  readonly gateway: { readonly name: string };
  readonly logger: BundleLogger;
  readonly assets: BundleAssets;
  readonly settings: BundleSettings;
  /** Replaces what `bundle list`, status, metrics and console show of the bundle; sent once a second at most. */
  status(report: BundleReport): void;
  /** Returns the samples of a recorder, in the order in which they were taken. */
  journal(recorder: string): BundleJournal;
  /**
   * Declares all recorders that the bundle reads from now on, for example after a change of settings. The cursors that it has of
   * others are removed once they have not been used for two days: a change that is reverted before loses nothing.
   */
  declareRecorders(recorders: readonly string[]): Promise<void>;
  /**
   * Registers a driver type; resolves when configurations can name it.
   *
   * @throws if the type already exists or its schemas are not supported
   */
  registerDriver(factory: BundleDriverFactory): Promise<void>;
  /**
   * Registers an authentication provider; resolves when it is active.
   *
   * @throws if the manifest lacks the permission `authentication`, or `credentials` for one of the headers
   */
  registerAuthenticationProvider(provider: BundleAuthenticationProvider): Promise<void>;
}

/** Named values of a log line. */
export type BundleLogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Writes to the log of the gateway, under the name of the bundle. */
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
   * @throws if there is no such asset; a failure of a device is in the records
   */
  read(asset: string, channels?: readonly string[]): Promise<readonly PlainRecord[]>;
  /**
   * Writes in the order given; one record per element.
   *
   * @param options `key`: an idempotency key of 1 to 128 visible ASCII characters. The same key and write get the first outcome
   *   again for 24 hours, also after a restart of the gateway, and nothing is written
   */
  write(
    asset: string,
    channels: readonly PlainWrite[],
    options?: { readonly key?: string | undefined },
  ): Promise<readonly PlainRecord[]>;
}

/**
 * The samples of one recorder. Each method throws if the link to the gateway is lost, and an error with the cause
 * `RECORDER_UNKNOWN` while no such recorder is configured: it works as soon as one is.
 */
export interface BundleJournal {
  /** Returns the cursor of the newest entry. */
  tail(): Promise<number>;
  /**
   * Returns the cursor of the last acknowledged entry. A new consumer begins at the tail of its first call, whichever it is, and
   * misses nothing from then on.
   */
  acknowledged(): Promise<number>;
  /**
   * Reads the samples after a cursor that the identity of the bundle may read now, and waits for the first one if there is none.
   *
   * @returns a batch that is empty if nothing came in time, or if there is more to look through
   * @throws with the cause `RECORDER_UNKNOWN` if there is no such recorder after the wait, and no sample of it is left; with
   *   `JOURNAL_CURSOR_INVALID` for a cursor beyond the tail
   */
  read(options?: BundleJournalRead): Promise<JournalBatch>;
  /**
   * Lists the channels that the recorder takes and the identity of the bundle may read now, in configuration order.
   *
   * @param options `known`: revision of a list that the bundle has already
   * @returns undefined if the list with that revision is still the current one
   */
  channels(options?: { readonly known?: string | undefined }): Promise<RecordedChannels | undefined>;
  /** Moves the cursor of the bundle. It is on disk after a second at most: a lost one costs repeats, never loss. It never goes back. */
  acknowledge(cursor: number): Promise<void>;
}

/** What to read of a journal. */
export interface BundleJournalRead {
  /** Default: the last acknowledged entry. */
  readonly after?: number | undefined;
  /** Maximum number of samples and gaps. Default: 5000; at most 10,000. A batch has fewer if they would be longer than a message. */
  readonly limit?: number | undefined;
  /** Milliseconds to wait for a sample. Default: 0; at most 30,000. */
  readonly waitMs?: number | undefined;
  /** Ends the wait with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** Samples in columns: element i of each belongs to sample i. */
export interface JournalBatch {
  readonly series: readonly JournalSeries[];
  /** Numbers of the samples, which only grow; numbers of other recorders are missing. */
  readonly sequences: readonly number[];
  /** Index in `series`. */
  readonly seriesIndexes: readonly number[];
  /** Undefined with quality BAD. LONG is a bigint, BYTE_ARRAY a Uint8Array. */
  readonly values: readonly (PlainValue | undefined)[];
  readonly qualities: readonly JournalQuality[];
  /** Status of the device, or the code of the failure. */
  readonly statuses: readonly (string | undefined)[];
  /** Milliseconds since the epoch; the time of the device if it reports one. */
  readonly timestamps: readonly number[];
  /** Milliseconds since the epoch at which the gateway took each sample. */
  readonly takenAt: readonly number[];
  readonly gaps: readonly JournalGap[];
  /**
   * Cursor to read on after, and to acknowledge when all of it has arrived. It goes past entries of other recorders, and those that
   * the bundle may not read.
   */
  readonly next: number;
  /** Cursor of the newest entry: if `next` equals it, nothing waits. */
  readonly tail: number;
}

/** A recorded channel. */
export interface JournalSeries {
  readonly asset: string;
  readonly channel: string;
  readonly valueType: string;
}

export type JournalQuality = 'GOOD' | 'UNCERTAIN' | 'BAD';

/** Samples that are missing, and why. */
export interface JournalGap {
  readonly sequence: number;
  readonly reason: 'RETENTION' | 'DISK' | 'DAMAGED' | 'STOPPED' | 'DEVICE_LOST';
  /** Absent: all assets. */
  readonly asset?: string | undefined;
  /** Absent: all channels of the asset. */
  readonly channel?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of samples that were taken and are lost, those of other recorders included; 0 if none had been taken. */
  readonly count: number;
}

/** Channels that a recorder takes. */
export interface RecordedChannels {
  /** Another one for another list. */
  readonly revision: string;
  readonly channels: readonly RecordedChannel[];
}

/** A channel that a recorder takes. */
export interface RecordedChannel {
  readonly asset: string;
  readonly channel: string;
  readonly valueType: string;
  /** Engineering unit. */
  readonly unit?: string | undefined;
  /** Limits of writes, in engineering units. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** True if the identity of the bundle may write it now. */
  readonly isWritable: boolean;
}

/** Settings of the bundle, as `Penstock-Settings` describes them and the configuration says. */
export interface BundleSettings {
  /** Valid by the schema of the package, with its defaults; without a schema, empty. */
  readonly current: Readonly<Record<string, unknown>>;
  /**
   * Calls a function with changed settings, one call after the other. If it throws, the status of the bundle shows the error, and
   * the settings stay.
   */
  onChange(listener: (settings: Readonly<Record<string, unknown>>) => Promise<void> | void): void;
}

/** How a bundle is doing. */
export interface BundleReport {
  readonly state: 'OK' | 'WARNING' | 'ERROR';
  /** One line; what exceeds 200 characters is cut off. `de`: the same in German, for the console. */
  readonly detail?: string | undefined;
  readonly de?: { readonly detail: string } | undefined;
  /** At most 32, with names in camelCase. */
  readonly counters?: Readonly<Record<string, number>> | undefined;
  /** At most 32, which `penstock doctor` shows with their remedies. */
  readonly checks?: readonly BundleCheck[] | undefined;
}

/** Result of one check that a bundle makes of what it depends on, such as a server. */
export interface BundleCheck {
  /** What was checked, for example `broker mqtts://broker.example`: one line, at most 100 characters. */
  readonly name: string;
  readonly state: BundleReport['state'];
  /** One line; what exceeds 200 characters is cut off. */
  readonly detail: string;
  /** What the operator can do, as `detail`. */
  readonly remedy?: string | undefined;
  /** The same in German, for the console; what is left out is shown in English. */
  readonly de?: Partial<Record<'name' | 'detail' | 'remedy', string | undefined>> | undefined;
}

/** One value to be written; LONG is a bigint, BYTE_ARRAY a Uint8Array. */
export type PlainWrite = BundleWrite<PlainValue>;

/** Result of one channel in a read or write: a value or a failure. LONG is a bigint, BYTE_ARRAY a Uint8Array. */
export type PlainRecord = BundleRecord<PlainValue>;

/** Reason why a channel has no value or was not written. */
export interface BundleFailure {
  /** Upper case, for example `METER_SILENT`. */
  readonly code: string;
  /** Shown to clients. */
  readonly message: string;
  /** Status of the device in the terms of its protocol; only in results of drivers. */
  readonly status?: string | undefined;
}

/** Driver type. */
export interface BundleDriverFactory {
  /** Value of `type` in configurations. */
  readonly type: string;
  /** Settings of one connection, as JSON Schema. */
  readonly settings: object;
  /** `address` of one channel, as JSON Schema. */
  readonly address: object;
  /** Creates a connection for valid settings; `onLost` may be called if its link is lost outside of a call. */
  create(settings: Readonly<Record<string, unknown>>, onLost: (error: Error) => void): BundleDriver;
}

/** One connection to a device. */
export interface BundleDriver {
  /** Opens the link; throws if that fails. Each signal aborts when the gateway stops waiting. */
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

/** Channel to read or write. */
export interface BundleChannel {
  readonly name: string;
  readonly valueType: string;
  /** Matches the address schema. */
  readonly address: Readonly<Record<string, unknown>>;
}

/** Raw value, before scaling, or the reason why there is none. Default time: now. */
export interface BundleReading {
  readonly value?: PlainValue | undefined;
  readonly failure?: BundleFailure | undefined;
  readonly timestampMs?: number | undefined;
  /** Default: GOOD. A bad value is a failure. */
  readonly quality?: 'GOOD' | 'UNCERTAIN' | undefined;
  /** Status of the value in the terms of the protocol: a letter, then letters, digits, `_`, `.` and `-`. */
  readonly status?: string | undefined;
}

/** Raw value to write to a device. */
export interface BundleWriteRequest {
  readonly channel: BundleChannel;
  readonly value: PlainValue;
}

/** The outcome of one write; without a failure the device has accepted it. */
export interface BundleOutcome {
  readonly failure?: BundleFailure | undefined;
  /**
   * Outcome of a write with a failure: refused by the device, not sent, or unknown. Default: REFUSED for a failure with a status,
   * UNKNOWN for one without.
   */
  readonly outcome?: DriverOutcome | undefined;
  /** The value was sent where the protocol has no confirmation. */
  readonly isUnconfirmed?: boolean | undefined;
  readonly timestampMs?: number | undefined;
}

/** Authentication provider. */
export interface BundleAuthenticationProvider {
  /** Lower values come first: certificate 100, BASIC 200, session 300, bearer 400. */
  readonly priority: number;
  /**
   * Names of the headers that it reads; it is not called for requests without any of them. Headers with credentials require the
   * permission `credentials`.
   */
  readonly headers: readonly string[];
  /** Time limit; a later response counts as "no". Default: 1000. All providers of bundles share 2000 per request. */
  readonly deadlineMs?: number | undefined;
  /** Returns the name of the identity; anything else is "no". Only asset permissions are allowed unless the manifest allows any. */
  authenticate(request: BundleCredentials): string | undefined | Promise<string | undefined>;
  /** Called when the provider becomes active. */
  onEnabled?(): Promise<void> | void;
  /** Called when the provider becomes inactive. Has the time limit of `deactivate`, which starts at the same time. */
  onDisabled?(): Promise<void> | void;
}

/** Parts of a request that a provider receives. */
export interface BundleCredentials {
  readonly remoteAddress: string;
  /** From a verified client certificate; absent without one. */
  readonly certificateCommonNames?: readonly string[] | undefined;
  /** Headers that the provider named and the request has, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The exports of the main module of a bundle. */
export interface BundleModule {
  activate(context: BundleContext): Promise<void> | void;
  /** Has a few seconds for cleanup; then the process is terminated. */
  deactivate?(): Promise<void> | void;
}
