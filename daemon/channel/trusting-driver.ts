import type { Driver } from './driver.ts';

/** A certificate, shown for comparison with that of a device. */
export interface DescribedCertificate {
  /** Relative names, the most specific last: `O=Example, CN=PLC 7`. */
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since the epoch; absent when it cannot be read. */
  readonly validFromMs?: number | undefined;
  readonly validUntilMs?: number | undefined;
  /** SHA-256 of the certificate, 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;
  /** Subject alternative names: names, addresses and URIs. */
  readonly alternativeNames: readonly string[];
}

/** An error of a certificate. */
export interface CertificateProblem {
  /** Name of the failed check in the protocol. */
  readonly status: string;
  readonly message: string;
  /** True if a driver setting, or time, resolves it once the certificate is trusted. */
  readonly isCurable: boolean;
}

/** The certificate of a device, and the result of its checks. */
export interface PresentedCertificate extends DescribedCertificate {
  /** The certificates above it, as the device presents them. */
  readonly issuers: readonly DescribedCertificate[];
  /** Trusted itself, or through a CA; absent if not trusted. */
  readonly trustedAs?: 'CERTIFICATE' | 'AUTHORITY' | undefined;
  /** True if the driver requires trust; unprotected messages prove nothing. */
  readonly isNeeded: boolean;
  /** Errors other than missing trust. */
  readonly problems: readonly CertificateProblem[];
}

/** A driver that authenticates devices and stores trusted certificates. */
export interface TrustingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Requests the certificate of the device over a separate connection.
   *
   * @throws {ConnectionError}
   */
  findCertificate(signal: AbortSignal): Promise<PresentedCertificate>;
  /**
   * Trusts only the certificate that the device presents now.
   *
   * @param fingerprint of the certificate that the user checked
   * @returns the certificate
   * @throws {ConnectionError}
   * @throws {Conflict} the device presents another one, or one that cannot be used
   */
  trust(fingerprint: string, signal: AbortSignal): Promise<PresentedCertificate>;
  /**
   * Removes the trust in a certificate.
   *
   * @returns the certificate that was trusted
   * @throws {NotFound} it was not trusted itself
   */
  distrust(fingerprint: string): Promise<DescribedCertificate>;
}

/** True if the driver stores trusted certificates. */
export function isTrusting(driver: Driver): driver is TrustingDriver {
  return 'findCertificate' in driver;
}
