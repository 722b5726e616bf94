import { isDeepStrictEqual } from 'node:util';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Reading, SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { createItemRequests, pairChannels, toSamplingInterval, toWantedItem } from './monitored-items.ts';
import type { CreatedItem, ItemRequest, RefusedItem, RevisedItem } from './monitored-items.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { isNothingDone, ServiceRefused } from '../opcua-errors.ts';
import { createChannelReader } from '../opcua-read.ts';
import { workInParts } from '../session/request-parts.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { getNodeId } from '../value/node-id.ts';
import { toRefusedReading } from '../value/reading.ts';
import type { ChannelReader, DataValueLike } from '../value/reading.ts';
import { CREATE_ITEMS, createItems, modifyItems } from './server-items.ts';
import type { ItemChange, ItemCreation } from './server-items.ts';
import type { ServerSubscription } from './server-subscription.ts';

export interface MemberOptions {
  readonly session: OpcuaSession;
  readonly config: OpcuaConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly subscribe: SubscribeOptions<OpcuaAddress>;
  /** Assigns a client handle to a channel of the member, by index; returns the given one, or a new one. */
  readonly assignHandle: (index: number, handle?: number) => number;
  /** Deletes items that the member does not need. */
  readonly deleteItems: (itemIds: readonly number[]) => void;
}

/** A channel without an item. */
interface RefusedChannel extends RefusedItem {
  /** StatusCode of the server. */
  readonly status?: string | undefined;
}

const NO_ROOM = 'BadTooManyMonitoredItems';
// Changes that are kept for the next subscriber; with more, it begins again without them.
const MAXIMUM_MISSED = 10_000;
// The session in which the value was reported did not know its type; another one may.
const TYPE_FAULTS: ReadonlySet<string | undefined> = new Set([
  'OPCUA_TYPE_UNAVAILABLE',
  'OPCUA_UNSUPPORTED_TYPE',
]);

/**
 * Channels of one subscriber: their items in a subscription that others may share. After the subscriber has left, the member
 * keeps the items and their changes for the next one.
 */
