import { X509Certificate } from 'node:crypto';

import { NotFound } from '../../base/errors.ts';
import { splitPem } from './pem-file.ts';
import { makeSigningRequest } from './signing-request.ts';
import type { TlsMaterial } from './tls-material.ts';

/** Kura's name for the store with the key of its HTTPS ports and the authorities of its clients. */
export const TLS_KEY_STORE = 'HttpsKeystore';
const SERVER_ALIAS = 'server';

/** An entry of the store: the server key with its chain, or a trusted authority. It has no key material. */
export type KeyStoreEntry = { readonly alias: string } & (
  | { readonly type: 'PRIVATE_KEY'; readonly chain: readonly X509Certificate[] }
  | { readonly type: 'TRUSTED_CERTIFICATE'; readonly certificate: X509Certificate }
);

interface RequestedSignature {
  readonly alias: string;
  readonly signatureAlgorithm: string;
  /** Distinguished name as text. */
  readonly attributes: string;
}

/** The active keys and certificates of the HTTPS ports as a key store, for reading. */
export class TlsKeyStore {
  readonly #material: () => TlsMaterial | undefined;

  /** @param material returns the active one; undefined before the start */
  constructor(material: () => TlsMaterial | undefined) {
    this.#material = material;
  }

  /** Lists the server key as `server`, then the authorities of clients as `client-ca-1` and so on, in the order of their file. */
  list(): readonly KeyStoreEntry[] {
    const material = this.#material();
    if (material === undefined) return [];
    const chain = splitPem(material.certificate, 'CERTIFICATE').map((pem) => new X509Certificate(pem));
    const authorities = material.clientCertificateAuthorities.map((pem, index): KeyStoreEntry => ({
      alias: `client-ca-${index + 1}`,
      type: 'TRUSTED_CERTIFICATE',
      certificate: new X509Certificate(pem),
    }));
    return [{ alias: SERVER_ALIAS, type: 'PRIVATE_KEY', chain }, ...authorities];
  }

  /**
   * Creates a certificate signing request with the server key.
   *
   * @returns PEM
   * @throws {NotFound} `KEY_STORE_ENTRY_UNKNOWN` if the alias is not that of a key
   * @throws {InvalidRequest} as `makeSigningRequest`
   */
  sign({ alias, signatureAlgorithm, attributes }: RequestedSignature): string {
    const material = this.#material();
    if (material === undefined || alias !== SERVER_ALIAS) {
      throw new NotFound({ code: 'KEY_STORE_ENTRY_UNKNOWN', detail: `no key ${JSON.stringify(alias)}` });
    }
    const { privateKey, serverCertificate: certificate } = material;
    return makeSigningRequest({ privateKey, certificate, signatureAlgorithm, subject: attributes });
  }
}
