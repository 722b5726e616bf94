import {
  DataChangeNotification,
  MonitoredItemNotification,
  NotificationMessage,
  PublishResponse,
  StatusChangeNotification,
} from 'node-opcua-client';

import type { Cancel, Clock } from '../../../../daemon/base/clock.ts';
import type { Respond } from './answers.ts';
import { findStatusCode } from './answers.ts';
import type { MonitoredItem } from './monitored-item.ts';

/** When a subscription reports, and how long it lives. */
export interface SubscriptionTerms {
  readonly publishingIntervalMs: number;
  readonly keepAliveCount: number;
  readonly lifetimeCount: number;
}

export interface ServerSubscriptionOptions extends SubscriptionTerms {
  readonly id: number;
  /** Most messages that it stores. */
  readonly storedMessages: number;
  readonly time: Clock;
  /** Takes the oldest Publish request of the session; undefined when there is none. */
  readonly takeRequest: () => Respond | undefined;
  /** Whether it reports nothing at present. */
  readonly isMute: () => boolean;
  /** Whether the next message with changes gets lost. */
  readonly losesNext: () => boolean;
  /** A message has waited for a Publish request since then, and waits no longer. */
  readonly onWaited: (wait: { readonly fromMs: number; readonly quietSinceMs: number }) => void;
  /** Its time is over, as no Publish request came. */
  readonly onExpired: () => void;
}

// One message to the client, and its request to delete the subscription.
const EXCHANGE_MS = 2000;

/** A subscription as a server has it (OPC 10000-4, 5.14.1): messages at even times, when there is something to say. */
export class ServerSubscription {
  readonly id: number;
  readonly items = new Map<number, MonitoredItem>();
  readonly #options: ServerSubscriptionOptions;
  readonly #createdMs: number;
  #terms: SubscriptionTerms;
  /** The first cycle of these terms. */
  #beginMs: number;
  /** By sequence number, the oldest first. */
  readonly #stored = new Map<number, NotificationMessage>();
  #nextSequenceNumber = 1;
  #lastMessageMs: number;
  #cancel: Cancel | undefined;
  #cancelExpiry: Cancel | undefined;
  /** Since when a message is due, and no request came for it. */
  #lateSinceMs: number | undefined;
  #isFirst = true;

  constructor(options: ServerSubscriptionOptions) {
    this.id = options.id;
    this.#terms = options;
    this.#options = options;
    this.#createdMs = options.time.monotonicMs();
    this.#beginMs = this.#createdMs;
    this.#lastMessageMs = this.#beginMs;
    this.plan();
  }

  /**
   * Whether a client cannot know it yet: it has no items, as when the answer to its creation was lost, and its first
   * message, which has its id, is not due or was just sent.
   */
  get isUnheard(): boolean {
    const ageMs = this.#options.time.monotonicMs() - this.#createdMs;
    return this.items.size === 0 && ageMs < this.publishingIntervalMs + EXCHANGE_MS;
  }

  get publishingIntervalMs(): number {
    return this.#terms.publishingIntervalMs;
  }

  /** Reports at another interval from now on. */
  modify(terms: SubscriptionTerms): void {
    this.#terms = terms;
    this.#beginMs = this.#options.time.monotonicMs();
    this.plan();
  }

  /** Decides anew when the next message is due; called after each change of items and of what they see. */
  plan(): void {
    const { time } = this.#options;
    const { publishingIntervalMs, keepAliveCount } = this.#terms;
    this.#cancel?.();
    if (this.#lateSinceMs !== undefined) return;
    let newsMs = this.#lastMessageMs + (this.#isFirst ? 1 : keepAliveCount) * publishingIntervalMs;
    for (const { nextNewsMs } of this.items.values()) newsMs = Math.min(newsMs, nextNewsMs);
    const nowMs = time.monotonicMs();
    const cycle = Math.max(1, Math.ceil((Math.max(newsMs, nowMs) - this.#beginMs) / publishingIntervalMs));
    const dueMs = this.#beginMs + cycle * publishingIntervalMs;
    this.#cancel = time.schedule(dueMs - nowMs, () => this.#publish());
  }

  /** Records that a Publish request came. */
  serve(): void {
    if (this.#lateSinceMs !== undefined) this.#publish();
  }

  /** Forgets a message that the client has. */
  acknowledge(sequenceNumber: number): void {
    this.#stored.delete(sequenceNumber);
  }

  /** Returns a message that was sent; undefined if it is not stored. */
  findMessage(sequenceNumber: number): NotificationMessage | undefined {
    return this.#stored.get(sequenceNumber);
  }

  /** Ends it, and says so where the client has asked for messages. */
  terminate(status: string): void {
    const respond = this.#options.takeRequest();
    if (respond !== undefined) {
      this.#send(respond, [new StatusChangeNotification({ status: findStatusCode(status) })]);
    }
    this.delete();
  }

  delete(): void {
    this.#endWait();
    this.#cancel?.();
    this.#cancelExpiry?.();
    this.items.clear();
  }

  #publish(): void {
    const { time, takeRequest, isMute } = this.#options;
    const respond = isMute() ? undefined : takeRequest();
    if (respond === undefined) {
      this.#becomeLate();
      return;
    }
    this.#endWait();
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    const nowMs = time.monotonicMs();
    const monitoredItems = [...this.items.values()].flatMap((item) =>
      item
        .take(nowMs)
        .map((value) => new MonitoredItemNotification({ clientHandle: item.clientHandle, value })),
    );
    this.#lastMessageMs = nowMs;
    this.#isFirst = false;
    this.#send(respond, monitoredItems.length === 0 ? [] : [new DataChangeNotification({ monitoredItems })]);
    this.plan();
  }

  // Without a request it waits for one, and at last ends (OPC 10000-4, 5.14.1.2).
  #becomeLate(): void {
    const { time, onExpired } = this.#options;
    const { publishingIntervalMs, lifetimeCount } = this.#terms;
    this.#lateSinceMs ??= time.monotonicMs();
    this.#cancelExpiry ??= time.schedule(lifetimeCount * publishingIntervalMs, onExpired);
  }

  #endWait(): void {
    const sinceMs = this.#lateSinceMs;
    this.#lateSinceMs = undefined;
    // What watches nothing belongs to nobody: the client never heard of it, as the answer to its creation was lost.
    if (sinceMs === undefined || this.items.size === 0) return;
    this.#options.onWaited({ fromMs: sinceMs, quietSinceMs: this.#lastMessageMs });
  }

  #send(
    respond: Respond,
    notificationData: readonly (DataChangeNotification | StatusChangeNotification)[],
  ): void {
    const { time, losesNext } = this.#options;
    const hasNews = notificationData.length > 0;
    const sequenceNumber = this.#nextSequenceNumber;
    const message = new NotificationMessage({
      sequenceNumber,
      publishTime: new Date(time.epochMs()),
      notificationData: [...notificationData],
    });
    if (hasNews) {
      this.#nextSequenceNumber += 1;
      this.#store(message);
    }
    // What was to be said does not arrive, and a message without news has the number of the next one.
    const isLost = hasNews && losesNext();
    respond(
      new PublishResponse({
        subscriptionId: this.id,
        moreNotifications: false,
        notificationMessage: isLost
          ? new NotificationMessage({ sequenceNumber: this.#nextSequenceNumber, notificationData: [] })
          : message,
      }),
    );
  }

  #store(message: NotificationMessage): void {
    this.#stored.set(message.sequenceNumber, message);
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > this.#options.storedMessages && oldest !== undefined) this.#stored.delete(oldest);
  }
}
