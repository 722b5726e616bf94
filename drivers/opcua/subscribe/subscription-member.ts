import { isDeepStrictEqual } from 'node:util';
import type { MonitoredItemCreateResult } from 'node-opcua-client';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Reading, SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { createItemRequests, findRevision } from './monitored-items.ts';
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
  /** Client handle of the first channel; the others follow. */
  readonly firstHandle: number;
  /** Deletes items that the member does not need. */
  readonly deleteItems: (itemIds: readonly number[]) => void;
  /** Member that this one continues: it has the same channels, and left when the connection was lost. */
  readonly former?: SubscriptionMember | undefined;
}

const NO_ROOM = 'BadTooManyMonitoredItems';
const SERVICE = 'CreateMonitoredItems';
// Changes that are kept for a subscriber that may return; with more, it begins again without them.
const MAXIMUM_MISSED = 10_000;
// The session in which the value was reported did not know its type; another one may.
const TYPE_FAULTS: ReadonlySet<string | undefined> = new Set([
  'OPCUA_TYPE_UNAVAILABLE',
  'OPCUA_UNSUPPORTED_TYPE',
]);

/** Channels of one subscriber: their items in a subscription that others may share. */
export class SubscriptionMember {
  readonly #options: Omit<MemberOptions, 'former'>;
  /** True if the member continues another one. */
  readonly #isContinuing: boolean;
  /** By channel index. */
  readonly #readers: readonly ChannelReader[];
  /** Channels that the server does not monitor, by index. */
  readonly #missing: Map<number, Channel<OpcuaAddress>>;
  /** MonitoredItemIds of the created items, by channel index. */
  readonly #itemIds: Map<number, number> = new Map();
  /** Last reading of each channel, by index. */
  readonly #last: Map<number, Reading> = new Map();
  /** Changes since the loss of the connection was reported. */
  #missed: (readonly [handle: number, value: DataValueLike])[] = [];
  readonly #stopping = new AbortController();
  #cancelRetry: Cancel | undefined;
  #creations = 0;
  #hasUnknownItems = false;
  #isEnded = false;

  constructor({ former, ...options }: MemberOptions) {
    // Not the former one, which would keep those before it.
    this.#options = options;
    this.#isContinuing = former !== undefined;
    const { config, session, subscribe } = options;
    this.#readers = subscribe.channels.map((channel) => createChannelReader(channel, { config, session }));
    this.#missing = new Map(former === undefined ? subscribe.channels.entries() : former.#missing);
    if (former === undefined) return;
    this.#itemIds = former.#itemIds;
    this.#last = former.#last;
    this.#missed = former.#missed;
  }

