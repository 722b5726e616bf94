import type { Clock } from '../../../base/clock.ts';

// Longer than a change of the configuration can wait for its confirmation.
const UNUSED_MS = 2 * 86_400_000;
const CHECK_MS = 60_000;

interface Declaration {
  /** Names of consumers. */
  readonly used: Set<string>;
  /** Monotonic time since which each other one is not used. */
  readonly since: Map<string, number>;
  nextCheckMs: number;
}

/**
 * Finds the cursors that a bundle no longer needs, as it has declared itself: those of other recorders, if it has not used them
 * for two days in which the gateway ran.
 *
 * A bundle that declares nothing, or does not run, keeps its cursors.
 */
export class UnusedCursors {
  readonly #clock: Clock;
  /** By the start of the names of its cursors. */
  readonly #declarations = new Map<string, Declaration>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Replaces what a bundle has declared.
   *
   * @param start of the names of all its consumers
   * @param consumers that it uses
   */
  declare(start: string, consumers: readonly string[]): void {
    const since = this.#declarations.get(start)?.since ?? new Map<string, number>();
    for (const consumer of consumers) since.delete(consumer);
    this.#declarations.set(start, { used: new Set(consumers), since, nextCheckMs: -Infinity });
  }

  /** Notes that a consumer is used, whatever was declared. */
  use(consumer: string): void {
    for (const { since } of this.#declarations.values()) since.delete(consumer);
  }

  /** True if {@link find} may have something new for a bundle: once a minute. */
  isDue(start: string): boolean {
    const declared = this.#declarations.get(start);
    return declared !== undefined && this.#clock.monotonicMs() >= declared.nextCheckMs;
  }

  /** Returns those of the consumers that a bundle no longer needs. */
  find(start: string, consumers: readonly string[]): readonly string[] {
    const declared = this.#declarations.get(start);
    if (declared === undefined) return [];
    const nowMs = this.#clock.monotonicMs();
    declared.nextCheckMs = nowMs + CHECK_MS;
    const unused = consumers.filter((each) => each.startsWith(start) && !declared.used.has(each));
    return unused.filter((consumer) => {
      const sinceMs = declared.since.get(consumer) ?? nowMs;
      declared.since.set(consumer, sinceMs);
      return nowMs - sinceMs >= UNUSED_MS;
    });
  }
}
