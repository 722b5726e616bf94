import { Decrypter, Encrypter } from 'age-encryption';
import type { Identity, Stanza } from 'age-encryption';

import { CommandError } from '../command-error.ts';

/**
 * An encrypted file cannot be decrypted: `AGE_HEADER` it is none, or its header is damaged; `AGE_PASSPHRASE` the passphrase
 * opens nothing; `AGE_TAMPERED` its header was changed; `AGE_PAYLOAD` its content is damaged or cut off.
 */
export class AgeError extends CommandError {}

// 128 MiB for half a second: what a small gateway has to spare.
const WORK_FACTOR = 17;
// 1 GiB.
const MAXIMUM_WORK_FACTOR = 20;
/** A header with one recipient has some two hundred bytes. */
const MAXIMUM_HEADER_BYTES = 65_536;
/** Length of what a chunk of the content takes: with pieces of it, all that is authentic comes before a fault. */
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
 * Decrypts a stream that was encrypted with a passphrase. What comes is authentic; only the end of the stream says that
 * nothing is missing.
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
 * Decrypts a stream of which the key is found in another way; see {@link decryptWithPassphrase}.
 *
 * @param addKeys gives the decrypter what may open the file
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

/** Reads as much as a header may have, or all that there is. */
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
  // They are asked in their order, each when those before have not opened it.
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

/** Whether the authentication code of a header has its 32 bytes: the library takes any other one for that of another header. */
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

/** Refuses a header that no passphrase is to be tried on: it takes too much to try, or states something else besides. */
function checkStanzas(stanzas: readonly Stanza[]): null {
  const ours = stanzas.find(({ args }) => args[0] === 'scrypt');
  if (ours === undefined) throw refused('it is encrypted for a key, not with a passphrase');
  // Another recipient could have written the file without knowing the passphrase.
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

/** What was read of a file already, and the rest. */
class WholeFile {
  readonly #begin: Buffer;
  readonly #rest: AsyncIterator<Uint8Array>;
  /** Why the rest could not be read. */
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
