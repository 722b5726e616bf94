import type { Clock } from '../../base/clock.ts';
import { UsedTokenQuota } from './used-token-quota.ts';
import { estimateBytes, RETAINED_EXPIRED, MAXIMUM_USED_TOKEN_BYTES, refuseFull } from './used-token-store.ts';
import type { UsedToken, UsedTokenStore, UsedTokenStoreOptions } from './used-token-store.ts';

// A sweep visits all marks: about ten milliseconds for half a million.
const SWEEP_INTERVAL_MS = 60_000;
const FULL_SWEEP_INTERVAL_MS = 1000;

type Mark = Pick<UsedToken, 'sub' | 'exp'>;

/** In-memory store of marks, lost at process exit. */
export class MemoryUsedTokenStore implements UsedTokenStore {
  readonly #clock: Clock;
  readonly #retentionSeconds: () => number;
  readonly #retainedExpired: number;
  readonly #shares: UsedTokenQuota;
  // By issuer, then identifier: a joined key would be ambiguous if an issuer contains the separator.
  readonly #marks = new Map<string, Map<string, Mark>>();
  #sweptAtMs: number;
  #sweptFullAtMs: number;

  constructor({
    clock,
    retentionSeconds,
    retainedExpired = RETAINED_EXPIRED,
    maximumBytes = MAXIMUM_USED_TOKEN_BYTES,
  }: UsedTokenStoreOptions & { clock: Clock }) {
    this.#clock = clock;
    this.#retentionSeconds = retentionSeconds;
    this.#retainedExpired = retainedExpired;
    this.#shares = new UsedTokenQuota(maximumBytes);
    this.#sweptAtMs = clock.monotonicMs();
    this.#sweptFullAtMs = this.#sweptAtMs;
  }

  claim({ iss, jti, sub, exp }: UsedToken): boolean {
    this.#sweepSometimes();
    if (this.isClaimed(iss, jti)) return false;
    const bytes = estimateBytes(iss, jti);
    if (!this.#shares.hasCapacity(iss, sub, bytes)) this.#sweepFull();
    if (!this.#shares.hasCapacity(iss, sub, bytes)) throw refuseFull();
    const ofIssuer = this.#marks.get(iss) ?? new Map<string, Mark>();
    this.#marks.set(iss, ofIssuer.set(jti, { sub, exp }));
    this.#shares.add(iss, sub, bytes);
    return true;
  }

  isClaimed(iss: string, jti: string): boolean {
    return this.#marks.get(iss)?.has(jti) ?? false;
  }

  #sweepSometimes(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptAtMs < SWEEP_INTERVAL_MS) return;
    this.#sweptAtMs = nowMs;
    this.#sweep(this.#retainedExpired);
  }

  #sweepFull(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptFullAtMs < FULL_SWEEP_INTERVAL_MS) return;
    this.#sweptFullAtMs = nowMs;
    this.#sweep(0);
  }

  /** Deletes expired marks except the most recently expired ones. */
  #sweep(kept: number): void {
    const overBefore = this.#clock.epochMs() / 1000 - this.#retentionSeconds();
    const over = [...this.#marks].flatMap(([iss, ofIssuer]) =>
      [...ofIssuer].flatMap(([jti, { exp }]) => (exp <= overBefore ? [{ iss, jti, exp }] : [])),
    );
    if (over.length <= kept) return;
    const oldestFirst = over.toSorted((one, other) => one.exp - other.exp);
    for (const { iss, jti } of oldestFirst.slice(0, over.length - kept)) this.#remove(iss, jti);
  }

  #remove(iss: string, jti: string): void {
    const ofIssuer = this.#marks.get(iss);
    const mark = ofIssuer?.get(jti);
    if (ofIssuer === undefined || mark === undefined) return;
    ofIssuer.delete(jti);
    this.#shares.add(iss, mark.sub, -estimateBytes(iss, jti));
    if (ofIssuer.size === 0) this.#marks.delete(iss);
  }
}
