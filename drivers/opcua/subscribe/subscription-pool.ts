import { NoSubscriptionCapacity } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribeOptions } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { PublishLoop } from './publish-loop.ts';
import { SharedSubscription } from './shared-subscription.ts';
import type { SharedSubscriptionOptions } from './shared-subscription.ts';

type PoolOptions = Omit<SharedSubscriptionOptions, 'loop' | 'minimumIntervalMs'>;

/** Subscriptions of one session: one for each requested interval, whatever the number of subscribers. */
export class SubscriptionPool {
  readonly #options: PoolOptions;
  /** All subscriptions of a session share its Publish requests. */
  readonly #loop: PublishLoop;
  /** By requested publishing interval. */
  readonly #shared = new Map<number, SharedSubscription>();
  /** Newest refusal for lack of capacity; undefined after a success. */
  #refusal: string | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#loop = new PublishLoop(options.session);
  }

  get session(): PoolOptions['session'] {
    return this.#options.session;
  }

  /** Subscribes to channels; see `SharedSubscription.join`. */
  async subscribe(subscribe: SubscribeOptions<OpcuaAddress>): Promise<void> {
    const { minimumIntervalMs } = subscribe;
    const intervalMs = this.#options.config.publishingIntervalMs ?? minimumIntervalMs;
    for (const [key, { isEnded }] of this.#shared) if (isEnded) this.#shared.delete(key);
    let shared = this.#shared.get(intervalMs);
    if (shared === undefined) {
      shared = new SharedSubscription({ ...this.#options, loop: this.#loop, minimumIntervalMs });
      this.#shared.set(intervalMs, shared);
    }
    try {
      await shared.join(subscribe);
      this.#refusal = undefined;
    } catch (error) {
      if (error instanceof NoSubscriptionCapacity) this.#noteRefusal(error);
      throw error;
    }
  }

  // Logged once: the request is repeated every minute.
  #noteRefusal(error: NoSubscriptionCapacity): void {
    if (this.#refusal === error.detail) return;
    this.#refusal = error.detail;
    this.#options.logger.warn('opcua.subscriptionRefused', { error });
  }
}
