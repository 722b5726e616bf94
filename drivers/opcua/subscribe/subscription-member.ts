import { isDeepStrictEqual } from 'node:util';
import type { MonitoredItemCreateResult } from 'node-opcua-client';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Reading, SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { createItemRequests, findRevision, pairChannels } from './monitored-items.ts';
import type { ItemRequest, RefusedItem, RevisedItem } from './monitored-items.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { isNothingDone, ServiceRefused } from '../opcua-errors.ts';
import { createChannelReader } from '../opcua-read.ts';
import { workInParts } from '../session/request-parts.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { getNodeId } from '../value/node-id.ts';
import { toRefusedReading } from '../value/reading.ts';
import type { ChannelReader, DataValueLike } from '../value/reading.ts';
import { nameStatus, severityOf } from '../value/status.ts';
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

/** An item that the server has created. */
interface CreatedItem {
  readonly itemId: number;
  /** True if the connection was lost since. */
  isResumed: boolean;
}

const NO_ROOM = 'BadTooManyMonitoredItems';
const SERVICE = 'CreateMonitoredItems';
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
    for (const [index, offeredIndex] of pairChannels(this.#missing, predecessor.#offer())) {
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
      if (status === NO_ROOM) throw new ServiceRefused(SERVICE, status);
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
    const { library, namespaces } = session;
    const nodeIds = [...this.#missing.values()].map(({ address }) => getNodeId(address.nodeId));
    await namespaces.learn(nodeIds, subscribe.signal);
    const { requests, unresolved } = createItemRequests([...this.#missing], session, clock.epochMs());
    const refused: RefusedChannel[] = [...unresolved];
    const revised: RevisedItem[] = [];
    const limit = { limits: session.limits, limit: 'itemsPerCall' } as const;
    await workInParts(requests, limit, async (itemsToCreate) => {
      if (this.#isEnded) return;
      const results = await this.#request(server, itemsToCreate);
      const created: number[] = [];
      for (const [position, request] of itemsToCreate.entries()) {
        const { clientHandle: index } = request.requestedParameters;
        const result = results[position];
        const code = result?.statusCode.value ?? library.StatusCodes.BadUnexpectedError.value;
        const nodeId = subscribe.channels[index]?.address.nodeId ?? '';
        if (result !== undefined && severityOf(code) !== 'BAD') {
          created.push(result.monitoredItemId);
          this.#items.set(index, { itemId: result.monitoredItemId, isResumed: false });
          this.#missing.delete(index);
          const revision = findRevision(nodeId, request, result);
          if (revision !== undefined) revised.push(revision);
          continue;
        }
        const status = nameStatus(library, code);
        refused.push({ index, status, reading: toRefusedReading(status, nodeId, clock.epochMs()) });
      }
      if (this.stopped.aborted) this.#options.deleteItems(created);
    });
    const [first] = revised;
    if (first !== undefined) logger.info('opcua.itemsRevised', { items: revised.length, first });
    this.#planRetry(server);
    return refused;
  }

  #handleOf(index: number): number {
    const handle = this.#handles.get(index) ?? this.#options.assignHandle(index);
    this.#handles.set(index, handle);
    return handle;
  }

  async #request(
    server: ServerSubscription,
    itemsToCreate: readonly ItemRequest[],
  ): Promise<readonly MonitoredItemCreateResult[]> {
    const { session } = this.#options;
    const { CreateMonitoredItemsRequest, CreateMonitoredItemsResponse, TimestampsToReturn } = session.library;
    const request = new CreateMonitoredItemsRequest({
      subscriptionId: server.id,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate: itemsToCreate.map(({ requestedParameters: parameters, ...item }) => {
        const clientHandle = this.#handleOf(parameters.clientHandle);
        return { ...item, requestedParameters: { ...parameters, clientHandle } };
      }),
    });
    this.#creations += 1;
    try {
      return (await session.call(request, CreateMonitoredItemsResponse, { service: SERVICE })).results ?? [];
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
