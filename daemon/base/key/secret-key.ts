import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../file/atomic-file.ts';
import { describeFileFault } from '../file/file-fault.ts';
import type { Logger } from '../logger.ts';
import { StoreError } from '../store/store.ts';

/** Name of the key file in the data directory. */
export const SECRET_KEY_FILE = 'secrets.key';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
// The lengths that NIST SP 800-38D recommends for GCM.
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = '1';

/** Encrypts the secrets in the store, so that the store alone does not reveal them. */
export class SecretKey {
  readonly #key: Buffer;
  /** Names the key in each record: 16 hexadecimal digits of its digest. */
  readonly id: string;

  /** @param key 32 random bytes */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
    this.id = createHash('sha256').update('penstock secret key id').update(key).digest('hex').slice(0, 16);
  }

  /**
   * Returns a record of a secret: version, id of the key, and initialization vector, ciphertext and tag in base64url
   * (AES-256-GCM, NIST SP 800-38D).
   *
   * @param purpose use of the record; it decrypts for the same purpose only
   * @param iv 12 bytes that were never used before; default: random
   */
  seal(secret: string, purpose: string, iv: Uint8Array = randomBytes(IV_BYTES)): string {
    const cipher = createCipheriv(CIPHER, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(purpose));
    const parts = [iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return [VERSION, this.id, Buffer.concat(parts).toString('base64url')].join('.');
  }

  /** Returns the secret of a record; undefined for a different key or purpose, or if damaged. */
  open(record: string, purpose: string): string | undefined {
    const [version, id, text = ''] = record.split('.');
    const bytes = Buffer.from(text, 'base64url');
    if (version !== VERSION || id !== this.id || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES), options);
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const secret = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
      return Buffer.concat(secret).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** Returns a keyed digest that detects a changed secret; without the key it cannot be compared with guesses. */
  fingerprint(secret: string): string {
    const key = createHmac('sha256', this.#key).update('penstock secret fingerprint').digest();
    return createHmac('sha256', key).update(secret).digest('hex');
  }
}

/** A stored secret whose key is lost; it is stored unchanged. All are equal. */
export class UnreadableSecret {
  readonly #record: string;

  constructor(record: string) {
    this.#record = record;
  }

  get record(): string {
    return this.#record;
  }

  /** As {@link toSealed}. */
  toJSON(): object {
    return toSealed(this.#record);
  }
}

/** Returns the record of a secret as stored in a document. */
export function toSealed(record: string): object {
  return { $sealed: record };
}

/**
 * Reads the key, or creates it the first time; the file is for its owner only. A file without a valid key is renamed, so that
 * the gateway starts: secrets encrypted with its key must be set again.
 *
 * @throws {StoreError} `STORE_UNAVAILABLE` if no key can be written: nothing may be encrypted with a key that is lost later
 */
export async function loadSecretKey(dataDirectory: string, logger: Logger): Promise<SecretKey> {
  const file = path.join(dataDirectory, SECRET_KEY_FILE);
  try {
    const key = readKey(await readFile(file, 'utf8'));
    if (key !== undefined) return new SecretKey(key);
    await putAside(file, 'it contains no key', logger);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT') {
      await putAside(file, describeFileFault(error), logger);
    }
  }
  const created = randomBytes(KEY_BYTES);
  try {
    await writeFileAtomically(file, `${created.toString('base64url')}\n`);
  } catch (cause) {
    const detail = `cannot write ${file}: ${describeFileFault(cause)}`;
    throw new StoreError({ code: 'STORE_UNAVAILABLE', detail, cause });
  }
  return new SecretKey(created);
}

function readKey(text: string): Buffer | undefined {
  const key = Buffer.from(text.trim(), 'base64url');
  return key.length === KEY_BYTES && key.toString('base64url') === text.trim() ? key : undefined;
}

async function putAside(file: string, reason: string, logger: Logger): Promise<void> {
  const aside = `${file}.unusable`;
  await rename(file, aside);
  const advice = 'restore the file from a backup, or set all driver secrets and second factors again';
  logger.error('secrets.keyRejected', { file, reason, aside, advice });
}
