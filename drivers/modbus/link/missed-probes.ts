import type { MissedRequest } from './modbus-client.ts';

// Several per unit: a slow unit may be probed again before it responds.
const MAXIMUM_MISSED_PROBES = 1024;

/** Probes that timed out, by transaction identifier; of too many, the newest. */
export class MissedProbes {
  readonly #requests = new Map<number, MissedRequest>();

  /** Records a probe that timed out; its identifier belongs to no other one. */
  record(transactionId: number, { request, sentMs }: MissedRequest): void {
    const [oldest] = this.#requests.keys();
    if (oldest !== undefined && this.#requests.size === MAXIMUM_MISSED_PROBES) this.#requests.delete(oldest);
    this.#requests.set(transactionId, { request, sentMs });
  }

  find(transactionId: number): MissedRequest | undefined {
    return this.#requests.get(transactionId);
  }

  /** Forgets a probe: its response arrived, or its identifier is used again. */
  forget(transactionId: number): void {
    this.#requests.delete(transactionId);
  }
}
