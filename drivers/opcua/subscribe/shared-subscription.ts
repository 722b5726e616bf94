import type { MonitoredItemNotification } from 'node-opcua-client';
import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { describeLibraryFault, ServiceRefused } from '../opcua-errors.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { nameStatus } from '../value/status.ts';
import { PublishingPace } from './publishing-pace.ts';
import { listItems } from './server-items.ts';
import { GONE, ServerSubscription } from './server-subscription.ts';
import type { ServerSubscriptionOptions, SessionLoop, SubscriptionLoss } from './server-subscription.ts';
import { toJoinError } from './subscription-errors.ts';
import { SubscriptionMember } from './subscription-member.ts';
import { findInterval } from './subscription-terms.ts';

export interface SharedSubscriptionOptions extends Omit<
  ServerSubscriptionOptions,
  'onNotifications' | 'onLoss'
> {
  readonly at: SessionLoop;
  /** Called instead of the end of the subscription if changes were lost. */
  readonly renew: (subscribers: readonly SubscribeOptions<OpcuaAddress>[], reason: string) => void;
}

// Subscribers that want to go on subscribe again within two seconds, once the driver is connected.
const RETURN_MS = 10_000;
// A subscriber whose channels change leaves, and subscribes again at once.
const LINGER_MS = 1000;

/**
 * One subscription of a session, with the items of several subscribers. The server reports at the shortest interval that one of
 * them requests, and is requested to change it when they come and go.
 *
 * Items of a subscriber that leaves stay for a while: the next one with a channel of the same readings inherits the item,
 * and gets the last value and all changes since, in order. When the connection is lost, this is reported to all subscribers,
 * and the subscription continues on the next connection of the session.
 */
export class SharedSubscription {
  readonly #options: SharedSubscriptionOptions;
  readonly #members = new Set<SubscriptionMember>();
  readonly #byHandle = new Map<number, { readonly member: SubscriptionMember; readonly index: number }>();
  /** Items without a member that the server may still have. */
  #obsoleteItems: number[] = [];
  readonly #pace: PublishingPace;
  #nextHandle = 0;
  #creating: Promise<ServerSubscription> | undefined;
  #server: ServerSubscription | undefined;
  #isEnded = false;
  /** Loss of the connection; undefined while it is connected. */
  #interruption: ConnectionError | undefined;
  #resumed: Promise<void> = Promise.resolve();
  /** Resolves when no deletion on the server is pending. */
  #deleted: Promise<void> = Promise.resolve();
  #isRenewing = false;
  /** True if the server may have items that belong to no member. */
  #hasUnknownItems = false;
  /** True while unknown items are listed, and once the server does not list them. */
  #isListing = false;
  /** Ends when all notifications so far are reported; undefined if they are. */
  #decoding: Promise<void> | undefined;

  constructor(options: SharedSubscriptionOptions) {
    this.#options = options;
    this.#pace = new PublishingPace(findInterval(options.config, options));
  }

  /** True if no subscriber can join any more. */
  get isEnded(): boolean {
    return this.#isEnded || this.#isRenewing;
  }

  /** True if the server reports often enough for a subscriber, or has not refused to. */
  suits(subscribe: SubscribeOptions<OpcuaAddress>): boolean {
    return this.#pace.suits(findInterval(this.#options.config, subscribe));
  }

  /** Resolves when it is known whether it continues on the present connection. Never rejects. */
  get resumed(): Promise<void> {
    return this.#resumed;
  }

