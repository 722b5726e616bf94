import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import { ConnectionError, NoSubscriptionCapacity, toChannelFailure } from '../../../channel/driver-errors.ts';
import type { Reading } from '../../../channel/driver.ts';
import { toRecord, toSlot } from './channel-slot.ts';
import type { ReadableSlot } from './channel-slot.ts';
import type { ChannelSource, Deliver, SourcePlan } from './channel-source.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';
import { selectNewest } from '../write/record-change.ts';

interface SubscribingSourceOptions {
  readonly connection: DriverConnection;
  readonly deliver: Deliver;
  /** Delivers the channels while the device has no capacity for a subscription. */
  readonly polling: ChannelSource;
  readonly clock: Clock;
}

/** Pause before another subscription is requested from a device without capacity. */
export const CAPACITY_RETRY_MS = 60_000;

/**
 * Subscribes to changes at a device, and again after each end of the subscription; the channels fail in between. A device
 * without capacity for a subscription is polled.
 */
export class SubscribingSource implements ChannelSource {
  readonly #options: SubscribingSourceOptions;
  #isActive = false;
  #refusal: string | undefined;
  #following: AbortController | undefined;
  #waiting: ChannelRecord[] = [];

  constructor(options: SubscribingSourceOptions) {
    this.#options = options;
  }

  get mode(): ChannelSource['mode'] {
    return this.#refusal === undefined ? 'SUBSCRIBE' : 'POLL';
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  get refusal(): string | undefined {
    return this.#refusal;
  }

  follow(plan: SourcePlan): void {
    // Not `stop`: reports of this turn are still delivered.
    this.#end();
    const following = new AbortController();
    this.#following = following;
    void this.#keepSubscribed(plan, following.signal);
  }

  stop(): void {
    this.#end();
    this.#waiting = [];
  }

  #end(): void {
    this.#isActive = false;
    this.#options.polling.stop();
    this.#following?.abort();
  }

  async #keepSubscribed(plan: SourcePlan, signal: AbortSignal): Promise<void> {
    const { clock, connection } = this.#options;
    const slots = plan.channels.map((channel) => toSlot(channel)).filter((slot) => 'scaling' in slot);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const wasActive = await this.#subscribeOnce(slots, plan, signal);
      if (wasActive) failures = 1;
      const pauseMs = this.#refusal === undefined ? connection.pauseMs(failures) : CAPACITY_RETRY_MS;
      await delay(clock, pauseMs, signal).catch(() => undefined);
    }
  }

  /** @returns true if the device had accepted the subscription; resolves when it has ended or was refused */
  async #subscribeOnce(
    slots: readonly ReadableSlot[],
    plan: SourcePlan,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { connection, polling } = this.#options;
    // A value that was read before must not follow one that the device reports.
    polling.stop();
    const { promise: ended, resolve: end } = Promise.withResolvers<ConnectionError | undefined>();
    signal.addEventListener('abort', () => end(undefined), { once: true });
    let wasAccepted = false;
    try {
      await connection.subscribe({
        channels: slots.map(({ channel }) => channel),
        minimumIntervalMs: plan.intervalMs,
        signal,
        onReading: (index, reading) => {
          const slot = slots[index];
          if (slot !== undefined && !signal.aborted) this.#take(slot, reading);
        },
        onEnd: end,
      });
      wasAccepted = true;
      if (!signal.aborted) {
        this.#isActive = true;
        this.#refusal = undefined;
      }
      this.#fail(slots, await ended, signal);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (error instanceof NoSubscriptionCapacity) this.#poll(plan, error, signal);
      else this.#fail(slots, error, signal);
    }
    return wasAccepted;
  }

  #poll(plan: SourcePlan, error: NoSubscriptionCapacity, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#isActive = true;
    this.#refusal = error.detail;
    this.#options.polling.follow(plan);
  }

  // Devices report many channels in one message: these become one change.
  #take(slot: ReadableSlot, reading: Reading): void {
    if (this.#waiting.length === 0) {
      queueMicrotask(() => {
        const records = selectNewest(this.#waiting);
        this.#waiting = [];
        if (records.length > 0) this.#options.deliver(records);
      });
    }
    this.#waiting.push(toRecord(slot, reading));
  }

  #fail(slots: readonly ReadableSlot[], error: ConnectionError | undefined, signal: AbortSignal): void {
    if (error === undefined || signal.aborted) return;
    this.#isActive = false;
    this.#refusal = undefined;
    this.#waiting = [];
    const failure = toChannelFailure(error);
    const timestampMs = this.#options.clock.epochMs();
    this.#options.deliver(
      slots.map(({ channel }) => ({ channel, name: channel.name, failure, timestampMs })),
    );
  }
}
