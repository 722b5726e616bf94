import { GatewayError } from '../../daemon/base/errors.ts';
import type { UnitStatus } from '../../daemon/channel/driver.ts';
import { NoAnswer } from './opcua-errors.ts';

const COUNTERS = ['reads', 'writes', 'subscriptions', 'timeouts', 'refusals', 'linkLosses'] as const;
export type Counter = (typeof COUNTERS)[number];

/** Keeps what is to be shown of a server. */
export class ServerStatus {
  readonly #name: string;
  readonly #clock: { epochMs(): number };
  readonly #counts = new Map<Counter, number>(COUNTERS.map((counter) => [counter, 0]));
  #state: UnitStatus['state'] = 'UNKNOWN';
  #lastError: { readonly message: string; readonly atMs: number } | undefined;

  constructor(name: string, clock: { epochMs(): number }) {
    this.#name = name;
    this.#clock = clock;
  }

  /** Adds one to a counter. */
  count(counter: Counter): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + 1);
  }

  /** Takes note that the server answered. */
  noteAnswer(): void {
    this.#state = 'ANSWERING';
  }

  /** Takes note of a call that failed, or of the loss of the connection. */
  noteFailure(error: unknown): void {
    if (error instanceof NoAnswer) this.count('timeouts');
    if (!(error instanceof GatewayError)) return;
    this.#lastError = { message: error.detail, atMs: this.#clock.epochMs() };
  }

  /** Takes note that the connection is gone. */
  noteLoss(error: unknown): void {
    this.count('linkLosses');
    this.#state = 'UNKNOWN';
    this.noteFailure(error);
  }

  /** One entry, once something is known of the server. */
  unitStatus(): readonly UnitStatus[] {
    if (this.#state === 'UNKNOWN' && this.#lastError === undefined) return [];
    return [
      {
        name: this.#name,
        state: this.#state,
        lastError: this.#lastError?.message,
        lastErrorAtMs: this.#lastError?.atMs,
        counters: this.counters(),
      },
    ];
  }

  counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