  /**
   * Adds the channels of a subscriber; resolves when their changes are reported, or when its signal aborted it.
   *
   * @returns false if the server does not report often enough for it, nor changes that
   * @throws {NoSubscriptionCapacity} if the server has no capacity for it, or no subscriptions
   * @throws {ConnectionError} if the server refuses or does not respond
   */
  async join(subscribe: SubscribeOptions<OpcuaAddress>): Promise<boolean> {
    const { signal } = subscribe;
    if (signal.aborted) return true;
    if (this.#interruption !== undefined) throw this.#interruption;
    const member = this.#add(subscribe);
    this.#deleteItems([]);
    signal.addEventListener('abort', () => this.#leave(member), { once: true, signal: member.stopped });
    this.#handOver(member);
    try {
      this.#creating ??= this.#create();
      const server = await this.#creating;
      await this.#adapt();
      if (!this.suits(subscribe)) {
        this.#remove(member);
        return false;
      }
      // Until the server responds to a subscriber that has left, another request would create a second item for a channel.
      await Promise.all(this.#left.map(({ settled }) => settled));
      this.#handOver(member);
      if (!member.isEnded) await member.createItems(server);
    } catch (error) {
      const isWanted = !member.isEnded;
      if (isWanted) this.#remove(member);
      // The server has deleted it, and its message was lost or is late.
      if (error instanceof ServiceRefused && error.status === GONE) {
        this.#fail('OPCUA_SUBSCRIPTION_LOST', 'the server has deleted the subscription');
      }
      if (isWanted) throw toJoinError(error);
    }
    return true;
  }

  /**
   * Continues on another connection of the session.
   *
   * @returns its id on the server; undefined if it cannot continue
   */
  resume(at: SessionLoop): number | undefined {
    const server = this.#server;
    const members = [...this.#members];
    const isKnown = !this.#hasUnknownItems && members.every(({ canReturn }) => canReturn);
    const isWanted = this.#interruption !== undefined && !this.#isEnded && members.length > 0;
    if (server === undefined || !isKnown || !isWanted) return undefined;
    this.#interruption = undefined;
    this.#resumed = server.resume(at);
    this.#deleteItems([]);
    for (const member of members) member.expire(RETURN_MS, () => this.#remove(member));
    return server.id;
  }

  /**
   * Deletes the items of subscribers that have left, and waits for the response.
   *
   * @returns false if there are none
   */
  async release(): Promise<boolean> {
    const left = this.#interruption === undefined ? this.#left : [];
    for (const member of left) this.#remove(member);
    await this.#deleted;
    return left.length > 0;
  }

  /** Deletes it on the server, and reports nothing more. */
  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const member of this.#members) member.stop();
    this.#members.clear();
    this.#byHandle.clear();
    this.#awaitDeletion(this.#server?.close());
  }

  /** Members whose subscribers have left. */
  get #left(): readonly SubscriptionMember[] {
    return [...this.#members].filter(({ isEnded }) => isEnded);
  }

  #add(subscribe: SubscribeOptions<OpcuaAddress>): SubscriptionMember {
    const { config, clock, logger } = this.#options;
    const member: SubscriptionMember = new SubscriptionMember({
      session: this.#server?.session ?? this.#options.at.session,
      config,
      clock,
      logger,
      subscribe,
      // Before an item exists, because requests of other subscriptions may deliver its first notification.
      assignHandle: (index, handle = this.#nextHandle++) => {
        this.#byHandle.set(handle, { member, index });
        return handle;
      },
      deleteItems: (itemIds) => this.#deleteItems(itemIds),
    });
    this.#members.add(member);
    return member;
  }

  /** Hands items of subscribers that have left to another one. */
  #handOver(member: SubscriptionMember): void {
    for (const predecessor of this.#left) {
      if (member.isEnded) return;
      member.inherit(predecessor);
      if (predecessor.isSpent) this.#remove(predecessor);
    }
  }

  // While the connection is lost, it is not known yet when subscribers can return.
  #leave(member: SubscriptionMember): void {
    member.leave();
    if (this.#interruption === undefined) member.expire(LINGER_MS, () => this.#remove(member));
  }

  #remove(member: SubscriptionMember): void {
    member.stop();
    if (!this.#members.delete(member)) return;
    this.#hasUnknownItems ||= member.hasUnknownItems;
    for (const handle of member.handles) this.#byHandle.delete(handle);
    if (this.#members.size > 0) this.#deleteItems(member.itemIds);
    else this.close();
    // The link reports its loss to all subscribers.
    this.#adapt().catch(() => undefined);
    if (member.hasLostItems) void this.#deleteUnknownItems();
  }

  /** Has the server report as often as the subscriber with the shortest interval requests. */
  async #adapt(): Promise<void> {
    if (this.#server === undefined) return;
    await this.#pace.change(this.#server, () => {
      const isActive = this.#interruption === undefined && !this.isEnded;
      const members = isActive ? [...this.#members] : [];
      return Math.min(...members.map(({ subscribe }) => findInterval(this.#options.config, subscribe)));
    });
  }

  async #create(): Promise<ServerSubscription> {
    try {
      const server = await ServerSubscription.create(this.#options.at, {
        ...this.#options,
        onNotifications: (notifications) => {
          for (const notification of notifications) this.#takeNotification(notification);
        },
        onLoss: (loss) => this.#onLoss(loss),
      });
      this.#server = server;
      if (this.#isEnded) void server.close();
      else server.start();
      return server;
    } catch (error) {
      // The next subscriber requests another one.
      this.#isEnded = true;
      throw error;
    }
  }

  #takeNotification(notification: unknown): void {
    const { session } = this.#server ?? this.#options.at;
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
    for (const { clientHandle, value } of items) {
      const place = this.#byHandle.get(clientHandle);
      place?.member.report(place.index, value);
      // A creation without a response may also be carried out later.
      if (place === undefined && this.#hasUnknownItems) void this.#deleteUnknownItems();
    }
  }

  // Values keep their order while a structure definition is requested.
  #reportLater(items: readonly MonitoredItemNotification[]): void {
    const { structures } = (this.#server ?? this.#options.at).session;
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

  #onLoss(loss: SubscriptionLoss): void {
    if (this.#isEnded) return;
    if (loss.kind === 'END') this.#end(loss.error);
    else if (loss.kind === 'MESSAGES') void this.#renew(loss.reason);
    else if (this.#decoding !== undefined) this.#end(loss.error);
    else this.#interrupt(loss.error);
  }

  #interrupt(error: ConnectionError): void {
    this.#interruption = error;
    this.#server?.interrupt();
    for (const member of this.#members) member.interrupt(error);
  }

  async #renew(reason: string): Promise<void> {
    this.#isRenewing = true;
    void this.#server?.close();
    await this.#decoding;
    const subscribers = [...this.#members]
      .filter(({ isEnded }) => !isEnded)
      .map(({ subscribe }) => subscribe);
    if (this.#isEnded) return;
    this.close();
    this.#options.renew(subscribers, reason);
  }

  #fail(code: ErrorCode, detail: string): void {
    this.#end(new ConnectionError({ code, detail }));
  }

  #end(error: ConnectionError): void {
    const members = [...this.#members];
    for (const member of members) member.interrupt(error);
    this.close();
  }

  /** Deletes items whose creation got no usable response; their handles are not used again. */
  async #deleteUnknownItems(): Promise<void> {
    if (this.#isListing || this.#interruption !== undefined) return;
    this.#isListing = true;
    const items = this.#server === undefined ? undefined : await listItems(this.#server);
    if (items === undefined || this.#isEnded) return;
    this.#isListing = false;
    this.#deleteItems(items.filter(({ handle }) => !this.#byHandle.has(handle)).map(({ itemId }) => itemId));
  }

  #deleteItems(itemIds: readonly number[]): void {
    const obsolete = [...this.#obsoleteItems, ...itemIds];
    this.#obsoleteItems = [];
    if (this.#interruption !== undefined) this.#obsoleteItems = obsolete;
    else
      this.#awaitDeletion(
        this.#server?.deleteItems(obsolete, (remaining) => {
          this.#obsoleteItems.push(...remaining);
        }),
      );
  }

  #awaitDeletion(deletion: Promise<void> | undefined): void {
    this.#deleted = this.#deleted.then(() => deletion);
  }
}