  /** True if nothing more is reported to the subscriber. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Aborts when the member leaves permanently. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  get subscribe(): SubscribeOptions<OpcuaAddress> {
    return this.#options.subscribe;
  }

  get firstHandle(): number {
    return this.#options.firstHandle;
  }

  /** MonitoredItemIds of the created items. */
  get itemIds(): readonly number[] {
    return [...this.#itemIds.values()];
  }

  /** Client handles of the channels. */
  get handles(): readonly number[] {
    const { firstHandle, subscribe } = this.#options;
    return subscribe.channels.map((_, index) => firstHandle + index);
  }

  /** True if a creation of items got no usable response. */
  get hasLostItems(): boolean {
    return this.#hasUnknownItems;
  }

  /** True if the server may have items of the member whose ids are unknown, because it did not respond. */
  get hasUnknownItems(): boolean {
    return this.#hasUnknownItems || this.#creations > 0;
  }

  /** True if the member left when the connection was lost, and another one can continue it. */
  get canReturn(): boolean {
    const isLeft = this.#isEnded && !this.stopped.aborted;
    return isLeft && !this.hasUnknownItems && this.#missed.length <= MAXIMUM_MISSED;
  }

  /** True if a subscriber can continue the member: it subscribes to the same channels. */
  canReturnAs({ channels }: SubscribeOptions<OpcuaAddress>): boolean {
    const former = this.#options.subscribe.channels;
    return (
      this.canReturn &&
      channels.length === former.length &&
      channels.every((channel, index) => isSameSource(channel, former[index]))
    );
  }

  /** Reports again what the former member reported last, and what it missed since. */
  repeat(): void {
    const { firstHandle } = this.#options;
    const missed = this.#missed;
    this.#missed = [];
    for (const [index, reading] of this.#last) {
      if (TYPE_FAULTS.has(reading.failure?.code)) this.#forgetItem(index);
      else if (!this.#isEnded) this.#options.subscribe.onReading(index, reading);
    }
    for (const [handle, value] of missed)
      if (this.#itemIds.has(handle - firstHandle)) this.report(handle, value);
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

  /** Reports a value by client handle, or keeps it for the subscriber's return. */
  report(handle: number, value: DataValueLike): void {
    const { clock, firstHandle } = this.#options;
    const index = handle - firstHandle;
    if (this.#isEnded) {
      if (this.#missed.length <= MAXIMUM_MISSED) this.#missed.push([handle, value]);
      return;
    }
    const reading = this.#readers[index]?.(value, clock.epochMs());
    if (reading !== undefined && !this.#isRepeated(index, reading)) this.#report(index, reading);
  }

  /** Reports nothing more. */
  stop(): void {
    this.#isEnded = true;
    this.#missed = [];
    this.#cancelRetry?.();
    this.#stopping.abort();
  }

  /** Reports the loss of the connection, once; the subscriber may return. */
  leave(error: ConnectionError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelRetry?.();
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
    return this.#isContinuing && isDeepStrictEqual(this.#last.get(index), reading);
  }

  // A new item reports its value.
  #forgetItem(index: number): void {
    const channel = this.#options.subscribe.channels[index];
    const itemId = this.#itemIds.get(index);
    if (channel === undefined || itemId === undefined) return;
    this.#itemIds.delete(index);
    this.#last.delete(index);
    this.#missing.set(index, channel);
    this.#options.deleteItems([itemId]);
  }

  async #create(
    server: ServerSubscription,
  ): Promise<readonly (RefusedItem & { readonly status?: string | undefined })[]> {
    const { session, clock, subscribe, logger, firstHandle } = this.#options;
    const { library, namespaces } = session;
    const nodeIds = [...this.#missing.values()].map(({ address }) => getNodeId(address.nodeId));
    await namespaces.learn(nodeIds, subscribe.signal);
    const { requests, unresolved } = createItemRequests(
      [...this.#missing].map(([index, channel]) => [firstHandle + index, channel] as const),
      session,
      clock.epochMs(),
    );
    const refused: (RefusedItem & { readonly status?: string | undefined })[] = unresolved.map(
      ({ index: handle, reading }) => ({ index: handle - firstHandle, reading }),
    );
    const revised: RevisedItem[] = [];
    const limit = { limits: session.limits, limit: 'itemsPerCall' } as const;
    await workInParts(requests, limit, async (itemsToCreate) => {
      if (this.#isEnded) return;
      const results = await this.#request(server, itemsToCreate);
      const created: number[] = [];
      for (const [position, request] of itemsToCreate.entries()) {
        const index = request.requestedParameters.clientHandle - firstHandle;
        const result = results[position];
        const code = result?.statusCode.value ?? library.StatusCodes.BadUnexpectedError.value;
        const nodeId = subscribe.channels[index]?.address.nodeId ?? '';
        if (result !== undefined && severityOf(code) !== 'BAD') {
          created.push(result.monitoredItemId);
          this.#itemIds.set(index, result.monitoredItemId);
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

  async #request(
    server: ServerSubscription,
    itemsToCreate: readonly ItemRequest[],
  ): Promise<readonly MonitoredItemCreateResult[]> {
    const { session } = this.#options;
    const { CreateMonitoredItemsRequest, CreateMonitoredItemsResponse, TimestampsToReturn } = session.library;
    const request = new CreateMonitoredItemsRequest({
      subscriptionId: server.id,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate: [...itemsToCreate],
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

/** True if two channels have the same readings. */
function isSameSource(one: Channel<OpcuaAddress>, other: Channel<OpcuaAddress> | undefined): boolean {
  if (one === other) return true;
  return one.valueType === other?.valueType && isDeepStrictEqual(one.address, other.address);
}
