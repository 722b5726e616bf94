import type { ClientCertificate } from './client-certificate.ts';

// As many identities as a gateway has clients; refused names are not stored.
const MAXIMUM_IDENTITIES = 1_000;

/** Stores the expiry of the last client certificate of each identity. */
export class SeenCertificates {
  readonly #expiries = new Map<string, number>();

  /** Stores the certificate of a request that was authenticated as the identity of its common name. */
  note({ commonNames, notAfterMs }: ClientCertificate, identity: string): void {
    if (commonNames.length !== 1 || commonNames[0] !== identity) return;
    if (!this.#expiries.has(identity) && this.#expiries.size >= MAXIMUM_IDENTITIES) return;
    this.#expiries.set(identity, notAfterMs);
  }

  /** Lists them in the order of the first certificates; an identity that does not exist any more is left out. */
  list(
    isIdentity: (name: string) => boolean,
  ): readonly { readonly identity: string; readonly expiresAtMs: number }[] {
    return [...this.#expiries].flatMap(([identity, expiresAtMs]) =>
      isIdentity(identity) ? [{ identity, expiresAtMs }] : [],
    );
  }
}
