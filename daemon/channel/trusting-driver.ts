import type { Driver } from './driver.ts';

/** A certificate, for the people who compare it with that of a device. */
export interface DescribedCertificate {
  /** Relative names, the most specific last: `O=Example, CN=PLC 7`. */
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since the epoch; absent when it cannot be read. */
  readonly validFromMs?: number | undefined;
  readonly validUntilMs?: number | undefined;
  /** SHA-256 of the certificate, 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;
  /** Names, addresses and URIs that it is for. */
  readonly alternativeNames: readonly string[];
}

/** Something that is wrong with a certificate. */
export interface CertificateProblem {
  /** Name of the check that failed, in the words of the protocol. */
  readonly status: string;
  readonly message: string;
  /** What remains when the certificate is trusted is not lasting: a setting of the driver, or time, removes it. */
  readonly isCurable: boolean;
}

/** What a device presents, and what the gateway makes of it. */
export interface PresentedCertificate extends DescribedCertificate {
  /** The certificates above it, as the device presents them. */
  readonly issuers: readonly DescribedCertificate[];
  /** By itself, or because an authority above it is; absent when it is not. */
  readonly trustedAs?: 'CERTIFICATE' | 'AUTHORITY' | undefined;
  /** Whether the driver needs it; messages without protection prove nothing. */
  readonly isNeeded: boolean;
  /** What is wrong with it beside that it may not be trusted. */
  readonly problems: readonly CertificateProblem[];
}

/** A driver that asks who a device is, and keeps whom it trusts. */
export interface TrustingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Asks the device for its certificate, over a connection of its own.
   *
   * @throws {ConnectionError}
   */
  findCertificate(signal: AbortSignal): Promise<PresentedCertificate>;
  /**
   * Trusts the certificate that the device presents now, and nothing else.
   *
   * @param fingerprint of the certificate that somebody looked at
   * @returns the certificate
   * @throws {ConnectionError}
   * @throws {Conflict} the device presents another one, or one that cannot be used
   */
  trust(fingerprint: string, signal: AbortSignal): Promise<PresentedCertificate>;
  /**
   * Trusts a certificate no longer.
   *
   * @returns the certificate that was trusted
   * @throws {NotFound} it was not trusted by itself
   */
  distrust(fingerprint: string): Promise<DescribedCertificate>;
}

/** Whether the driver keeps whom it trusts. */
export function isTrusting(driver: Driver): driver is TrustingDriver {
  return 'findCertificate' in driver;
}
