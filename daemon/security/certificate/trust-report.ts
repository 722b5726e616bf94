import type { Logger } from '../../base/logger.ts';
import type { TlsMaterial } from './tls-material.ts';

const DAY_MS = 86_400_000;

/** Thresholds of expiry warnings, in days; 0: expired. */
type ExpiryThreshold = 30 | 7 | 1 | 0;

/** Logs due renewals, each once. */
export class TrustReport {
  readonly #logger: Logger;
  #reported: ReadonlySet<string> = new Set();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Logs newly due items: certificates that expire within 30, 7 and 1 days or have expired, and authorities whose client
   * certificates are refused. A resolved problem is logged again if it returns.
   */
  check(material: Pick<TlsMaterial, 'clientTrust' | 'expiries'>, nowMs: number): void {
    const due = [...this.#listExpiries(material, nowMs), ...this.#listRefusals(material, nowMs)];
    for (const { key, log } of due) if (!this.#reported.has(key)) log();
    this.#reported = new Set(due.map(({ key }) => key));
  }

  #listExpiries({ expiries }: Pick<TlsMaterial, 'expiries'>, nowMs: number): readonly Due[] {
    return expiries.flatMap(({ role, subject, fingerprint, expiresAtMs }) => {
      const days = findExpiryThreshold(expiresAtMs, nowMs);
      if (days === undefined) return [];
      const fields = { role, subject, expires: new Date(expiresAtMs).toISOString() };
      const log = (): void => {
        if (days === 0) this.#logger.error('certificate.expired', fields);
        else if (days === 1) this.#logger.error('certificate.expiring', { ...fields, withinDays: days });
        else this.#logger.warn('certificate.expiring', { ...fields, withinDays: days });
      };
      return [{ key: `${role} ${fingerprint} ${days}`, log }];
    });
  }

  #listRefusals({ clientTrust }: Pick<TlsMaterial, 'clientTrust'>, nowMs: number): readonly Due[] {
    return clientTrust.listRefusedAuthorities(nowMs).map(({ subject, reason }) => ({
      key: `${reason} ${subject}`,
      log: () =>
        this.#logger.error('clientAuthority.refused', {
          subject,
          reason,
          consequence: 'its client certificates are refused',
        }),
    }));
  }
}

interface Due {
  readonly key: string;
  readonly log: () => void;
}

/**
 * Returns the smallest threshold that a certificate has reached.
 *
 * @param expiresAtMs end of validity, inclusive (RFC 5280, 4.1.2.5)
 * @returns undefined: more than 30 days left
 */
export function findExpiryThreshold(expiresAtMs: number, nowMs: number): ExpiryThreshold | undefined {
  const leftMs = expiresAtMs - nowMs;
  if (leftMs < 0) return 0;
  return ([1, 7, 30] as const).find((days) => leftMs <= days * DAY_MS);
}
