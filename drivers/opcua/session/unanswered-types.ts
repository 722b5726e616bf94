import { LinkLost } from '../opcua-errors.ts';
import { VariantFault } from '../value/variant.ts';

/** A type whose definition the server does not provide, and the time of the next attempt. */
interface UnansweredType {
  readonly failures: number;
  readonly retryAtMs: number;
  readonly fault: VariantFault;
}

const MINUTE_MS = 60_000;
// A connection may break while a type is requested, but for another reason.
const PAUSES_MS = [MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS] as const;
// Guards against a server that invents types without end.
const MAXIMUM_TYPES = 1000;

/**
 * Structure types that cannot be requested safely: the server closed the connection or did not respond. Stored beyond a
 * session, so that such a type does not cost every session its connection.
 */
export class UnansweredTypes {
  readonly #clock: { monotonicMs(): number; epochMs(): number };
  readonly #types = new Map<string, UnansweredType>();

  constructor(clock: { monotonicMs(): number; epochMs(): number }) {
    this.#clock = clock;
  }

  /**
   * Returns the reason for not requesting a type now; undefined if it may be requested.
   *
   * @param type name independent of the session, for example `nsu=urn:maker:device;i=5001`
   */
  find(type: string): VariantFault | undefined {
    const known = this.#types.get(type);
    return known !== undefined && this.#clock.monotonicMs() < known.retryAtMs ? known.fault : undefined;
  }

  /** Records a failed request for a type; it is retried after a minute, then an hour, then daily. */
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
    if (this.#types.size > MAXIMUM_TYPES && oldest !== undefined) this.#types.delete(oldest);
  }

  /** Records that the server has described a type. */
  forget(type: string): void {
    this.#types.delete(type);
  }
}
