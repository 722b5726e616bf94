import type { MonitoredItemNotification } from 'node-opcua-client';
import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import type { Cancel } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { ConnectionError, NoSubscriptionCapacity } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import { describeLibraryFault, ServiceRefused } from '../opcua-errors.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { nameStatus } from '../value/status.ts';
import { ServerSubscription } from './server-subscription.ts';
import type { ServerSubscriptionOptions, SessionLoop, SubscriptionLoss } from './server-subscription.ts';
import { SubscriptionMember } from './subscription-member.ts';

export interface SharedSubscriptionOptions extends Omit<
  ServerSubscriptionOptions,
  'onNotifications' | 'onLoss'
> {
  readonly at: SessionLoop;
  /** Called instead of the end of the subscription if changes were lost. */
  readonly renew: (subscribers: readonly SubscribeOptions<OpcuaAddress>[], reason: string) => void;
}

// The server has no capacity, or no subscriptions at all: its values can be read all the same.
const NO_CAPACITY: ReadonlySet<string> = new Set([
  'BadNotImplemented',
  'BadNotSupported',
  'BadServiceUnsupported',
  'BadTooManyMonitoredItems',
  'BadTooManySubscriptions',
]);
// Subscribers that want to go on subscribe again within two seconds, once the driver is connected.
const RETURN_MS = 10_000;
/** Time for which a subscription without subscribers stays. */
const LINGER_MS = 1000;

/**
 * One subscription of a session, with the items of all subscribers that request the same interval.
 *
 * When the connection is lost, this is reported to its subscribers, and it continues on the next connection of the session: a
 * subscriber that subscribes to the same channels again gets the last values and all changes since, in order.
 */
export class SharedSubscription {
  readonly #options: SharedSubscriptionOptions;
  readonly #members = new Set<SubscriptionMember>();
  readonly #byHandle = new Map<number, SubscriptionMember>();
  /** Items without a member that the server may still have. */
  #obsoleteItems: number[] = [];
  #nextHandle = 0;
  #creating: Promise<ServerSubscription> | undefined;
  #server: ServerSubscription | undefined;
  #isEnded = false;
  /** Loss of the connection; undefined while it is connected. */
  #interruption: ConnectionError | undefined;
  #resumed: Promise<void> = Promise.resolve();
  #isRenewing = false;
  /** True if the server may have items that belong to no member. */
  #hasUnknownItems = false;
  /** True while unknown items are listed, and once the server does not list them. */
  #isListing = false;
  #cancelReturn: Cancel | undefined;
  #cancelClosing: Cancel | undefined;
  /** Ends when all notifications so far are reported; undefined if they are. */
  #decoding: Promise<void> | undefined;

  constructor(options: SharedSubscriptionOptions) {
    this.#options = options;
  }

  /** True if no subscriber can join any more. */
  get isEnded(): boolean {
    return this.#isEnded || this.#isRenewing;
  }

  /** Resolves when it is known whether it continues on the present connection. Never rejects. */
  get resumed(): Promise<void> {
    return this.#resumed;
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
    if (this.#interruption !== undefined) throw this.#interruption;
    const member = this.#add(subscribe);
    this.#cancelClosing?.();
    this.#deleteItems([]);
    signal.addEventListener('abort', () => this.#remove(member), { once: true, signal: member.stopped });
    member.repeat();
    try {
      this.#creating ??= this.#create();
      const server = await this.#creating;
      if (!member.isEnded) await member.createItems(server);
    } catch (error) {
      const isWanted = !member.isEnded;
      if (isWanted) this.#remove(member);
      // The server has deleted it, and its message was lost or is late.
      if (error instanceof ServiceRefused && error.status === 'BadSubscriptionIdInvalid') {
        this.#fail('OPCUA_SUBSCRIPTION_LOST', 'the server has deleted the subscription');
      }
      if (isWanted) throw toConnectionError(error);
    }
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
    this.#cancelReturn = this.#options.clock.schedule(RETURN_MS, () => {
      for (const member of this.#members) if (member.isEnded) this.#remove(member);
    });
    return server.id;
  }

  /** Deletes it on the server, and reports nothing more. */
  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const member of this.#members) member.stop();
    this.#members.clear();
    this.#byHandle.clear();
    this.#cancelReturn?.();
    this.#cancelClosing?.();
    this.#server?.close();
  }

