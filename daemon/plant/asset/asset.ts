import type { Clock } from '../../base/clock.ts';
import { Unavailable } from '../../base/errors.ts';
import { isWithinShare } from '../../base/sharing/fair-share.ts';
import type { RandomSource } from '../../base/random.ts';
import { isReadable } from '../../channel/channel.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import type { InspectingDriver } from '../../channel/driver.ts';
import { AssetWriter } from './write/asset-writer.ts';
import { toSlot } from './read/channel-slot.ts';
import type { Deliver } from './read/channel-source.ts';
import type { ConditionContext } from './write/write-preconditions.ts';
import type { DriverConnection } from './connection/driver-connection.ts';
import { FailingChannels } from './failing-channels.ts';
import type { FailingChannel } from './failing-channels.ts';
import { LastKnownValues } from './read/last-known-values.ts';
import type { SeenRecord } from './read/last-known-values.ts';
import type { ListenEndReason, ListenRequest } from './read/subscriber-feed.ts';
import { Subscription } from './read/subscription.ts';
import type { ListenerControl, SubscriptionStatus } from './read/subscription.ts';
import type { AssetConfig } from './plant-config.ts';
import { PollingSource } from './read/polling-source.ts';
import type { ChannelWrite } from './write/prepared-write.ts';
import { ReadSelection } from './read/read-selection.ts';
import type { ReadResult, RoundPlan } from './read/read-selection.ts';
import { SubscribingSource } from './read/subscribing-source.ts';

/** Records of a read, and their maximum age. */
export interface AssetReading {
  readonly records: readonly ChannelRecord[];
  readonly ageMs: number;
}

/** Age that records of a sample may have. */
export interface SampleAge {
  /** Clock.monotonicMs() after which they were read. */
  readonly sinceMs: number;
  /** Longest interval of a subscription whose reports count. */
  readonly intervalMs: number;
}

/** Options of a write. */
export interface AssetWriteOptions {
  readonly isDryRun?: boolean;
  readonly ending?: AbortSignal | undefined;
}

// Maximum queued rounds and writes of one asset; equal reads share a round and count once.
const OPERATION_LIMIT = 64;
// Bundles, subscriptions and commissioning share one requester.
const ITSELF = '';
// Cached read plans: enough for a few pollers that repeat their lists of channels.
const SELECTION_LIMIT = 64;
const KEPT_NAMES_LIMIT = 2000;

interface AssetRuntime extends Pick<ConditionContext, 'findSource' | 'lastWrites'> {
  readonly clock: Clock;
  /** Default: the random source of the system. */
  readonly random?: RandomSource | undefined;
}

/** Reads and writes channels of one device; device failures appear in the records, never as errors. */
export class Asset {
  readonly config: AssetConfig;
  readonly connection: DriverConnection;
  readonly #clock: Clock;
  readonly #random: RandomSource | undefined;
  readonly #runtime: AssetRuntime;
  // Created lazily: in a large plant most assets may stay unused for long.
  #channelMap: ReadonlyMap<string, Channel> | undefined;
  #assetWriter: AssetWriter | undefined;
  readonly #selections = new Map<string, ReadSelection>();
  #all: ReadSelection | undefined;
  // Number of operations by requester; equal reads count for the first requester.
  readonly #operations = new Map<string, number>();
  #subscription: Subscription | undefined;
  readonly #failing: FailingChannels;

  constructor(config: AssetConfig, connection: DriverConnection, runtime: AssetRuntime) {
    const { clock, random } = runtime;
    this.config = config;
    this.connection = connection;
    this.#clock = clock;
    this.#random = random;
    this.#runtime = runtime;
    this.#failing = new FailingChannels({ asset: config, connection });
  }

