import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import { AgeError } from './age-error.ts';
import type { ByteSource } from './byte-source.ts';

/** How one recipient gets at the key of a file (age-encryption.org/v1, recipient stanza). */
export interface Stanza {
  /** The type, followed by what it is given. */
  readonly words: readonly string[];
  readonly body: Buffer;
}

/** The header of an encrypted file. */
export interface AgeHeader {
  readonly stanzas: readonly Stanza[];
  /** What the authentication code covers. */
  readonly covered: string;
  readonly code: Buffer;
}

const VERSION = 'age-encryption.org/v1';
/** Characters of Base64 in a line. */
const COLUMNS = 64;
const MAXIMUM_LINE_BYTES = 1024;
const MAXIMUM_LINES = 256;
const CODE_BYTES = 32;

/**
 * Reads the header of an encrypted file, and leaves the source at what follows.
 *
 * @throws {AgeError} `AGE_HEADER`
 */
export async function readAgeHeader(source: ByteSource): Promise<AgeHeader> {
  const lines = new HeaderLines(source);
  if ((await lines.next()) !== VERSION) throw invalid('it does not begin as a file encrypted with age');
  const stanzas: Stanza[] = [];
  for (;;) {
    const line = await lines.next();
    if (line.startsWith('---')) {
      if (stanzas.length === 0) throw invalid('its header names no recipient');
      const code = decode(line.slice(4));
      if (!line.startsWith('--- ') || code.length !== CODE_BYTES) throw invalid('its header is cut off');
      return { stanzas, covered: lines.text.slice(0, -line.length - 1) + '---', code };
    }
    stanzas.push({ words: parseWords(line), body: await readBody(lines) });
  }
}

/** Writes a header with one recipient; its authentication code is made with the key of the file. */
export function formatAgeHeader({ words, body }: Stanza, fileKey: Buffer): string {
  const text = encode(body);
  // A line of full length is followed by another one, which may be empty.
  const lines = Array.from({ length: Math.floor(text.length / COLUMNS) + 1 }, (_, index) =>
    text.slice(index * COLUMNS, (index + 1) * COLUMNS),
  );
  const covered = `${VERSION}\n-> ${words.join(' ')}\n${lines.join('\n')}\n---`;
  return `${covered} ${encode(codeOf(covered, fileKey))}\n`;
}

/**
 * Checks that nobody without the key of the file changed its header.
 *
 * @throws {AgeError} `AGE_TAMPERED`
 */
export function checkAgeHeader({ covered, code }: AgeHeader, fileKey: Buffer): void {
  if (timingSafeEqual(code, codeOf(covered, fileKey))) return;
  throw new AgeError({ code: 'AGE_TAMPERED', detail: 'the header of the file was changed' });
}

/** Encodes bytes in Base64 without padding. */
export function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/**
 * Decodes Base64 without padding.
 *
 * @throws {AgeError} `AGE_HEADER` for any other text, also one that encodes the same bytes
 */
export function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (encode(bytes) !== text) throw invalid('its header is damaged');
  return bytes;
}

/** Returns the error for a header that is none. */
export function invalid(reason: string): AgeError {
  return new AgeError({ code: 'AGE_HEADER', detail: `it is no encrypted file, or damaged: ${reason}` });
}

class HeaderLines {
  readonly #source: ByteSource;
  #count = 0;
  /** Everything that was read, with the ends of the lines. */
  text = '';

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async next(): Promise<string> {
    const line = await this.#source.readLine(MAXIMUM_LINE_BYTES);
    if (line === undefined || (this.#count += 1) > MAXIMUM_LINES) throw invalid('its header has no end');
    const text = line.toString('latin1');
    this.text += `${text}\n`;
    return text;
  }
}

function parseWords(line: string): readonly string[] {
  const [arrow, ...words] = line.split(' ');
  // Visible ASCII.
  const isValid = words.length > 0 && words.every((word) => /^[!-~]+$/.test(word));
  if (arrow !== '->' || !isValid) throw invalid('its header is damaged');
  return words;
}

async function readBody(lines: HeaderLines): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (;;) {
    const line = await lines.next();
    if (line.length > COLUMNS) throw invalid('its header is damaged');
    parts.push(decode(line));
    if (line.length < COLUMNS) return Buffer.concat(parts);
  }
}

function codeOf(covered: string, fileKey: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', fileKey, Buffer.alloc(0), 'header', 32));
  return createHmac('sha256', key).update(covered, 'latin1').digest();
}
