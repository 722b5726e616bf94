import type { Cancel, Clock } from '../../../base/clock.ts';
import { Unavailable } from '../../../base/errors.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChannelSource, Deliver, SourcePlan } from './channel-source.ts';

interface PollingSourceOptions {
  /** Reads channels by name; see `Asset.read`. */
  readonly read: (names: readonly string[]) => Promise<{ readonly records: readonly ChannelRecord[] }>;
  readonly deliver: Deliver;
  readonly clock: Clock;
}

/** Polls a device; a read longer than the interval is followed by the next immediately. */
export class PollingSource implements ChannelSource {
  readonly mode = 'POLL';
  readonly isActive = true;
  readonly #options: PollingSourceOptions;
  #names: readonly string[] = [];
  #intervalMs = 0;
  #isRunning = false;
  #isWantedNow = false;
  #isStopped = false;
  #cancelNext: Cancel | undefined;

  constructor(options: PollingSourceOptions) {
    this.#options = options;
  }

  follow({ channels, intervalMs }: SourcePlan): void {
    this.#names = channels.map(({ name }) => name);
    this.#intervalMs = intervalMs;
    this.#isStopped = false;
    this.#cancelNext?.();
    // The running read serves the clients that requested it; new channels are read after it.
    if (this.#isRunning) this.#isWantedNow = true;
    else void this.#takeTurn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelNext?.();
  }

  async #takeTurn(): Promise<void> {
    const { read, deliver, clock } = this.#options;
    this.#isRunning = true;
    this.#isWantedNow = false;
    const startedAtMs = clock.monotonicMs();
    try {
      const { records } = await read(this.#names);
      if (!this.#isStopped) deliver(records);
    } catch (error) {
      // An overloaded asset is read again after the interval.
      if (!(error instanceof Unavailable)) throw error;
    } finally {
      this.#isRunning = false;
      this.#planNext(startedAtMs);
    }
  }

  #planNext(startedAtMs: number): void {
    if (this.#isStopped) return;
    if (this.#isWantedNow) {
      void this.#takeTurn();
      return;
    }
    const { clock } = this.#options;
    const waitMs = Math.max(0, startedAtMs + this.#intervalMs - clock.monotonicMs());
    this.#cancelNext = clock.schedule(waitMs, () => void this.#takeTurn());
  }
}
