import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

import { AgeError } from './age-error.ts';
import type { ByteSource } from './byte-source.ts';

const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
/** Length of the random number that makes the key of the content differ from file to file. */
export const SALT_BYTES = 16;
const CIPHER = 'chacha20-poly1305';

/** Encrypts the content of a file in chunks, each authenticated by its place (age-encryption.org/v1, payload). */
export async function* encryptPayload(
  source: ByteSource,
  fileKey: Buffer,
  salt: Buffer,
): AsyncGenerator<Buffer> {
  const key = derive(fileKey, salt);
  yield salt;
  let chunk = await source.read(CHUNK_BYTES);
  for (let index = 0; ; index += 1) {
    const next = await source.read(CHUNK_BYTES);
    const cipher = createCipheriv(CIPHER, key, placeOf(index, next.length === 0), {
      authTagLength: TAG_BYTES,
    });
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    if (next.length === 0) return;
    chunk = next;
  }
}

/**
 * Decrypts the content of a file; each piece is authentic when it comes, and the last one was the last.
 *
 * @throws {AgeError} `AGE_HEADER` when it ends before the content, `AGE_PAYLOAD` when the content is damaged or cut off
 */
export async function* decryptPayload(source: ByteSource, fileKey: Buffer): AsyncGenerator<Buffer> {
  const salt = await source.read(SALT_BYTES);
  if (salt.length < SALT_BYTES) throw new AgeError({ code: 'AGE_HEADER', detail: 'the file is cut off' });
  const key = derive(fileKey, salt);
  let chunk = await source.read(CHUNK_BYTES + TAG_BYTES);
  for (let index = 0; ; index += 1) {
    const next = await source.read(CHUNK_BYTES + TAG_BYTES);
    const isLast = next.length === 0;
    const plain = open(chunk, key, placeOf(index, isLast));
    // Only a file without content ends with an empty chunk.
    if (plain === undefined || (plain.length === 0 && index > 0)) {
      // A whole chunk is authentic also where the file was cut off or went on after it.
      const isWhole = chunk.length === CHUNK_BYTES + TAG_BYTES;
      const authentic = isWhole ? open(chunk, key, placeOf(index, !isLast)) : undefined;
      if (authentic !== undefined) yield authentic;
      throw new AgeError({ code: 'AGE_PAYLOAD', detail: 'the file is damaged or cut off' });
    }
    yield plain;
    if (isLast) return;
    chunk = next;
  }
}

function derive(fileKey: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', fileKey, salt, 'payload', 32));
}

/** The number of a chunk in eleven bytes, and whether it is the last one. */
function placeOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

function open(chunk: Buffer, key: Buffer, nonce: Buffer): Buffer | undefined {
  if (chunk.length < TAG_BYTES) return undefined;
  const end = chunk.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(chunk.subarray(end));
  try {
    return Buffer.concat([decipher.update(chunk.subarray(0, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
