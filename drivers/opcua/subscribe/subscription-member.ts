import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { createItemRequests, findRevision } from './monitored-items.ts';
import type { RefusedItem, RevisedItem } from './monitored-items.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { ServiceRefused } from '../opcua-errors.ts';
import { createChannelReader } from '../opcua-read.ts';
import { workInParts } from '../session/request-parts.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { getNodeId } from '../value/node-id.ts';
import { toRefusedReading } from '../value/reading.ts';
import type { ChannelReader, DataValueLike } from '../value/reading.ts';
import { nameStatus, severityOf } from '../value/status.ts';

export interface MemberOptions {
  readonly session: OpcuaSession;
  readonly config: OpcuaConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly subscribe: SubscribeOptions<OpcuaAddress>;
  /** Client handle of the first channel; the others follow. */
  readonly firstHandle: number;
  /** Deletes items that were created after the member left. */
  readonly deleteItems: (itemIds: readonly number[]) => void;
}

const NO_ROOM = 'BadTooManyMonitoredItems';
const SERVICE = 'CreateMonitoredItems';

/** Channels of one subscriber: their items in a subscription that others may share. */
export class SubscriptionMember {
  readonly #options: MemberOptions;
  /** By channel index. */
  readonly #readers: readonly ChannelReader[];
  /** Channels that the server does not monitor, by index. */
  readonly #missing: Map<number, Channel<OpcuaAddress>>;
  readonly #itemIds: number[] = [];
  #cancelRetry: Cancel | undefined;
  #isEnded = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    const { config, session, subscribe } = options;
    this.#readers = subscribe.channels.map((channel) => createChannelReader(channel, { config, session }));
    this.#missing = new Map(subscribe.channels.entries());
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** MonitoredItemIds of the created items. */
  get itemIds(): readonly number[] {
    return this.#itemIds;
  }

  /** Client handles of the channels. */
  get handles(): readonly number[] {
    const { firstHandle, subscribe } = this.#options;
    return subscribe.channels.map((_, index) => firstHandle + index);
  }

  /**
   * Creates the items, and reports the channels that the server refused; those are requested again later.
   *
   * @throws {ServiceRefused} also if the server has no capacity for all items
   */
  async createItems(subscriptionId: number): Promise<void> {
    for (const { index, reading, status } of await this.#create(subscriptionId)) {
      if (status === NO_ROOM) throw new ServiceRefused(SERVICE, status);
      if (!this.#isEnded) this.#options.subscribe.onReading(index, reading);
    }
  }

  /** Reports a value by client handle. */
  report(handle: number, value: DataValueLike): void {
    const { subscribe, clock, firstHandle } = this.#options;
    const index = handle - firstHandle;
    const channel = subscribe.channels[index];
    const toReading = this.#readers[index];
    if (channel === undefined || toReading === undefined || this.#isEnded) return;
    const reading = toReading(value, clock.epochMs());
    subscribe.onReading(index, channel.address.queueSize > 1 ? { ...reading, isQueued: true } : reading);
  }

  /** Reports nothing more. */
  stop(): void {
    this.#isEnded = true;
    this.#cancelRetry?.();
  }

  /** Reports the end of the subscription, once. */
  end(error: ConnectionError): void {
    if (this.#isEnded) return;
    this.stop();
    this.#options.subscribe.onEnd(error);
  }

  async #create(
    subscriptionId: number,
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
      const { results } = await session.call(
        new library.CreateMonitoredItemsRequest({
          subscriptionId,
          timestampsToReturn: library.TimestampsToReturn.Both,
          itemsToCreate: [...itemsToCreate],
        }),
        library.CreateMonitoredItemsResponse,
        { service: SERVICE },
      );
      const created: number[] = [];
      for (const [position, request] of itemsToCreate.entries()) {
        const index = request.requestedParameters.clientHandle - firstHandle;
        const result = results?.[position];
        const code = result?.statusCode.value ?? library.StatusCodes.BadUnexpectedError.value;
        const nodeId = subscribe.channels[index]?.address.nodeId ?? '';
        if (result !== undefined && severityOf(code) !== 'BAD') {
          created.push(result.monitoredItemId);
          this.#missing.delete(index);
          const revision = findRevision(nodeId, request, result);
          if (revision !== undefined) revised.push(revision);
          continue;
        }
        const status = nameStatus(library, code);
        refused.push({ index, status, reading: toRefusedReading(status, nodeId, clock.epochMs()) });
      }
      if (this.#isEnded) this.#options.deleteItems(created);
      else this.#itemIds.push(...created);
    });
    const [first] = revised;
    if (first !== undefined) logger.info('opcua.itemsRevised', { items: revised.length, first });
    this.#planRetry(subscriptionId);
    return refused;
  }

  // A node may appear later, when its device connects or its program is loaded.
  #planRetry(subscriptionId: number): void {
    if (this.#missing.size === 0 || this.#isEnded) return;
    const { clock, config } = this.#options;
    this.#cancelRetry = clock.schedule(config.keepAliveMs, () => {
      this.#create(subscriptionId).catch(() => this.#planRetry(subscriptionId));
    });
  }
}