  #add(subscribe: SubscribeOptions<OpcuaAddress>): SubscriptionMember {
    const { config, clock, logger } = this.#options;
    const former = [...this.#members].find((member) => member.canReturnAs(subscribe));
    const firstHandle = former?.firstHandle ?? this.#nextHandle;
    const member = new SubscriptionMember({
      session: this.#server?.session ?? this.#options.at.session,
      config,
      clock,
      logger,
      subscribe,
      firstHandle,
      deleteItems: (itemIds) => this.#deleteItems(itemIds),
      former,
    });
    if (former === undefined) this.#nextHandle += subscribe.channels.length;
    else this.#members.delete(former);
    former?.stop();
    this.#members.add(member);
    // Before any items exist, because requests of other subscriptions may deliver the first notifications.
    for (const handle of member.handles) this.#byHandle.set(handle, member);
    return member;
  }

  #remove(member: SubscriptionMember): void {
    member.stop();
    if (!this.#members.delete(member)) return;
    this.#hasUnknownItems ||= member.hasUnknownItems;
    for (const handle of member.handles) this.#byHandle.delete(handle);
    if (this.#members.size > 0) this.#deleteItems(member.itemIds);
    else this.#closeSoon(member.itemIds);
    if (member.hasLostItems) void this.#deleteUnknownItems();
  }

  // A subscriber that wants other channels leaves and comes again at once. On a new subscription, whose interval begins again, it
  // would never get a value if that happens within each interval.
  #closeSoon(itemIds: readonly number[]): void {
    if (this.#interruption !== undefined || this.#server === undefined) {
      this.close();
      return;
    }
    this.#obsoleteItems.push(...itemIds);
    this.#cancelClosing = this.#options.clock.schedule(LINGER_MS, () => this.close());
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
      if (this.#isEnded) server.close();
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
      const member = this.#byHandle.get(clientHandle);
      member?.report(clientHandle, value);
      // A creation without a response may also be carried out later.
      if (member === undefined && this.#hasUnknownItems) void this.#deleteUnknownItems();
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
    this.#cancelReturn?.();
    this.#server?.interrupt();
    for (const member of this.#members) member.leave(error);
  }

  async #renew(reason: string): Promise<void> {
    this.#isRenewing = true;
    this.#server?.close();
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
    for (const member of members) member.leave(error);
    this.close();
  }

  /** Deletes items whose creation got no usable response; their handles are not used again. */
  async #deleteUnknownItems(): Promise<void> {
    if (this.#isListing || this.#interruption !== undefined) return;
    this.#isListing = true;
    const items = await this.#server?.listItems();
    if (items === undefined || this.#isEnded) return;
    this.#isListing = false;
    this.#deleteItems(items.filter(({ handle }) => !this.#byHandle.has(handle)).map(({ itemId }) => itemId));
  }

  #deleteItems(itemIds: readonly number[]): void {
    const obsolete = [...this.#obsoleteItems, ...itemIds];
    this.#obsoleteItems = [];
    if (this.#interruption !== undefined) this.#obsoleteItems = obsolete;
    else
      this.#server?.deleteItems(obsolete, (remaining) => {
        this.#obsoleteItems.push(...remaining);
      });
  }
}

function toConnectionError(error: unknown): unknown {
  if (error instanceof ConnectionError || !(error instanceof GatewayError)) return error;
  const options = { code: error.code, detail: error.detail, cause: error };
  const hasNoCapacity = error instanceof ServiceRefused && NO_CAPACITY.has(error.status);
  return hasNoCapacity ? new NoSubscriptionCapacity(options) : new ConnectionError(options);
}
