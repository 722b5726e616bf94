/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  /** PKCS #8, without passphrase. */
  readonly privateKey: string;
}

/** Server names and addresses used by clients. */
export interface ServerNames {
  readonly hostNames: readonly string[];
  readonly addresses: readonly string[];
}

/** Types of token signing keys; RSA has 3072 bits. */
export type SigningKeyType = 'P-256' | 'P-384' | 'RSA' | 'Ed25519';

/** Request to the certificate process, which returns a {@link KeyPair}. */
export type CertificateRequest = { readonly commonName: string; readonly days: number } & (
  | { readonly kind: 'authority' }
  | { readonly kind: 'server'; readonly names: ServerNames; readonly issuer: KeyPair | undefined }
  | { readonly kind: 'client'; readonly issuer: KeyPair }
  | { readonly kind: 'token-signer'; readonly keyType: SigningKeyType; readonly nowMs: number }
);

/** A revoked certificate. */
export interface RevokedCertificate {
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** Milliseconds since the epoch. */
  readonly revokedAtMs: number;
}

/** Request for a certificate revocation list; the process returns the list, PEM, as `certificate`. */
export interface RevocationRequest {
  readonly kind: 'revocation-list';
  readonly issuer: KeyPair;
  /** Increases with each list. */
  readonly number: number;
  readonly days: number;
  readonly revoked: readonly RevokedCertificate[];
}
