import { GatewayError } from '../base/errors.ts';
import type { UnitStatus } from './driver.ts';

/** Meaning of a call error for the device. */
export interface FailureMeaning<Counter extends string> {
  /** Counter to increment. */
  readonly counter?: Counter | undefined;
  /** True if the device may be gone. */
  readonly isGone?: boolean;
}

export interface DeviceStatusOptions<Counter extends string> {
  /** Names the device, for example `instrument at /dev/ttyS0`. */
  readonly name: string;
  readonly clock: { epochMs(): number };
  /** All counters, in the order in which they are shown. */
  readonly counters: readonly Counter[];
  readonly interpret: (error: unknown) => FailureMeaning<Counter>;
}

/** Tracks state, newest error and counters of the only device on a connection. */
export class DeviceStatus<Counter extends string> {
  readonly #options: DeviceStatusOptions<Counter>;
  readonly #counts: Map<Counter, number>;
  #state: UnitStatus['state'] = 'UNKNOWN';
  #lastError: (Pick<GatewayError, 'detail' | 'code' | 'reasons'> & { readonly atMs: number }) | undefined;

  constructor(options: DeviceStatusOptions<Counter>) {
    this.#options = options;
    this.#counts = new Map(options.counters.map((counter) => [counter, 0]));
  }

  /** Adds one to a counter. */
  count(counter: Counter): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + 1);
  }

  /** Records that the device answered. */
  noteAnswer(): void {
    this.#state = 'ANSWERING';
  }

  /** Records an error of a call or of the connection. */
  noteFailure(error: unknown): void {
    const { clock, interpret } = this.#options;
    const { counter, isGone = false } = interpret(error);
    if (counter !== undefined) this.count(counter);
    if (isGone) this.#state = 'UNKNOWN';
    if (!(error instanceof GatewayError)) return;
    const { detail, code, reasons } = error;
    this.#lastError = { detail, code, reasons, atMs: clock.epochMs() };
  }

  /** Records that the connection is lost. */
  noteLoss(error: unknown): void {
    this.#state = 'UNKNOWN';
    this.noteFailure(error);
  }

  /** Returns one entry after the first event of the device. */
  unitStatus(): readonly UnitStatus[] {
    if (this.#state === 'UNKNOWN' && this.#lastError === undefined) return [];
    return [
      {
        name: this.#options.name,
        state: this.#state,
        lastError: this.#lastError?.detail,
        lastErrorCode: this.#lastError?.code,
        lastErrorReasons: this.#lastError?.reasons,
        lastErrorAtMs: this.#lastError?.atMs,
        counters: this.counters(),
      },
    ];
  }

  counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