export class SubscriptionMember {
  readonly #options: MemberOptions;
  /** By channel index. */
  readonly #readers: readonly ChannelReader[];
  /** Sampling interval of channels without one of their own. */
  readonly #samplingIntervalMs: number;
  /** Channels that the server does not monitor, by index. */
  readonly #missing: Map<number, Channel<OpcuaAddress>>;
  /** Client handles of items that are created or requested, by channel index. */
  readonly #handles = new Map<number, number>();
  /** Created items, by channel index. */
  readonly #items = new Map<number, CreatedItem>();
  /** Last reading of each channel, by index. */
  readonly #last = new Map<number, Reading>();
  /** Changes since the subscriber left. */
  #missed: (readonly [index: number, value: DataValueLike])[] = [];
  readonly #stopping = new AbortController();
  #cancelRetry: Cancel | undefined;
  #cancelExpiry: Cancel | undefined;
  #creations = 0;
  #settled: Promise<void> = Promise.resolve();
  #hasUnknownItems = false;
  #isEnded = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    const { config, session, subscribe } = options;
    this.#readers = subscribe.channels.map((channel) => createChannelReader(channel, { config, session }));
    this.#samplingIntervalMs = toSamplingInterval(config, subscribe.minimumIntervalMs);
    this.#missing = new Map(subscribe.channels.entries());
  }

  /** True if nothing more is reported to the subscriber. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Aborts when the items are no longer kept. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Resolves when no creation of items is pending. Never rejects. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  get subscribe(): SubscribeOptions<OpcuaAddress> {
    return this.#options.subscribe;
  }

  /** MonitoredItemIds of the created items. */
  get itemIds(): readonly number[] {
    return Array.from(this.#items.values(), ({ itemId }) => itemId);
  }

  /** Client handles of the items that are created or requested. */
  get handles(): Iterable<number> {
    return this.#handles.values();
  }

  /** True if a creation of items got no usable response. */
  get hasLostItems(): boolean {
    return this.#hasUnknownItems;
  }

  /** True if the server may have items of the member whose ids are unknown, because it did not respond. */
  get hasUnknownItems(): boolean {
    return this.#hasUnknownItems || this.#creations > 0;
  }

  /** True if the subscriber has left, and the next one can inherit every item with its changes. */
  get canReturn(): boolean {
    return this.#isOffered && !this.hasUnknownItems;
  }

  /** True if the subscriber has left, and the member has nothing that the next one could inherit. */
  get isSpent(): boolean {
    return this.#isEnded && this.#items.size === 0 && this.#creations === 0;
  }

  get #isOffered(): boolean {
    return this.#isEnded && !this.stopped.aborted && this.#missed.length <= MAXIMUM_MISSED;
  }

  /**
   * Inherits items of a subscriber that has left, for the channels without an item, and reports the last value of each and all
   * changes since.
   */
  inherit(predecessor: SubscriptionMember): void {
    if (!predecessor.#isOffered || this.#missing.size === 0) return;
    const taken = new Map<number, number>();
    for (const [index, offeredIndex] of pairChannels(this.#findHeirs(predecessor), predecessor.#offer())) {
      const item = predecessor.#items.get(offeredIndex);
      const handle = predecessor.#handles.get(offeredIndex);
      if (item === undefined || handle === undefined) continue;
      predecessor.#items.delete(offeredIndex);
      predecessor.#handles.delete(offeredIndex);
      this.#items.set(index, item);
      this.#handles.set(index, this.#options.assignHandle(index, handle));
      this.#missing.delete(index);
      taken.set(offeredIndex, index);
    }
    const missed = predecessor.#missed;
    predecessor.#missed = missed.filter(([index]) => !taken.has(index));
    for (const [offeredIndex, index] of taken) {
      const last = predecessor.#last.get(offeredIndex);
      if (last === undefined) continue;
      this.#last.set(index, last);
      if (!this.#isEnded) this.#options.subscribe.onReading(index, last);
    }
    for (const [offeredIndex, value] of missed) {
      const index = taken.get(offeredIndex);
      if (index !== undefined) this.report(index, value);
    }
  }

  /** Calls back after a time, unless the member is stopped or the connection lost until then. */
  expire(afterMs: number, onExpiry: () => void): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = this.#options.clock.schedule(afterMs, onExpiry);
  }

  /**
   * Creates the items, and reports the channels that the server refused; those are requested again later.
   *
   * @throws {ServiceRefused} also if the server has no capacity for all items
   */
  async createItems(server: ServerSubscription): Promise<void> {
    for (const { index, reading, status } of await this.#create(server)) {
      if (status === NO_ROOM) throw new ServiceRefused(CREATE_ITEMS, status);
      if (!this.#isEnded) this.#options.subscribe.onReading(index, reading);
    }
  }

  /** Reports a value, or keeps it for the next subscriber. */
  report(index: number, value: DataValueLike): void {
    if (this.#isEnded) {
      if (this.#missed.length <= MAXIMUM_MISSED) this.#missed.push([index, value]);
      return;
    }
    const reading = this.#readers[index]?.(value, this.#options.clock.epochMs());
    if (reading !== undefined && !this.#isRepeated(index, reading)) this.#report(index, reading);
  }

  /** Reports nothing more, and keeps nothing. */
  stop(): void {
    this.leave();
    this.#missed = [];
    this.#cancelExpiry?.();
    this.#stopping.abort();
  }

  /** Reports nothing more. */
  leave(): void {
    this.#isEnded = true;
    this.#cancelRetry?.();
  }

  /** Reports the loss of the connection, or the end of the subscription, once. */
  interrupt(error: ConnectionError): void {
    this.#cancelExpiry?.();
    for (const item of this.#items.values()) item.isResumed = true;
    if (this.#isEnded) return;
    this.leave();
    this.#options.subscribe.onEnd(error);
  }

  #report(index: number, reading: Reading): void {
    const { subscribe } = this.#options;
    const channel = subscribe.channels[index];
    if (channel === undefined || this.#isEnded) return;
    this.#last.set(index, reading);
    subscribe.onReading(index, channel.address.queueSize > 1 ? { ...reading, isQueued: true } : reading);
  }

  // Some servers send all values again when a session is activated on another connection.
  #isRepeated(index: number, reading: Reading): boolean {
    return this.#items.get(index)?.isResumed === true && isDeepStrictEqual(this.#last.get(index), reading);
  }

  // With a shorter interval, the last value may be too old. Without a queue, a new item loses nothing, and reports the present one.
  #findHeirs(predecessor: SubscriptionMember): ReadonlyMap<number, Channel<OpcuaAddress>> {
    if (this.#samplingIntervalMs >= predecessor.#samplingIntervalMs) return this.#missing;
    return new Map([...this.#missing].filter(([, { address }]) => address.queueSize > 1));
  }

  /** Channels with an item of use to others, by index: another session may know a type that this one did not. */
  #offer(): ReadonlyMap<number, Channel<OpcuaAddress>> {
    const { channels } = this.#options.subscribe;
    const offered = new Map<number, Channel<OpcuaAddress>>();
    for (const index of this.#items.keys()) {
      const channel = channels[index];
      const isOfUse = !TYPE_FAULTS.has(this.#last.get(index)?.failure?.code);
      if (channel !== undefined && isOfUse) offered.set(index, channel);
    }
    return offered;
  }

  #create(server: ServerSubscription): Promise<readonly RefusedChannel[]> {
    const creation = this.#createMissing(server);
    const settle = (): void => undefined;
    this.#settled = creation.then(settle, settle);
    return creation;
  }

  async #createMissing(server: ServerSubscription): Promise<readonly RefusedChannel[]> {
    const { session, clock, subscribe, logger } = this.#options;
    const { namespaces } = session;
    const revised: RevisedItem[] = [...(await this.#modifyInherited(server))];
    const nodeIds = [...this.#missing.values()].map(({ address }) => getNodeId(address.nodeId));
    await namespaces.learn(nodeIds, subscribe.signal);
    const terms = { samplingIntervalMs: this.#samplingIntervalMs, nowMs: clock.epochMs() };
    const { requests, unresolved } = createItemRequests([...this.#missing], session, terms);
    const refused: RefusedChannel[] = [...unresolved];
    const limit = { limits: session.limits, limit: 'itemsPerCall' } as const;
    await workInParts(requests, limit, async (part) => {
      if (this.#isEnded) return;
      const created: number[] = [];
      for (const { index, outcome, revision } of await this.#request(server, part)) {
        if (typeof outcome === 'string') {
          const nodeId = subscribe.channels[index]?.address.nodeId ?? '';
          const reading = toRefusedReading(outcome, nodeId, clock.epochMs());
          refused.push({ index, status: outcome, reading });
          continue;
        }
        created.push(outcome.itemId);
        this.#items.set(index, outcome);
        this.#missing.delete(index);
        if (revision !== undefined) revised.push(revision);
      }
      if (this.stopped.aborted) this.#options.deleteItems(created);
    });
    const [first] = revised;
    if (first !== undefined) logger.info('opcua.itemsRevised', { items: revised.length, first });
    this.#planRetry(server);
    return refused;
  }

  /** Changes inherited items to what the channels need; those that the server does not change are created again. */
  async #modifyInherited(server: ServerSubscription): Promise<readonly RevisedItem[]> {
    const { subscribe, deleteItems } = this.#options;
    const changes: (ItemChange & { readonly index: number })[] = [];
    for (const [index, item] of this.#items) {
      const channel = subscribe.channels[index];
      const handle = this.#handles.get(index);
      if (channel === undefined || handle === undefined) continue;
      const wanted = toWantedItem(channel, this.#samplingIntervalMs);
      if (!isDeepStrictEqual(item.terms, wanted.terms)) changes.push({ index, item, wanted, handle });
    }
    if (changes.length === 0 || this.#isEnded) return [];
    const { refused, revised } = await modifyItems(server, changes);
    for (const { index, item } of refused) {
      const channel = subscribe.channels[index];
      // Another subscriber may have inherited it.
      if (this.#items.get(index) !== item || channel === undefined) continue;
      this.#items.delete(index);
      this.#missing.set(index, channel);
      deleteItems([item.itemId]);
    }
    return revised;
  }

  #handleOf(index: number): number {
    const handle = this.#handles.get(index) ?? this.#options.assignHandle(index);
    this.#handles.set(index, handle);
    return handle;
  }

  async #request(
    server: ServerSubscription,
    requests: readonly ItemRequest[],
  ): Promise<readonly ItemCreation[]> {
    this.#creations += 1;
    try {
      return await createItems(server, requests, (index) => this.#handleOf(index));
    } catch (error) {
      if (!isNothingDone(error)) this.#hasUnknownItems = true;
      throw error;
    } finally {
      this.#creations -= 1;
    }
  }

  // A node may appear later, when its device connects or its program is loaded.
  #planRetry(server: ServerSubscription): void {
    if (this.#missing.size === 0 || this.#isEnded) return;
    const { clock, config } = this.#options;
    this.#cancelRetry = clock.schedule(config.keepAliveMs, () => {
      this.#create(server).catch(() => this.#planRetry(server));
    });
  }
}
