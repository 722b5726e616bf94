import type { Clock } from '../../../base/clock.ts';
import type { RandomSource } from '../../../base/random.ts';
import { isReadable } from '../../../channel/channel.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import { createChangeHistory } from '../change-history.ts';
import type { ChangeHistory } from '../change-history.ts';
import { toSlot } from './channel-slot.ts';
import type { ChannelSource, Deliver } from './channel-source.ts';
import { SubscriptionDemand } from './subscription-demand.ts';
import { SubscriberFeed } from './subscriber-feed.ts';
import type { ListenEndReason, ListenRequest } from './subscriber-feed.ts';
import { mustReport } from '../write/record-change.ts';

export interface SubscriptionOptions {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly createSource: (deliver: Deliver) => ChannelSource;
  /** Called once, when the subscription has ended because all demands expired. */
  readonly onIdle: () => void;
  readonly clock: Clock;
  /** Default: the random source of the system. */
  readonly random?: RandomSource | undefined;
}

/** Controls the feed of one client. */
export interface ListenerControl {
  /** Resumes sending after the client has read its events. */
  resume(): void;
  /** Removes the client. */
  stop(): void;
}

/** Delivery mode of an asset for the subscribed clients. */
export interface SubscriptionStatus {
  readonly mode: ChannelSource['mode'];
  readonly isActive: boolean;
  /** Reason that a device which reports changes is polled. */
  readonly refusal?: string | undefined;
  readonly listeners: number;
  readonly channels: number;
  /** Infinity without a channel to follow. */
  readonly intervalMs: number;
}

interface Member {
  readonly feed: SubscriberFeed;
  readonly request: ListenRequest;
  /** Channels that the snapshot still waits for; undefined after the first event. */
  missing: Set<string> | undefined;
}

// A device that does not report one channel must not delay the snapshot of all the others.
const SNAPSHOT_DEADLINE_MS = 10_000;
const NOTHING_YET: ChannelFailure = {
  code: 'VALUE_PENDING',
  message: 'the device has not reported a value yet',
};

/**
 * Serves all subscribers of one asset: its channels are followed once for all of them, at the shortest interval
 * requested, and each receives its part of one history.
 */
