import { ConnectionError, NoSubscriptionCapacity } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { PublishLoop } from './publish-loop.ts';
import type { SessionLoop } from './server-subscription.ts';
import { SharedSubscription } from './shared-subscription.ts';
import type { SharedSubscriptionOptions } from './shared-subscription.ts';
import { toEndError } from './subscription-errors.ts';

type PoolOptions = Omit<SharedSubscriptionOptions, 'at' | 'minimumIntervalMs' | 'renew'> & {
  readonly session: OpcuaSession;
};

// A server that loses messages again and again costs a pause each time, which the end of the subscription brings.
const RENEWAL_PAUSE_MS = 10_000;

/** Subscriptions of one session: one for all subscribers, or for each interval if the server does not change intervals. */
export class SubscriptionPool {
  readonly #options: PoolOptions;
  /** All subscriptions of a session share its Publish requests. */
  #at: SessionLoop;
  readonly #shared = new Set<SharedSubscription>();
  /** Newest refusal for lack of capacity; undefined after a success. */
  #refusal: string | undefined;
  #renewedMs = -Infinity;

  constructor(options: PoolOptions) {
    const { session } = options;
    this.#options = options;
    this.#at = { session, loop: new PublishLoop(session) };
  }

  /**
   * Continues the subscriptions on another connection of their session, and deletes those without subscribers.
   *
   * @returns false if it is another session, which has none of them
   */
  resume(session: OpcuaSession): boolean {
    const { session: former, loop } = this.#at;
    if (session.onServer !== former.onServer) {
      for (const shared of this.#shared) shared.close();
      return false;
    }
    this.#at = { session, loop: new PublishLoop(session, loop.acknowledgements) };
    const isRenumbered = former.namespaces.uris.some((uri, index) => session.namespaces.uris[index] !== uri);
    const continued = new Set<number>();
    for (const shared of this.#shared) {
      const id = isRenumbered ? undefined : shared.resume(this.#at);
      if (id !== undefined) continued.add(id);
      else {
        shared.close();
        this.#shared.delete(shared);
      }
    }
    const others = session.onServer.subscriptionIds.filter((id) => !continued.has(id));
    void this.#at.loop.delete(others);
    return true;
  }

  /** Subscribes to channels; see `SharedSubscription.join`. */
  async subscribe(subscribe: SubscribeOptions<OpcuaAddress>): Promise<void> {
    try {
      await this.#join(subscribe).catch(async (error: unknown) => {
        if (!(error instanceof NoSubscriptionCapacity) || !(await this.#release())) throw error;
        await this.#join(subscribe);
      });
      this.#refusal = undefined;
    } catch (error) {
      if (error instanceof NoSubscriptionCapacity) this.#noteRefusal(error);
      throw error;
    }
  }

  async #join(subscribe: SubscribeOptions<OpcuaAddress>): Promise<void> {
    // Values from before the connection was lost are of use only with all changes since.
    await this.#find(subscribe).resumed;
    // One that does not change its interval for the subscriber is not found again.
    while (!(await this.#find(subscribe).join(subscribe)));
  }

  /** Deletes what subscribers that have left keep on the server; returns false if there is nothing. */
  async #release(): Promise<boolean> {
    const released = await Promise.all(Array.from(this.#shared, (shared) => shared.release()));
    return released.includes(true);
  }

  #find(subscribe: SubscribeOptions<OpcuaAddress>): SharedSubscription {
    for (const shared of this.#shared) if (shared.isEnded) this.#shared.delete(shared);
    const found = [...this.#shared].find((shared) => shared.suits(subscribe));
    if (found !== undefined) return found;
    const created = new SharedSubscription({
      ...this.#options,
      at: this.#at,
      minimumIntervalMs: subscribe.minimumIntervalMs,
      renew: (subscribers, reason) => this.#renew(subscribers, reason),
    });
    this.#shared.add(created);
    return created;
  }

  /** Has subscribers begin again, with the present values, and without a report of the loss. */
  #renew(subscribers: readonly SubscribeOptions<OpcuaAddress>[], reason: string): void {
    const { clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    const isRepeated = nowMs - this.#renewedMs < RENEWAL_PAUSE_MS;
    this.#renewedMs = nowMs;
    if (isRepeated) {
      const detail = `changes were lost: ${reason}`;
      for (const { onEnd } of subscribers)
        onEnd(new ConnectionError({ code: 'OPCUA_NOTIFICATION_LOST', detail }));
      return;
    }
    logger.warn('opcua.notificationsLost', { reason });
    for (const subscriber of subscribers) {
      this.subscribe(subscriber).catch((error: unknown) => subscriber.onEnd(toEndError(error)));
    }
  }

  // Logged once: the request is repeated every minute.
  #noteRefusal(error: NoSubscriptionCapacity): void {
    if (this.#refusal === error.detail) return;
    this.#refusal = error.detail;
    this.#options.logger.warn('opcua.subscriptionRefused', { error });
  }
}
