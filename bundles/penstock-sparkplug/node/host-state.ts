/** STATE message of a host application. */
export interface StateMessage {
  readonly isOnline: boolean;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
}

/** Parses a STATE message: JSON with `online` and `timestamp`; undefined for anything else. */
export function parseState(payload: Uint8Array): StateMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { online, timestamp } = value as { readonly online?: unknown; readonly timestamp?: unknown };
  if (typeof online !== 'boolean' || typeof timestamp !== 'number' || !Number.isFinite(timestamp))
    return undefined;
  return { isOnline: online, timestampMs: timestamp };
}

/**
 * State of the primary host application on one connection to a broker.
 *
 * A message that is older than what is known belongs to an earlier connection of the host and is ignored.
 */
export class HostState {
  #isOnline: boolean | undefined;
  #newestMs = -Infinity;

  /** Undefined: no STATE message has come. */
  get isOnline(): boolean | undefined {
    return this.#isOnline;
  }

  /**
   * Takes a STATE message.
   *
   * @returns true if it counts, false if it is older than the one before
   */
  accept({ isOnline, timestampMs }: StateMessage): boolean {
    if (timestampMs < this.#newestMs) return false;
    this.#newestMs = timestampMs;
    this.#isOnline = isOnline;
    return true;
  }
}
