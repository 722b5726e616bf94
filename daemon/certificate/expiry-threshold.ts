const DAY_MS = 86_400_000;

/** Days before the end of a certificate at which its owner is reminded; 0: it has expired. */
type ExpiryThreshold = 30 | 7 | 1 | 0;

/**
 * Returns the threshold that a certificate has come within.
 *
 * @param expiresAtMs the last moment at which the certificate is valid (RFC 5280, 4.1.2.5)
 * @returns the smallest one; undefined: more than 30 days are left
 */
export function findExpiryThreshold(expiresAtMs: number, nowMs: number): ExpiryThreshold | undefined {
  const leftMs = expiresAtMs - nowMs;
  if (leftMs < 0) return 0;
  return ([1, 7, 30] as const).find((days) => leftMs <= days * DAY_MS);
}
