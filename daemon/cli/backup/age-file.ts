import { Decrypter, Encrypter } from 'age-encryption';
import type { Identity, Stanza } from 'age-encryption';

import { CommandError } from '../command-error.ts';

/**
 * A file cannot be decrypted: `AGE_HEADER` it is not encrypted, or its header is damaged; `AGE_PASSPHRASE` wrong
 * passphrase; `AGE_TAMPERED` its header was changed; `AGE_PAYLOAD` its content is damaged or truncated.
 */
export class AgeError extends CommandError {}

// 128 MiB for half a second, which a small gateway can afford.
const WORK_FACTOR = 17;
// 1 GiB.
const MAXIMUM_WORK_FACTOR = 20;
/** A header with one recipient has some two hundred bytes. */
const MAXIMUM_HEADER_BYTES = 65_536;
/** Size of an encrypted chunk; pieces of this size yield all authentic content before an error. */
const PIECE_BYTES = 65_552;

/** Encrypts a stream with a passphrase, as a file that the program `age` decrypts (age-encryption.org/v1, scrypt). */
export async function* encryptWithPassphrase(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  encrypter.setPassphrase(passphrase);
  yield* await encrypter.encrypt(ReadableStream.from(source));
}

/**
 * Decrypts a stream that was encrypted with a passphrase. All output is authentic; only a regular end of the stream proves
 * that it is complete.
 *
 * @throws {AgeError}
 * @throws the error of the source
 */
export function decryptWithPassphrase(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  return decrypt(source, (decrypter) => {
    decrypter.addIdentity({ unwrapFileKey: checkStanzas });
    decrypter.addPassphrase(passphrase);
  });
}

/**
 * Decrypts a stream with other keys; see {@link decryptWithPassphrase}.
 *
 * @param addKeys adds the possible keys to the decrypter
 */
export async function* decrypt(
  source: AsyncIterable<Uint8Array>,
  addKeys: (decrypter: Decrypter) => void,
): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  try {
    const begin = await readBegin(pieces);
    const fileKey = await openHeader(begin, addKeys);
    yield* decryptContent(begin, pieces, fileKey);
  } finally {
    await pieces.return?.();
  }
}

/** Reads up to the maximum size of a header. */
async function readBegin(pieces: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for (let bytes = 0; bytes < MAXIMUM_HEADER_BYTES;) {
    const next = await pieces.next();
    if (next.done === true) break;
    read.push(next.value);
    bytes += next.value.length;
  }
  return Buffer.concat(read);
}

/** Returns the key of the file. */
async function openHeader(begin: Buffer, addKeys: (decrypter: Decrypter) => void): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  let isRead = false;
  let isRefused = false;
  // Tried in order until one of them succeeds.
  decrypter.addIdentity(watch(() => (isRead = true)));
  addKeys(decrypter);
  decrypter.addIdentity(watch(() => (isRefused = true)));
  try {
    return await decrypter.decryptHeader(begin.subarray(0, MAXIMUM_HEADER_BYTES));
  } catch (error) {
    if (error instanceof AgeError) throw error;
    if (isRefused) throw refused('the passphrase is wrong, or the file is damaged', error);
    if (!isRead || !hasWholeCode(begin)) throw invalid('its header is none of age, or damaged', error);
    throw new AgeError({ code: 'AGE_TAMPERED', detail: 'the header of the file was changed', cause: error });
  }
}

/** Returns true if the authentication code of a header has 32 bytes; the library does not check its length. */
function hasWholeCode(begin: Buffer): boolean {
  const [line] = /\n---[^\n]*\n/.exec(begin.toString('latin1')) ?? [];
  return line !== undefined && /^\n--- [A-Za-z0-9+/]{43}\n$/.test(line);
}

function watch(note: () => void): Identity {
  return {
    unwrapFileKey: () => {
      note();
      return null;
    },
  };
}

/** Refuses headers for which no passphrase must be tried: too expensive, or with further recipients. */
function checkStanzas(stanzas: readonly Stanza[]): null {
  const ours = stanzas.find(({ args }) => args[0] === 'scrypt');
  if (ours === undefined) throw refused('it is encrypted for a key, not with a passphrase');
  // With another recipient, the author of the file need not have the passphrase.
  if (stanzas.length > 1) throw invalid('a passphrase has to be the only way to open it');
  const [, salt = '', factor = '', ...more] = ours.args;
  // Sixteen bytes in Base64, of which the last four bits are none.
  const isSalt = /^[A-Za-z0-9+/]{21}[AQgw]$/.test(salt);
  if (more.length > 0 || !isSalt || !/^[1-9]\d{0,2}$/.test(factor) || ours.body.length !== 32) {
    throw invalid('its header is damaged');
  }
  if (Number(factor) <= MAXIMUM_WORK_FACTOR) return null;
  throw invalid(`trying a passphrase takes a work factor of ${factor}, more than ${MAXIMUM_WORK_FACTOR}`);
}

async function* decryptContent(
  begin: Buffer,
  pieces: AsyncIterator<Uint8Array>,
  fileKey: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const whole = new WholeFile(begin, pieces);
  const decrypter = new Decrypter();
  decrypter.addIdentity({ unwrapFileKey: () => fileKey });
  let isOpen = false;
  try {
    const plain = await decrypter.decrypt(ReadableStream.from(whole));
    isOpen = true;
    yield* plain;
  } catch (error) {
    if (error === whole.error) throw error;
    if (!isOpen) throw invalid('it is cut off', error);
    throw new AgeError({ code: 'AGE_PAYLOAD', detail: 'the file is damaged or cut off', cause: error });
  }
}

/** Already read start of a file, and its rest. */
class WholeFile {
  readonly #begin: Buffer;
  readonly #rest: AsyncIterator<Uint8Array>;
  /** Error of reading the rest. */
  error: unknown;

  constructor(begin: Buffer, rest: AsyncIterator<Uint8Array>) {
    this.#begin = begin;
    this.#rest = rest;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield* inPieces(this.#begin);
    for (;;) {
      const next = await this.#rest.next().catch((error: unknown) => {
        this.error = error;
        throw error;
      });
      if (next.done === true) return;
      yield* inPieces(next.value);
    }
  }
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

function invalid(reason: string, cause?: unknown): AgeError {
  return new AgeError({
    code: 'AGE_HEADER',
    detail: `it is no encrypted file, or damaged: ${reason}`,
    cause,
  });
}

function refused(detail: string, cause?: unknown): AgeError {
  return new AgeError({ code: 'AGE_PASSPHRASE', detail, cause });
}
