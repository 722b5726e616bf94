import type { Clock } from '../base/clock.ts';
import { LedgerShares } from './ledger-shares.ts';
import { estimateBytes, MAXIMUM_LEDGER_BYTES, refuseFull } from './used-token-ledger.ts';
import type { UsedToken, UsedTokenLedger, UsedTokenLedgerOptions } from './used-token-ledger.ts';

// A sweep visits all marks: about ten milliseconds for half a million.
const SWEEP_INTERVAL_MS = 60_000;
const FULL_SWEEP_INTERVAL_MS = 1000;

type Mark = Pick<UsedToken, 'sub' | 'exp'>;

/** Keeps marks in memory; they are lost when the process ends. */
export class MemoryUsedTokenLedger implements UsedTokenLedger {
  readonly #clock: Clock;
  readonly #retentionSeconds: () => number;
  readonly #shares: LedgerShares;
  // By issuer, then identifier: a joined key would be ambiguous where an issuer contains the separator.
  readonly #marks = new Map<string, Map<string, Mark>>();
  #sweptAtMs: number;

  constructor({
    clock,
    retentionSeconds,
    maximumBytes = MAXIMUM_LEDGER_BYTES,
  }: UsedTokenLedgerOptions & { clock: Clock }) {
    this.#clock = clock;
    this.#retentionSeconds = retentionSeconds;
    this.#shares = new LedgerShares(maximumBytes);
    this.#sweptAtMs = clock.monotonicMs();
  }

  claim({ iss, jti, sub, exp }: UsedToken): boolean {
    this.#sweep(SWEEP_INTERVAL_MS);
    if (this.isClaimed(iss, jti)) return false;
    this.#remove(iss, jti);
    const bytes = estimateBytes(iss, jti);
    if (!this.#shares.hasRoom(iss, sub, bytes)) this.#sweep(FULL_SWEEP_INTERVAL_MS);
    if (!this.#shares.hasRoom(iss, sub, bytes)) throw refuseFull();
    const ofIssuer = this.#marks.get(iss) ?? new Map<string, Mark>();
    this.#marks.set(iss, ofIssuer.set(jti, { sub, exp }));
    this.#shares.add(iss, sub, bytes);
    return true;
  }

  isClaimed(iss: string, jti: string): boolean {
    const mark = this.#marks.get(iss)?.get(jti);
    return mark !== undefined && !this.#isOver(mark);
  }

  #isOver({ exp }: Mark): boolean {
    return this.#clock.epochMs() >= (exp + this.#retentionSeconds()) * 1000;
  }

  #sweep(intervalMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptAtMs < intervalMs) return;
    this.#sweptAtMs = nowMs;
    for (const [iss, ofIssuer] of this.#marks) {
      for (const [jti, mark] of ofIssuer) {
        if (this.#isOver(mark)) this.#remove(iss, jti);
      }
    }
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
