import type { Clock } from '../base/clock.ts';
import { estimateBytes, MAXIMUM_LEDGER_BYTES, refuseFull } from './used-token-ledger.ts';
import type { UsedTokenLedger, UsedTokenLedgerOptions } from './used-token-ledger.ts';

// A sweep walks through all marks: some ten milliseconds for half a million.
const SWEEP_INTERVAL_MS = 60_000;
const FULL_SWEEP_INTERVAL_MS = 1000;

/** Makes an empty ledger that ends with the process. */
export function createMemoryUsedTokenLedger(
  options: UsedTokenLedgerOptions & { clock: Clock },
): UsedTokenLedger {
  return new MemoryUsedTokenLedger(options);
}

class MemoryUsedTokenLedger implements UsedTokenLedger {
  readonly #clock: Clock;
  readonly #retentionSeconds: () => number;
  readonly #maximumBytes: number;
  // By issuer, then identifier: a joined key could be made equal by choosing where the separator falls.
  readonly #marks = new Map<string, Map<string, number>>();
  #bytes = 0;
  #sweptAtMs: number;

  constructor({
    clock,
    retentionSeconds,
    maximumBytes = MAXIMUM_LEDGER_BYTES,
  }: UsedTokenLedgerOptions & { clock: Clock }) {
    this.#clock = clock;
    this.#retentionSeconds = retentionSeconds;
    this.#maximumBytes = maximumBytes;
    this.#sweptAtMs = clock.monotonicMs();
  }

  claim(iss: string, jti: string, expiresAtSeconds: number): boolean {
    this.#sweep(SWEEP_INTERVAL_MS);
    if (this.isClaimed(iss, jti)) return false;
    this.#remove(iss, jti);
    const bytes = estimateBytes(iss, jti);
    if (this.#bytes + bytes > this.#maximumBytes) this.#sweep(FULL_SWEEP_INTERVAL_MS);
    if (this.#bytes + bytes > this.#maximumBytes) throw refuseFull();
    const ofIssuer = this.#marks.get(iss) ?? new Map<string, number>();
    this.#marks.set(iss, ofIssuer.set(jti, expiresAtSeconds));
    this.#bytes += bytes;
    return true;
  }

  isClaimed(iss: string, jti: string): boolean {
    const expiresAtSeconds = this.#marks.get(iss)?.get(jti);
    return expiresAtSeconds !== undefined && !this.#isOver(expiresAtSeconds);
  }

  #isOver(expiresAtSeconds: number): boolean {
    return this.#clock.epochMs() >= (expiresAtSeconds + this.#retentionSeconds()) * 1000;
  }

  #sweep(intervalMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptAtMs < intervalMs) return;
    this.#sweptAtMs = nowMs;
    for (const [iss, ofIssuer] of this.#marks) {
      for (const [jti, expiresAtSeconds] of ofIssuer) {
        if (this.#isOver(expiresAtSeconds)) this.#remove(iss, jti);
      }
    }
  }

  #remove(iss: string, jti: string): void {
    const ofIssuer = this.#marks.get(iss);
    if (ofIssuer?.delete(jti) !== true) return;
    this.#bytes -= estimateBytes(iss, jti);
    if (ofIssuer.size === 0) this.#marks.delete(iss);
  }
}
