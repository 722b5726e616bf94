import type { SignaturePolicy } from '../package/signer-trust.ts';

/** What can be set about packages. */
export interface DeploymentSettings {
  /** Largest package that is taken. */
  readonly maximumPackageBytes: number;
  /** Directories below which packages are taken by `file:` URLs. */
  readonly fileSourceDirectories: readonly string[];
  readonly signaturePolicy: SignaturePolicy;
  /** PEM; null: nobody is trusted. */
  readonly trustedSignersFile: string | null;
  /** URL of the marketplace whose package descriptors are read. */
  readonly marketplaceUrl: string;
}
