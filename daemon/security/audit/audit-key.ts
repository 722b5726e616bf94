import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import { describeFileFault } from '../../base/file/file-fault.ts';
import { StoreError } from '../../base/store/store.ts';

/** Signing key of the audit log. */
export interface AuditKey {
  /** Signs a text and returns the signature in base64. */
  readonly sign: (text: string) => string;
  /** Returns true if this key has signed the text. */
  readonly hasSigned: (text: string, signature: string) => boolean;
  /** PEM (RFC 8410). */
  readonly publicKey: string;
}

/**
 * Reads the key, or creates it at the first start; only the owner can access the file.
 *
 * @throws {StoreError} `STORE_DAMAGED` if the file contains no key: a silently replaced key would make the log
 *   indistinguishable from a forged one; `STORE_UNAVAILABLE` if it cannot be read or written
 */
export async function loadAuditKey(file: string): Promise<AuditKey> {
  try {
    const known = await findText(file);
    if (known !== undefined) return readKey(file, known);
    const created = createPem();
    await writeFileAtomically(file, created);
    return toAuditKey(created);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const detail = `cannot use ${file}: ${describeFileFault(cause)}`;
    throw new StoreError({ code: 'STORE_UNAVAILABLE', detail, cause });
  }
}

function readKey(file: string, pem: string): AuditKey {
  try {
    return toAuditKey(pem);
  } catch (cause) {
    const detail = `${file} is not a private key; restore a backup, or move the file away to start with a new key`;
    throw new StoreError({ code: 'STORE_DAMAGED', detail, cause });
  }
}

/** Parses a PEM private key. */
export function toAuditKey(pem: string): AuditKey {
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key);
  return {
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
    hasSigned: (text, signature) =>
      verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64')),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
}

function createPem(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

async function findText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
