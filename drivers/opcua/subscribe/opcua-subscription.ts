import type { MonitoredItemNotification, NotificationMessage } from 'node-opcua-client';
import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { createChannelReader } from '../opcua-read.ts';
import { getNodeId } from '../value/node-id.ts';
import { describeLibraryFault } from '../opcua-errors.ts';
import { createItemRequests, findRevision } from './monitored-items.ts';
import type { RefusedItem, RevisedItem } from './monitored-items.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import type { Publication, PublishLoop } from './publish-loop.ts';
import { toRefusedReading } from '../value/reading.ts';
import type { ChannelReader, DataValueLike } from '../value/reading.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { workInParts } from '../session/request-parts.ts';
import { nameStatus, severityOf } from '../value/status.ts';
import { compareTerms, toSubscriptionRequest } from './subscription-terms.ts';

export interface SubscriptionOptions {
  readonly session: OpcuaSession;
  readonly loop: PublishLoop;
  readonly config: OpcuaConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly subscribe: SubscribeOptions<OpcuaAddress>;
}

const LARGEST_SEQUENCE_NUMBER = 0xffff_ffff;

/** Channels whose changes are reported through one subscription of a session. */
export class OpcuaSubscription implements Publication {
  readonly #options: SubscriptionOptions;
  /** By channel index. */
  readonly #readers: readonly ChannelReader[];
  #id: number | undefined;
  #nextSequenceNumber = 1;
  #isEnded = false;
  /** Channels that the server does not monitor, by index. */
  readonly #missing = new Map<number, Channel<OpcuaAddress>>();
  #cancelWatch: Cancel | undefined;
  #cancelRetry: Cancel | undefined;
  /** Ends when all notifications so far are reported; undefined if they are. */
  #decoding: Promise<void> | undefined;
  silenceMs = 0;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    const { config, session, subscribe } = options;
    this.#readers = subscribe.channels.map((channel) => createChannelReader(channel, { config, session }));
  }

  /**
   * Creates the subscription; resolves when changes are reported, or when the signal aborted it.
   *
   * @throws {ConnectionError} if the server refuses or does not respond
   */
  async begin(): Promise<void> {
    const { subscribe, loop } = this.#options;
    const { signal } = subscribe;
    if (signal.aborted) return;
    signal.addEventListener('abort', () => this.#stop(), { once: true });
    try {
      const id = await this.#create();
      if (this.#isEnded) return;
      this.#watch();
      // Before any items exist, because requests of other subscriptions may deliver the first notifications.
      loop.add(id, this);
      for (const entry of subscribe.channels.entries()) this.#missing.set(...entry);
      this.#reportRefused(await this.#createItems(id));
    } catch (error) {
      const isWanted = !this.#isEnded;
      this.#stop();
      if (isWanted) throw toConnectionError(error);
    }
  }

  take({ sequenceNumber, notificationData }: NotificationMessage): boolean {
    if (this.#isEnded) return false;
    this.#watch();
    // A message is missing, and with it changes that are not repeated.
    if (sequenceNumber !== this.#nextSequenceNumber) {
      this.#fail('OPCUA_NOTIFICATION_LOST', 'a notification message was lost');
      return false;
    }
    const notifications = notificationData ?? [];
    // A message without notifications is a keep-alive; it has the number of the next message (OPC 10000-4, 5.14.1.1).
    if (notifications.length === 0) return false;
    this.#nextSequenceNumber = sequenceNumber === LARGEST_SEQUENCE_NUMBER ? 1 : sequenceNumber + 1;
    for (const notification of notifications) this.#takeNotification(notification);
    return !this.#isEnded;
  }

  end(error: ConnectionError): void {
    if (this.#isEnded) return;
    this.#stop();
    this.#options.subscribe.onEnd(error);
  }

  async #create(): Promise<number> {
    const { session, config, subscribe, logger } = this.#options;
    const { library } = session;
    const requested = toSubscriptionRequest(config, subscribe.minimumIntervalMs);
    const request = new library.CreateSubscriptionRequest({
      ...requested,
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
    });
    const response = await session.onServer.createSubscription(() =>
      session.call(request, library.CreateSubscriptionResponse, { service: 'CreateSubscription' }),
    );
    const { subscriptionId } = response;
    this.#id = subscriptionId;
    const { asked, given, isRevised } = compareTerms(requested, response);
    if (isRevised) logger.info('opcua.subscriptionRevised', { asked, given });
    this.silenceMs = given.keepAliveMs + given.publishingIntervalMs + config.requestTimeoutMs;
    if (this.#isEnded) this.#delete();
    return subscriptionId;
  }

  /** @returns the refused channels, which are requested again later */
  async #createItems(subscriptionId: number): Promise<readonly RefusedItem[]> {
    const { session, clock, subscribe, logger } = this.#options;
    const { library, namespaces } = session;
    const nodeIds = [...this.#missing.values()].map(({ address }) => getNodeId(address.nodeId));
    await namespaces.learn(nodeIds, subscribe.signal);
    const { requests, unresolved } = createItemRequests([...this.#missing], session, clock.epochMs());
    const refused = [...unresolved];
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
        { service: 'CreateMonitoredItems' },
      );
      for (const [position, request] of itemsToCreate.entries()) {
        const index = request.requestedParameters.clientHandle;
        const result = results?.[position];
        const status = result?.statusCode.value ?? library.StatusCodes.BadUnexpectedError.value;
        const nodeId = subscribe.channels[index]?.address.nodeId ?? '';
        if (severityOf(status) !== 'BAD') {
          this.#missing.delete(index);
          const revision = findRevision(nodeId, request, result);
          if (revision !== undefined) revised.push(revision);
          continue;
        }
        const reading = toRefusedReading(nameStatus(library, status), nodeId, clock.epochMs());
        refused.push({ index, reading });
      }
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
      this.#createItems(subscriptionId).catch(() => this.#planRetry(subscriptionId));
    });
  }

  #reportRefused(refused: readonly RefusedItem[]): void {
    for (const { index, reading } of refused) {
      if (!this.#isEnded) this.#options.subscribe.onReading(index, reading);
    }
  }

  #takeNotification(notification: unknown): void {
    const { session } = this.#options;
    const { library } = session;
    if (notification instanceof library.DataChangeNotification) {
      const items = notification.monitoredItems ?? [];
      const isOpaque = session.structures.areOpaque(items.map(({ value }) => value));
      if (isOpaque || this.#decoding !== undefined) this.#reportLater(items);
      else this.#reportAll(items);
    } else if (notification instanceof library.StatusChangeNotification) {
      const status = nameStatus(library, notification.status.value);
      this.#fail('OPCUA_SUBSCRIPTION_LOST', `the server ended the subscription: ${status}`);
    }
  }

  #reportAll(items: readonly MonitoredItemNotification[]): void {
    for (const { clientHandle, value } of items) this.#report(clientHandle, value);
  }

  // Values keep their order while a structure definition is requested.
  #reportLater(items: readonly MonitoredItemNotification[]): void {
    const { structures } = this.#options.session;
    const decoding = (this.#decoding ?? Promise.resolve())
      .then(() => structures.decode(items.map(({ value }) => value)))
      .then(() => {
        this.#reportAll(items);
        if (this.#decoding === decoding) this.#decoding = undefined;
      })
      .catch((error: unknown) => {
        const reason = error instanceof GatewayError ? error.detail : describeLibraryFault(error, 'Publish');
        this.#fail('OPCUA_SUBSCRIPTION_LOST', `a value could not be decoded: ${reason}`);
      });
    this.#decoding = decoding;
  }

  #report(index: number, value: DataValueLike): void {
    const { subscribe, clock } = this.#options;
    const channel = subscribe.channels[index];
    const toReading = this.#readers[index];
    if (channel === undefined || toReading === undefined || this.#isEnded) return;
    const reading = toReading(value, clock.epochMs());
    subscribe.onReading(index, channel.address.queueSize > 1 ? { ...reading, isQueued: true } : reading);
  }

  #watch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = this.#options.clock.schedule(this.silenceMs, () => {
      this.#fail('OPCUA_SUBSCRIPTION_SILENT', `the server reported nothing for ${this.silenceMs} ms`);
    });
  }

  #fail(code: ErrorCode, detail: string): void {
    this.end(new ConnectionError({ code, detail }));
  }

  #stop(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelWatch?.();
    this.#cancelRetry?.();
    if (this.#id !== undefined) this.#delete();
  }

  // The server also deletes it automatically after its lifetime, so there is no need to wait.
  #delete(): void {
    const { session, loop } = this.#options;
    const { library } = session;
    const id = this.#id;
    if (id === undefined) return;
    loop.remove(id);
    const request = new library.DeleteSubscriptionsRequest({ subscriptionIds: [id] });
    const options = { service: 'DeleteSubscriptions' };
    session
      .call(request, library.DeleteSubscriptionsResponse, options)
      .then(() => session.onServer.forgetSubscriptions([id]))
      .catch(() => undefined);
  }
}

function toConnectionError(error: unknown): unknown {
  if (error instanceof ConnectionError || !(error instanceof GatewayError)) return error;
  return new ConnectionError({ code: error.code, detail: error.detail, cause: error });
}
