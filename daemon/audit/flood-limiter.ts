import type { Clock } from '../base/clock.ts';
import type { AuditKind } from './audit-event.ts';

/** So many events of one kind are recorded one by one per second, in the long run. */
export const EVENTS_PER_SECOND = 50;
/** So many events of one kind are recorded one by one when they come at once: a large write is several events. */
export const BURST = 100;

/** How many events of a kind were not recorded one by one. */
export interface Suppressed extends AuditKind {
  readonly count: number;
}

interface Bucket extends AuditKind {
  tokens: number;
  refilledAtMs: number;
  suppressed: number;
}

/** Decides which events are recorded and counts the others: a token bucket for each kind. */
export class FloodLimiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the event is to be recorded; when not, it has been counted. */
  admit(kind: AuditKind): boolean {
    const bucket = this.#refill(kind);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return true;
    }
    bucket.suppressed += 1;
    return false;
  }

  /** Gives what was counted since the last call, and counts from zero again. */
  takeSuppressed(): readonly Suppressed[] {
    const flooded = [...this.#buckets.values()].filter(({ suppressed }) => suppressed > 0);
    return flooded.map((bucket) => {
      const { event, outcome, suppressed: count } = bucket;
      bucket.suppressed = 0;
      return { event, outcome, count };
    });
  }

  #refill({ event, outcome }: AuditKind): Bucket {
    const nowMs = this.#clock.monotonicMs();
    const key = `${event} ${outcome}`;
    const bucket = this.#buckets.get(key) ?? {
      event,
      outcome,
      tokens: BURST,
      refilledAtMs: nowMs,
      suppressed: 0,
    };
    bucket.tokens = Math.min(
      BURST,
      bucket.tokens + ((nowMs - bucket.refilledAtMs) * EVENTS_PER_SECOND) / 1000,
    );
    bucket.refilledAtMs = nowMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
