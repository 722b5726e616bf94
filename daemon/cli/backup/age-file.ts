import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

import { AgeError } from './age-error.ts';
import { checkAgeHeader, decode, encode, formatAgeHeader, invalid, readAgeHeader } from './age-header.ts';
import type { Stanza } from './age-header.ts';
import { SALT_BYTES, decryptPayload, encryptPayload } from './age-payload.ts';
import { ByteSource } from './byte-source.ts';

const LABEL = 'age-encryption.org/v1/scrypt';
const KEY_BYTES = 16;
const TAG_BYTES = 16;
const CIPHER = 'chacha20-poly1305';
const NO_NONCE = Buffer.alloc(12);

// 128 MiB for half a second: what a small gateway has to spare.
const WORK_FACTOR = 17;
// 1 GiB.
const MAXIMUM_WORK_FACTOR = 20;

/** Encrypts a stream with a passphrase, as a file that the program `age` decrypts (age-encryption.org/v1, scrypt). */
export async function* encryptWithPassphrase(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(KEY_BYTES);
  yield Buffer.from(formatAgeHeader(await wrap(fileKey, passphrase), fileKey));
  yield* encryptPayload(new ByteSource(source), fileKey, randomBytes(SALT_BYTES));
}

/**
 * Decrypts a stream that was encrypted with a passphrase. What comes is authentic; only the end of the stream says that
 * nothing is missing.
 *
 * @throws {AgeError}
 */
export async function* decryptWithPassphrase(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const bytes = new ByteSource(source);
  const header = await readAgeHeader(bytes);
  const fileKey = await unwrap(header.stanzas, passphrase);
  checkAgeHeader(header, fileKey);
  yield* decryptPayload(bytes, fileKey);
}

async function wrap(fileKey: Buffer, passphrase: string): Promise<Stanza> {
  const salt = randomBytes(SALT_BYTES);
  const key = await stretch(passphrase, salt, WORK_FACTOR);
  // The key is used once, so its nonce may be fixed.
  const cipher = createCipheriv(CIPHER, key, NO_NONCE, { authTagLength: TAG_BYTES });
  const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
  return { words: ['scrypt', encode(salt), String(WORK_FACTOR)], body };
}

async function unwrap(stanzas: readonly Stanza[], passphrase: string): Promise<Buffer> {
  const ours = stanzas.find(({ words }) => words[0] === 'scrypt');
  if (ours === undefined) throw refused('it is encrypted for a key, not with a passphrase');
  // Another recipient could have written the file without knowing the passphrase.
  if (stanzas.length > 1) throw invalid('a passphrase has to be the only way to open it');
  const [, saltText = '', factorText = '', ...more] = ours.words;
  const salt = decode(saltText);
  const isNumber = /^[1-9]\d{0,2}$/.test(factorText);
  if (more.length > 0 || salt.length !== SALT_BYTES || !isNumber) throw invalid('its header is damaged');
  if (ours.body.length !== KEY_BYTES + TAG_BYTES) throw invalid('its header is damaged');
  const factor = Number(factorText);
  if (factor > MAXIMUM_WORK_FACTOR) {
    throw invalid(`trying a passphrase takes a work factor of ${factor}, more than ${MAXIMUM_WORK_FACTOR}`);
  }
  const key = await stretch(passphrase, salt, factor);
  const decipher = createDecipheriv(CIPHER, key, NO_NONCE, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(ours.body.subarray(KEY_BYTES));
  try {
    return Buffer.concat([decipher.update(ours.body.subarray(0, KEY_BYTES)), decipher.final()]);
  } catch {
    throw refused('the passphrase is wrong, or the file is damaged');
  }
}

function refused(detail: string): AgeError {
  return new AgeError({ code: 'AGE_PASSPHRASE', detail });
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

function stretch(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
  const cost = 2 ** workFactor;
  const blockSize = 8;
  const maxmem = 2 * 128 * cost * blockSize;
  return derive(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), 32, {
    cost,
    blockSize,
    parallelization: 1,
    maxmem,
  });
}
