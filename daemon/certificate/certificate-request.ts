/** A certificate together with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  /** PKCS #8, without passphrase. */
  readonly privateKey: string;
}

/** Names under which clients reach a server. */
export interface ServerNames {
  readonly hostNames: readonly string[];
  readonly addresses: readonly string[];
}

/** What a key that signs tokens can be; RSA has 3072 bits. */
export type SigningKeyType = 'P-256' | 'P-384' | 'RSA' | 'Ed25519';

/** What the process that makes certificates is asked for; it answers with a {@link KeyPair}. */
export type CertificateRequest = { readonly commonName: string; readonly days: number } & (
  | { readonly kind: 'authority' }
  | { readonly kind: 'server'; readonly names: ServerNames; readonly issuer: KeyPair | undefined }
  | { readonly kind: 'client'; readonly issuer: KeyPair }
  | { readonly kind: 'token-signer'; readonly keyType: SigningKeyType; readonly nowMs: number }
);
