import type { SignaturePolicy } from '../package/signature/signer-trust.ts';

/** Settings of deployment. */
export interface DeploymentSettings {
  /** Maximum size of a package. */
  readonly maximumPackageBytes: number;
  /** Directories below which `file:` URLs may name packages. */
  readonly fileSourceDirectories: readonly string[];
  readonly signaturePolicy: SignaturePolicy;
  /** PEM; null: no signer is trusted. */
  readonly trustedSignersFile: string | null;
  /** URL of the marketplace that describes packages. */
  readonly marketplaceUrl: string;
}
