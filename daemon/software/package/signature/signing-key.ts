import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import type { ErrorCode } from '../../../base/error-codes.ts';
import { messageOf } from '../../../base/errors.ts';
import { findKeyWeakness } from '../../../base/key/key-weakness.ts';
import { PackagingError } from '../deployment-error.ts';

/** Key of a signer, with the certificates that prove its owner. */
export interface PackageSigner {
  readonly key: KeyObject;
  /** The certificate of the key, then those of the authorities above it. */
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
}

interface SignerFiles {
  /** PEM. */
  readonly privateKey: string;
  readonly passphrase?: string | undefined;
  /** PEM. */
  readonly certificates: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** Returns whether a PEM key needs a passphrase. */
export function isEncryptedKey(privateKey: string): boolean {
  return ENCRYPTED.test(privateKey);
}

/**
 * Reads the key and the certificates of a signer.
 *
 * @throws {PackagingError} `KEY_UNREADABLE`, also for a wrong passphrase; `CERTIFICATE_UNREADABLE`; `KEY_OF_ANOTHER` when the
 *   key does not belong to the first certificate; `KEY_WEAK`
 */
export function readSigner({ privateKey, passphrase, certificates }: SignerFiles): PackageSigner {
  const key = attempt('KEY_UNREADABLE', 'the key', () =>
    createPrivateKey(passphrase === undefined ? privateKey : { key: privateKey, passphrase }),
  );
  const [first, ...others] = attempt('CERTIFICATE_UNREADABLE', 'the certificate', () =>
    (certificates.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem)),
  );
  if (first === undefined) {
    const detail = 'the certificate cannot be used: the file contains none';
    throw new PackagingError({ code: 'CERTIFICATE_UNREADABLE', detail });
  }
  if (!first.checkPrivateKey(key)) {
    const detail = 'the key does not match the first certificate';
    throw new PackagingError({ code: 'KEY_OF_ANOTHER', detail });
  }
  const weakness = findKeyWeakness(first.publicKey);
  if (weakness !== undefined) throw new PackagingError({ code: 'KEY_WEAK', detail: `the key ${weakness}` });
  return { key, certificates: [first, ...others] };
}

function attempt<T>(code: ErrorCode, what: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new PackagingError({ code, detail: `${what} cannot be used: ${messageOf(cause)}`, cause });
  }
}
