/** What no longer proves an identity, before its time: one session, all tokens of an identity, or tokens of a key. */
export type EndedProof =
  | { readonly kind: 'SESSION'; readonly sessionId: string }
  | { readonly kind: 'TOKENS_OF_IDENTITY'; readonly identityId: string }
  | { readonly kind: 'TOKENS_OF_KEY' };

/** Tells of proofs that have ended, so that what was opened with them ends at the same moment. */
export class EndedProofs {
  #listen: ((proof: EndedProof) => void) | undefined;

  /** Sets who is told from now on. */
  listen(listener: (proof: EndedProof) => void): void {
    this.#listen = listener;
  }

  announce(proof: EndedProof): void {
    this.#listen?.(proof);
  }
}
