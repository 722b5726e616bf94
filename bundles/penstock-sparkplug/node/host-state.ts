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

/**
 * Session of the primary host to which samples were sent last.
 *
 * A host publishes a newer time with each of its connections. If it lost one together with its broker, no message reports that it was
 * offline; what the broker had taken for it may be lost.
 */
export class HostSession {
  #url: string | undefined;
  #timestampMs = -Infinity;

  /**
   * Records that the host is online.
   *
   * @param url of the broker
   * @returns true if that is another session than the one before
   */
  begin(url: string, timestampMs: number): boolean {
    const isNext = this.#url !== undefined && (this.#url !== url || timestampMs > this.#timestampMs);
    this.#url = url;
    this.#timestampMs = timestampMs;
    return isNext;
  }
}
