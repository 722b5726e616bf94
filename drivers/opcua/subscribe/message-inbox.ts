import type { NotificationMessage } from 'node-opcua-client';

import { MessageOrder } from './message-order.ts';

export interface InboxOptions {
  /** Requests a message that the server has stored; undefined if it does not have it. */
  readonly fetch: (sequenceNumber: number) => Promise<NotificationMessage | undefined>;
  /** Receives each message with notifications once, in order. */
  readonly deliver: (message: NotificationMessage) => void;
  /** The server no longer has messages that are missing: with them, changes are lost. */
  readonly onMissing: () => void;
  /** A request failed; messages that arrived stay until the next `fetch`. */
  readonly onFailure: (error: unknown) => void;
}

// Guards against a server that sends or stores messages without end.
const MAXIMUM_MESSAGES = 1000;

/**
 * Puts the messages of one subscription in order. Those that did not arrive are fetched from the server, which stores
 * them until they are acknowledged (OPC 10000-4, 5.14.6 and 6.7); later ones wait for them.
 */
export class MessageInbox {
  readonly #options: InboxOptions;
  readonly #order = new MessageOrder();
  /** Messages that wait for earlier ones, in the order of their arrival. */
  readonly #waiting: NotificationMessage[] = [];
  #fetching: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Takes a message that arrived. */
  take(message: NotificationMessage): void {
    this.#waiting.push(message);
    if (this.#fetching !== undefined) return;
    if (!this.#deliverWaiting()) void this.fetch();
  }

  /** Fetches all messages that the server has stored since the last one. Never rejects. */
  async fetch(): Promise<void> {
    if (this.#isClosed) return;
    this.#fetching ??= this.#fetchAll();
    await this.#fetching;
  }

  /** Delivers nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
  }

  async #fetchAll(): Promise<void> {
    try {
      for (let count = 1; ; count += 1) {
        const isNeeded = this.#waiting.length > 0;
        const message = await this.#options.fetch(this.#order.next);
        if (this.#isClosed) return;
        if (message !== undefined) {
          this.#order.advanceFetched();
          this.#options.deliver(message);
        }
        const isComplete = this.#deliverWaiting();
        if (isComplete && message === undefined) return;
        const isMissing = message === undefined && isNeeded;
        if (isMissing || Math.max(count, this.#waiting.length) > MAXIMUM_MESSAGES) {
          this.#options.onMissing();
          return;
        }
      }
    } catch (error) {
      if (!this.#isClosed) this.#options.onFailure(error);
    } finally {
      // At once: a message that arrives now must not wait for a fetch that has ended.
      this.#fetching = undefined;
    }
  }

  /** @returns false if messages are missing before the first that waits */
  #deliverWaiting(): boolean {
    for (let [message] = this.#waiting; message !== undefined; [message] = this.#waiting) {
      const { sequenceNumber, notificationData } = message;
      const isKnown = this.#order.isFetched(sequenceNumber);
      if (!isKnown && this.#order.countMissing(sequenceNumber) !== 0) return false;
      this.#waiting.shift();
      if (isKnown || (notificationData ?? []).length === 0) continue;
      this.#order.advance();
      this.#options.deliver(message);
    }
    return true;
  }
}