export class Subscription {
  readonly #options: SubscriptionOptions;
  readonly #history: ChangeHistory;
  readonly #source: ChannelSource;
  readonly #demand: SubscriptionDemand;
  readonly #members = new Set<Member>();
  readonly #latest = new Map<string, ChannelRecord>();
  // Position in the history since which each channel has been followed without a break.
  readonly #followedSince = new Map<string, number>();
  #intervalMs = Infinity;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#history = createChangeHistory({ random: options.random });
    this.#source = options.createSource((records) => this.#take(records));
    this.#demand = new SubscriptionDemand({
      clock: options.clock,
      onChange: () => this.#follow(false),
      onIdle: () => {
        this.#source.stop();
        options.onIdle();
      },
    });
  }

  /** Adds a client: its first event is a snapshot, unless it resumes after a known event. */
  add(request: ListenRequest): ListenerControl {
    const { channels, clock } = this.#options;
    const names = new Set(request.names ?? [...channels.values()].filter(isFollowed).map(({ name }) => name));
    const followed = [...names].filter((name) => isFollowed(channels.get(name)));
    const feed = new SubscriberFeed({
      request,
      history: this.#history,
      takeSnapshot: () => [...names].map((name) => this.#recordOf(name)),
      names,
      clock,
    });
    const member: Member = { feed, request, missing: undefined };
    const resumed = this.#findResumable(request.lastEventId, followed);
    if (resumed === undefined) {
      const { minimumIntervalMs } = request;
      member.missing = new Set(followed.filter((name) => this.#isAwaited(name, minimumIntervalMs)));
    }
    const leave = this.#demand.add({ names: followed, intervalMs: request.minimumIntervalMs });
    this.#members.add(member);
    this.#follow(resumed === undefined);
    const cancelDeadline = clock.schedule(SNAPSHOT_DEADLINE_MS, () => this.#begin(member));
    if (resumed !== undefined) feed.resumeAfter(resumed);
    else {
      if (request.lastEventId !== undefined) feed.sendGap('ID_UNKNOWN');
      if (member.missing?.size === 0) this.#begin(member);
    }
    return {
      resume: () => feed.pump(),
      stop: () => {
        if (!this.#members.delete(member)) return;
        cancelDeadline();
        feed.stop();
        leave();
      },
    };
  }

  /** Returns the newest record of a channel that a subscription reported. */
  findReported(name: string): ChannelRecord | undefined {
    return this.#source.mode === 'SUBSCRIBE' ? this.#latest.get(name) : undefined;
  }

  /** Ends the subscription and notifies every client of the reason. */
  end(reason: ListenEndReason): void {
    this.#source.stop();
    const members = [...this.#members];
    this.#members.clear();
    this.#demand.stop();
    for (const { feed, request } of members) {
      feed.stop();
      request.output.end(reason);
    }
  }

  status(): SubscriptionStatus {
    return {
      mode: this.#source.mode,
      isActive: this.#source.isActive,
      refusal: this.#source.refusal,
      listeners: this.#members.size,
      channels: this.#followedSince.size,
      intervalMs: this.#intervalMs,
    };
  }

  /** Adapts the source to the current demand; does nothing if it is unchanged and no client waits for a record. */
  #follow(isRecordWanted: boolean): void {
    const { names, intervalMs } = this.#demand.combine();
    const isSame =
      intervalMs === this.#intervalMs && names.symmetricDifference(this.#followedSince).size === 0;
    if (isSame && !(isRecordWanted && this.#source.mode === 'POLL')) return;
    for (const name of this.#followedSince.keys()) {
      if (names.has(name)) continue;
      this.#followedSince.delete(name);
      this.#latest.delete(name);
    }
    for (const name of names) {
      if (!this.#followedSince.has(name)) this.#followedSince.set(name, this.#history.end);
    }
    if (intervalMs < this.#intervalMs) this.#forgetValues();
    this.#intervalMs = intervalMs;
    const channels = [...this.#options.channels.values()].filter(({ name }) => names.has(name));
    if (channels.length === 0) this.#source.stop();
    else this.#source.follow({ channels, intervalMs });
  }

  // A client with a shorter interval must not receive values as old as the others accept, however long the next ones take.
  #forgetValues(): void {
    for (const [name, { failure }] of this.#latest) if (failure === undefined) this.#latest.delete(name);
  }

  #take(records: readonly ChannelRecord[]): void {
    const followed = records.filter(({ name }) => this.#followedSince.has(name));
    const changed = followed.filter((record) => {
      const previous = this.#latest.get(record.name);
      this.#latest.set(record.name, record);
      return previous === undefined || mustReport(previous, record, 0);
    });
    if (changed.length > 0)
      this.#history.append({ records: changed, atMs: this.#options.clock.monotonicMs() });
    for (const member of this.#members) {
      for (const { name } of followed) member.missing?.delete(name);
      if (member.missing?.size === 0) this.#begin(member);
      else member.feed.pump();
    }
  }

  #begin(member: Member): void {
    if (member.missing === undefined || !this.#members.has(member)) return;
    member.missing = undefined;
    member.feed.sendSnapshot();
  }

  // Reported values are at most as old as their interval; if that is longer than a new client requests,
  // and for polled devices, the client receives the next ones.
  #isAwaited(name: string, intervalMs: number): boolean {
    return this.#source.mode === 'POLL' || this.#intervalMs > intervalMs || !this.#latest.has(name);
  }

  #findResumable(id: string | undefined, names: readonly string[]): number | undefined {
    const position = id === undefined ? undefined : this.#history.findPosition(id);
    if (position === undefined) return undefined;
    const isFollowedSince = (name: string): boolean =>
      (this.#followedSince.get(name) ?? Infinity) <= position;
    return names.every(isFollowedSince) ? position : undefined;
  }

  #recordOf(name: string): ChannelRecord {
    const timestampMs = this.#options.clock.epochMs();
    const slot = toSlot(this.#options.channels.get(name) ?? { name });
    if (!('scaling' in slot)) return { ...slot, timestampMs };
    const { channel } = slot;
    return this.#latest.get(name) ?? { channel, name, failure: NOTHING_YET, timestampMs };
  }
}

function isFollowed(channel: Channel | undefined): boolean {
  return channel !== undefined && channel.isEnabled && isReadable(channel);
}
