/** A credential revoked before expiry: one session, all tokens of an identity, or all tokens of a key. */
export type RevokedCredential =
  | { readonly kind: 'SESSION'; readonly sessionId: string }
  | { readonly kind: 'TOKENS_OF_IDENTITY'; readonly identityId: string }
  | { readonly kind: 'TOKENS_OF_KEY' };

/** Announces revoked credentials so that streams opened with them close immediately. */
export class CredentialRevocations {
  #listen: ((credential: RevokedCredential) => void) | undefined;

  /** Sets the listener. */
  listen(listener: (credential: RevokedCredential) => void): void {
    this.#listen = listener;
  }

  announce(credential: RevokedCredential): void {
    this.#listen?.(credential);
  }
}