  get #channels(): ReadonlyMap<string, Channel> {
    this.#channelMap ??= new Map(this.config.channels.map((channel) => [channel.name, channel]));
    return this.#channelMap;
  }

  get #writer(): AssetWriter {
    this.#assetWriter ??= this.#createWriter();
    return this.#assetWriter;
  }

  /** Names of the enabled, readable channels, in configuration order. */
  get sampledNames(): readonly string[] {
    return this.config.channels.filter(isSampled).map(({ name }) => name);
  }

  /** Returns the channel of that name; undefined if unknown. */
  findChannel(name: string): Channel | undefined {
    return this.#channels.get(name);
  }

  /**
   * Reads every enabled, readable channel, in configuration order.
   *
   * @param maxAgeMs accepts values up to this age; 0 reads the device
   * @param requester client whose quota of the asset is used; absent: the gateway itself
   * @throws {Unavailable} `ASSET_OVERLOADED`
   */
  readAll(maxAgeMs = 0, requester = ITSELF): Promise<AssetReading> {
    return this.#read(this.#selectAll(), maxAgeMs, requester);
  }

  /**
   * Reads the named channels, each once, in the order of their first mention.
   *
   * @returns one record per name; a failure if the channel is unknown, disabled or not readable
   * @throws {Unavailable} `ASSET_OVERLOADED`
   */
  read(names: readonly string[], maxAgeMs = 0, requester = ITSELF): Promise<AssetReading> {
    return this.#read(this.#findSelection([...new Set(names)]), maxAgeMs, requester);
  }

  /**
   * Returns the newest record of channels. Nothing is read from the device if others have read all of them since a moment, or a
   * subscription reports them as often.
   *
   * @param names as for `read`; absent: every enabled, readable channel
   * @throws {Unavailable} `ASSET_OVERLOADED`
   */
  async sample(
    names: readonly string[] | undefined,
    { sinceMs, intervalMs }: SampleAge,
  ): Promise<readonly ChannelRecord[]> {
    const channels = names ?? this.sampledNames;
    const seen: ChannelRecord[] = [];
    for (const name of channels) {
      const record = this.#findSince(name, { sinceMs, intervalMs });
      if (record === undefined) break;
      seen.push(record);
    }
    if (seen.length === channels.length) return seen;
    const { records } = names === undefined ? await this.readAll() : await this.read(names);
    return records;
  }

  /**
   * Writes in the order given, as `AssetWriter` does; every value is sent to the device at most once.
   *
   * @param options `isDryRun`: nothing is sent, and the records show the expected result; `ending`: see `AssetWriter`
   * @returns one record per write, in the same order, with the requested value, even if it was not written
   * @throws {Unavailable} `ASSET_OVERLOADED`; nothing was written
   */
  async write(
    writes: readonly ChannelWrite[],
    requester = ITSELF,
    { isDryRun = false, ending }: AssetWriteOptions = {},
  ): Promise<readonly ChannelRecord[]> {
    const occupy = <T>(work: () => Promise<T>): Promise<T> => this.#occupy(requester, work);
    const records = await this.#writer.write(writes, { isDryRun, ending, occupy });
    for (const selection of this.#selections.values()) selection.forgetLatest();
    this.#all?.forgetLatest();
    return records;
  }

  /**
   * Returns the requests that a read sends to the device; does no I/O.
   *
   * @param names as for `read`; absent: the requests of `readAll`, with every channel that it leaves out
   */
  describeRead(names?: readonly string[]): RoundPlan {
    if (names !== undefined) return this.#findSelection([...new Set(names)]).describe();
    const refused = this.config.channels.map(toSlot).filter((slot) => 'failure' in slot);
    return { ...this.#selectAll().describe(), refused };
  }

  /**
   * Reads the bytes at the address of a channel, whatever its type.
   *
   * @param driver that of the connection
   * @throws {ConnectionError} when there is no link
   * @throws {Unavailable} `ASSET_OVERLOADED`
   */
  inspect(channel: Channel, driver: InspectingDriver): ReturnType<InspectingDriver['inspect']> {
    return this.#occupy(ITSELF, () => this.connection.call((signal) => driver.inspect(channel, signal)));
  }

  /** Subscribes a client to channels; unknown and unreadable ones are failures in the snapshot, as in a read. */
  listen(request: ListenRequest): ListenerControl {
    this.#subscription ??= this.#createSubscription();
    return this.#subscription.add(request);
  }

  /** Ends all subscriptions and notifies the clients of the reason. */
  endListening(reason: ListenEndReason): void {
    this.#subscription?.end(reason);
    this.#subscription = undefined;
  }

  /** Returns the delivery mode for the subscribed clients; undefined without any. */
  subscriptionStatus(): SubscriptionStatus | undefined {
    return this.#subscription?.status();
  }

  /** Lists the channels whose newest read by any client returned no value although the device responds; does no I/O. */
  listFailing(): readonly FailingChannel[] {
    return this.#failing.list();
  }

  #createWriter(): AssetWriter {
    const { pid, scaleOnWrite } = this.config;
    const { connection } = this;
    const channels = this.#channels;
    const known = new LastKnownValues({
      listSeen: (name) => this.#listSeen(name),
      findReported: (name) => this.#subscription?.findReported(name),
      clock: this.#clock,
    });
    return new AssetWriter({ ...this.#runtime, pid, scaleOnWrite, connection, channels, known });
  }

  #createSubscription(): Subscription {
    const { connection } = this;
    const clock = this.#clock;
    return new Subscription({
      channels: this.#channels,
      createSource: (deliver) => {
        const polling = new PollingSource({ read: (names) => this.read(names), deliver, clock });
        return connection.canSubscribe
          ? new SubscribingSource({ connection, deliver: this.#noting(deliver), polling, clock })
          : polling;
      },
      onIdle: () => {
        this.#subscription = undefined;
      },
      clock,
      random: this.#random,
    });
  }

  // Polled devices are tracked by their read rounds.
  #noting(deliver: Deliver): Deliver {
    return (records) => {
      this.#failing.note(records);
      deliver(records);
    };
  }

  #findSince(name: string, { sinceMs, intervalMs }: SampleAge): ChannelRecord | undefined {
    const isReported = (this.#subscription?.status().intervalMs ?? Infinity) <= intervalMs;
    const reported = isReported ? this.#subscription?.findReported(name) : undefined;
    if (reported !== undefined) return reported;
    let newest: SeenRecord | undefined;
    for (const seen of this.#listSeen(name)) {
      if (seen.startedAtMs > (newest?.startedAtMs ?? sinceMs)) newest = seen;
    }
    return newest?.record;
  }

  #listSeen(name: string): readonly SeenRecord[] {
    const selections = [...this.#selections.values(), ...(this.#all === undefined ? [] : [this.#all])];
    return selections.flatMap((selection) => selection.findSeen(name) ?? []);
  }

  #selectAll(): ReadSelection {
    this.#all ??= this.#select(this.config.channels.filter(isSampled));
    return this.#all;
  }

  #select(channels: readonly (Channel | { readonly name: string })[]): ReadSelection {
    const { connection } = this;
    const clock = this.#clock;
    return new ReadSelection(channels, {
      connection,
      clock,
      onRound: (records) => this.#failing.note(records),
    });
  }

  #findSelection(names: readonly string[]): ReadSelection {
    const key = names.length <= KEPT_NAMES_LIMIT ? JSON.stringify(names) : '';
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const selection = this.#select(names.map((name) => this.#channels.get(name) ?? { name }));
    if (key === '' || names.some((name) => !this.#channels.has(name))) return selection;
    if (this.#selections.size >= SELECTION_LIMIT) {
      const [oldest] = this.#selections.keys();
      if (oldest !== undefined) this.#selections.delete(oldest);
    }
    this.#selections.set(key, selection);
    return selection;
  }

  async #read(selection: ReadSelection, maxAgeMs: number, requester: string): Promise<AssetReading> {
    const latest = maxAgeMs > 0 ? selection.findLatest(maxAgeMs) : undefined;
    if (latest !== undefined) {
      return { records: latest.records, ageMs: this.#clock.monotonicMs() - latest.startedAtMs };
    }
    const { records } = selection.wouldStartRound
      ? await this.#occupy<ReadResult>(requester, () => selection.read())
      : await selection.read();
    return { records, ageMs: 0 };
  }

  async #occupy<T>(requester: string, work: () => Promise<T>): Promise<T> {
    const used = [...this.#operations.values()].reduce((sum, count) => sum + count, 0);
    const own = this.#operations.get(requester) ?? 0;
    if (!isWithinShare({ own, used, maximum: OPERATION_LIMIT }, 1)) {
      const detail = `asset "${this.config.pid}" has ${used} queued operations; try again later`;
      throw new Unavailable({ code: 'ASSET_OVERLOADED', detail, retryAfterSeconds: 1 });
    }
    this.#operations.set(requester, own + 1);
    try {
      return await work();
    } finally {
      const left = (this.#operations.get(requester) ?? 0) - 1;
      if (left > 0) this.#operations.set(requester, left);
      else this.#operations.delete(requester);
    }
  }
}

function isSampled(channel: Channel): boolean {
  return channel.isEnabled && isReadable(channel);
}
