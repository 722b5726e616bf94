import { LinkLost, ServiceRefused } from '../opcua-errors.ts';
import { GONE } from './server-subscription.ts';
import type { ServerSubscription } from './server-subscription.ts';

/** Publishing interval of a subscription that several subscribers share: the shortest that one of them requests. */
export class PublishingPace {
  /** As requested; NaN: a change got no usable response. */
  #intervalMs: number;
  /** True if the server does not change it. */
  #isFixed = false;
  /** Resolves when no change is pending. */
  #changed: Promise<void> = Promise.resolve();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** True if a subscriber receives changes as often as it requests, or will after a change. */
  suits(intervalMs: number): boolean {
    return !this.#isFixed || this.#intervalMs <= intervalMs;
  }

  /**
   * Has the server report at the shortest interval. A longer one than before may take effect later.
   *
   * @param findShortestMs called when earlier changes are done; Infinity: no change
   * @throws {LinkLost}
   * @throws {ServiceRefused} the server no longer has the subscription
   */
  async change(server: ServerSubscription, findShortestMs: () => number): Promise<void> {
    const change = this.#changed.then(async () => {
      const intervalMs = findShortestMs();
      if (this.#isFixed || intervalMs === this.#intervalMs || !Number.isFinite(intervalMs)) return;
      const prepared = intervalMs > this.#intervalMs ? server.prepare(intervalMs) : undefined;
      if (prepared === undefined) await this.#modify(server, intervalMs);
      // Until then, the server reports more often than necessary.
      else void prepared.then(() => this.change(server, findShortestMs)).catch(() => undefined);
    });
    this.#changed = change.catch(() => undefined);
    await change;
  }

  async #modify(server: ServerSubscription, intervalMs: number): Promise<void> {
    const previousMs = this.#intervalMs;
    this.#intervalMs = NaN;
    try {
      this.#isFixed = !(await server.modify(intervalMs));
      this.#intervalMs = this.#isFixed ? previousMs : intervalMs;
    } catch (error) {
      const isRefused = error instanceof ServiceRefused;
      if (error instanceof LinkLost || (isRefused && error.status === GONE)) throw error;
      this.#isFixed = true;
      if (isRefused) this.#intervalMs = previousMs;
    }
  }
}
