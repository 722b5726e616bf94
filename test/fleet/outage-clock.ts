import type { Time } from '../../bundles/mqtt/time.ts';

interface Sleeper {
  readonly dueMs: number;
  timer: NodeJS.Timeout | undefined;
  readonly wake: () => void;
}

/** Time that passes faster than that of the machine while an outage is simulated. */
export class OutageClock implements Time {
  #speed = 1;
  #baseMs = Date.now();
  #sinceMs = performance.now();
  readonly #sleepers = new Set<Sleeper>();

  /** Milliseconds since the epoch by this clock. */
  nowMs(): number {
    return this.#baseMs + (performance.now() - this.#sinceMs) * this.#speed;
  }

  /** Milliseconds by which this clock is ahead of that of the machine. */
  get aheadMs(): number {
    return this.nowMs() - Date.now();
  }

  /** Changes the speed, that of waits in progress included. */
  setSpeed(speed: number): void {
    this.#baseMs = this.nowMs();
    this.#sinceMs = performance.now();
    this.#speed = speed;
    for (const sleeper of this.#sleepers) this.#schedule(sleeper);
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { dueMs: this.nowMs() + ms, timer: undefined, wake: resolve };
    this.#sleepers.add(sleeper);
    this.#schedule(sleeper);
    signal.addEventListener('abort', sleeper.wake, { once: true });
    await promise;
    signal.removeEventListener('abort', sleeper.wake);
    clearTimeout(sleeper.timer);
    this.#sleepers.delete(sleeper);
    signal.throwIfAborted();
  }

  random(): number {
    return Math.random();
  }

  #schedule(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    sleeper.timer = setTimeout(sleeper.wake, Math.max(0, sleeper.dueMs - this.nowMs()) / this.#speed);
  }
}
