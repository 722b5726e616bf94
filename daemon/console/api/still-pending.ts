const PATIENCE_MS = 15_000;

/**
 * Returns true if a refresh has to wait for the response to the request before: repeating it would end a slow request again and
 * again before its response arrives. A request that takes longer than 15 s counts as lost.
 *
 * @param sinceMs when that request was sent, by `performance.now`; undefined: none is open
 */
export function isStillPending(sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && performance.now() - sinceMs < PATIENCE_MS;
}
