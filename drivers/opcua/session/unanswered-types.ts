import { LinkLost } from '../opcua-errors.ts';
import { VariantFault } from '../value/variant.ts';

/** A type whose definition the server does not give, and when it is asked for again. */
interface UnansweredType {
  readonly failures: number;
  readonly retryAtMs: number;
  readonly fault: VariantFault;
}

const MINUTE_MS = 60_000;
// A connection may break while a type is asked for, and not because of it.
const PAUSES_MS = [MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS] as const;
// A server that makes up types without end must not fill the memory.
const MOST_TYPES = 1000;

/**
 * Types of structures for which a server cannot be asked without harm: it ended the connection, or did not answer. They
 * outlive the sessions of a driver, so that one such type does not cost every session its connection.
 */
export class UnansweredTypes {
  readonly #clock: { monotonicMs(): number; epochMs(): number };
  readonly #types = new Map<string, UnansweredType>();

  constructor(clock: { monotonicMs(): number; epochMs(): number }) {
    this.#clock = clock;
  }

  /**
   * Returns why a type is not asked for at present; undefined when it may be.
   *
   * @param type the same in each session, as `nsu=urn:maker:device;i=5001`
   */
  find(type: string): VariantFault | undefined {
    const known = this.#types.get(type);
    return known !== undefined && this.#clock.monotonicMs() < known.retryAtMs ? known.fault : undefined;
  }

  /** Records that asking for a type failed so; it is asked for again after a minute, then an hour, then a day each. */
  note(type: string, error: Error): void {
    const failures = (this.#types.get(type)?.failures ?? 0) + 1;
    const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? MINUTE_MS;
    const retryAt = new Date(this.#clock.epochMs() + pauseMs).toISOString();
    const what = error instanceof LinkLost ? 'ends the connection' : 'does not respond';
    const message = `the server ${what} when the type of this structure is requested, ${type}; next attempt at ${retryAt}`;
    const fault = new VariantFault('OPCUA_TYPE_UNAVAILABLE', message);
    this.#types.delete(type);
    this.#types.set(type, { failures, retryAtMs: this.#clock.monotonicMs() + pauseMs, fault });
    const [oldest] = this.#types.keys();
    if (this.#types.size > MOST_TYPES && oldest !== undefined) this.#types.delete(oldest);
  }

  /** Records that the server has described a type. */
  forget(type: string): void {
    this.#types.delete(type);
  }
}
