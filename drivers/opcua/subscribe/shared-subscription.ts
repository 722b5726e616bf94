import type { MonitoredItemNotification, NotificationMessage } from 'node-opcua-client';
import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { ConnectionError, NoSubscriptionCapacity } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { describeLibraryFault, ServiceRefused } from '../opcua-errors.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import type { Publication, PublishLoop } from './publish-loop.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { workInParts } from '../session/request-parts.ts';
import { nameStatus } from '../value/status.ts';
import { SubscriptionMember } from './subscription-member.ts';
import { compareTerms, toSubscriptionRequest } from './subscription-terms.ts';

export interface SharedSubscriptionOptions {
  readonly session: OpcuaSession;
  readonly loop: PublishLoop;
  readonly config: OpcuaConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each subscription that is requested from the server. */
  readonly onCreate: () => void;
  readonly minimumIntervalMs: number;
}

const LARGEST_SEQUENCE_NUMBER = 0xffff_ffff;
// The server has no capacity, or no subscriptions at all: its values can be read all the same.
const NO_CAPACITY: ReadonlySet<string> = new Set([
  'BadNotImplemented',
  'BadNotSupported',
  'BadServiceUnsupported',
  'BadTooManyMonitoredItems',
  'BadTooManySubscriptions',
]);

/** One subscription of a session, with the items of all subscribers that request the same interval. */
export class SharedSubscription implements Publication {
  readonly #options: SharedSubscriptionOptions;
  readonly #members = new Set<SubscriptionMember>();
  readonly #byHandle = new Map<number, SubscriptionMember>();
  #nextHandle = 0;
  #creating: Promise<number> | undefined;
  #id: number | undefined;
  #nextSequenceNumber = 1;
  #isEnded = false;
  #cancelWatch: Cancel | undefined;
  /** Ends when all notifications so far are reported; undefined if they are. */
  #decoding: Promise<void> | undefined;
  silenceMs = 0;

  constructor(options: SharedSubscriptionOptions) {
    this.#options = options;
  }

  /** True if no subscriber can join any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Adds the channels of a subscriber; resolves when their changes are reported, or when its signal aborted it.
   *
   * @throws {NoSubscriptionCapacity} if the server has no capacity for it, or no subscriptions
   * @throws {ConnectionError} if the server refuses or does not respond
   */
  async join(subscribe: SubscribeOptions<OpcuaAddress>): Promise<void> {
    const { signal } = subscribe;
    if (signal.aborted) return;
    const member = this.#add(subscribe);
    signal.addEventListener('abort', () => this.#remove(member), { once: true });
    try {
      this.#creating ??= this.#create();
      const id = await this.#creating;
      if (!member.isEnded) await member.createItems(id);
    } catch (error) {
      const isWanted = !member.isEnded;
      this.#remove(member);
      // The server has deleted it, and its message was lost or is late.
      if (error instanceof ServiceRefused && error.status === 'BadSubscriptionIdInvalid') {
        this.#fail('OPCUA_SUBSCRIPTION_LOST', 'the server has deleted the subscription');
      }
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
    const members = [...this.#members];
    this.#close();
    for (const member of members) member.end(error);
  }

  #add(subscribe: SubscribeOptions<OpcuaAddress>): SubscriptionMember {
    const { session, config, clock, logger } = this.#options;
    const member = new SubscriptionMember({
      session,
      config,
      clock,
      logger,
      subscribe,
      firstHandle: this.#nextHandle,
      deleteItems: (itemIds) => this.#deleteItems(itemIds),
    });
    this.#nextHandle += subscribe.channels.length;
    this.#members.add(member);
    // Before any items exist, because requests of other subscriptions may deliver the first notifications.
    for (const handle of member.handles) this.#byHandle.set(handle, member);
    return member;
  }

  #remove(member: SubscriptionMember): void {
    member.stop();
    if (!this.#members.delete(member)) return;
    for (const handle of member.handles) this.#byHandle.delete(handle);
    if (this.#members.size === 0) this.#close();
    else this.#deleteItems(member.itemIds);
  }

  async #create(): Promise<number> {
    try {
      const id = await this.#request();
      this.#id = id;
      if (this.#isEnded) this.#delete(id);
      else {
        this.#watch();
        this.#options.loop.add(id, this);
      }
      return id;
    } catch (error) {
      // The next subscriber requests another one.
      this.#isEnded = true;
      throw error;
    }
  }

  async #request(): Promise<number> {
    const { session, config, minimumIntervalMs, logger, onCreate } = this.#options;
    const { library } = session;
    const requested = toSubscriptionRequest(config, minimumIntervalMs);
    const request = new library.CreateSubscriptionRequest({
      ...requested,
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
    });
    onCreate();
    const response = await session.onServer.createSubscription(() =>
      session.call(request, library.CreateSubscriptionResponse, { service: 'CreateSubscription' }),
    );
    const { asked, given, isRevised } = compareTerms(requested, response);
    if (isRevised) logger.info('opcua.subscriptionRevised', { asked, given });
    this.silenceMs = given.keepAliveMs + given.publishingIntervalMs + config.requestTimeoutMs;
    return response.subscriptionId;
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
    for (const { clientHandle, value } of items)
      this.#byHandle.get(clientHandle)?.report(clientHandle, value);
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

  #watch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = this.#options.clock.schedule(this.silenceMs, () => {
      this.#fail('OPCUA_SUBSCRIPTION_SILENT', `the server reported nothing for ${this.silenceMs} ms`);
    });
  }

  #fail(code: ErrorCode, detail: string): void {
    this.end(new ConnectionError({ code, detail }));
  }

  #close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#members.clear();
    this.#byHandle.clear();
    this.#cancelWatch?.();
    if (this.#id !== undefined) this.#delete(this.#id);
  }

  // The server also deletes it automatically after its lifetime, so there is no need to wait.
  #delete(id: number): void {
    const { session, loop } = this.#options;
    const { library } = session;
    loop.remove(id);
    const request = new library.DeleteSubscriptionsRequest({ subscriptionIds: [id] });
    session
      .call(request, library.DeleteSubscriptionsResponse, { service: 'DeleteSubscriptions' })
      .then(() => session.onServer.forgetSubscriptions([id]))
      .catch(() => undefined);
  }

  // Items that stay would be sampled and reported for no subscriber.
  #deleteItems(itemIds: readonly number[]): void {
    const { session } = this.#options;
    const { library } = session;
    const subscriptionId = this.#id;
    if (this.#isEnded || subscriptionId === undefined || itemIds.length === 0) return;
    const limit = { limits: session.limits, limit: 'itemsPerCall' } as const;
    workInParts(itemIds, limit, async (monitoredItemIds) => {
      const request = new library.DeleteMonitoredItemsRequest({
        subscriptionId,
        monitoredItemIds: [...monitoredItemIds],
      });
      await session.call(request, library.DeleteMonitoredItemsResponse, { service: 'DeleteMonitoredItems' });
    }).catch(() => undefined);
  }
}

function toConnectionError(error: unknown): unknown {
  if (error instanceof ConnectionError || !(error instanceof GatewayError)) return error;
  const options = { code: error.code, detail: error.detail, cause: error };
  const hasNoCapacity = error instanceof ServiceRefused && NO_CAPACITY.has(error.status);
  return hasNoCapacity ? new NoSubscriptionCapacity(options) : new ConnectionError(options);
}
