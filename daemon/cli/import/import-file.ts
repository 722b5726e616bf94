import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

import { CommandError, UsageError, describeFileFailure } from '../command-error.ts';
import { unreadable } from './imported.ts';

// Maximum size of a configuration; a parsed document takes many times its size.
const MAXIMUM_BYTES = 16 * 1024 * 1024;

// Encoding Standard, 6: a byte order mark overrides the given encoding.
const MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/**
 * Reads a file exported by another product. A byte order mark overrides `encoding`.
 *
 * @param file path, or `-` for standard input
 * @param encoding name of its encoding (WHATWG Encoding Standard), such as `windows-1252`
 * @throws {CommandError} `FILE_UNREADABLE`, `IMPORT_UNREADABLE` for more than 16 MiB and for another encoding
 * @throws {UsageError} for an unknown encoding
 */
export async function readImportFile(file: string, encoding: string): Promise<string> {
  const wanted = createDecoder(encoding);
  const bytes = await readBytes(file);
  const head = bytes.subarray(0, 3).toString('hex');
  const marked = MARKS.find(([mark]) => head.startsWith(mark))?.[1];
  const text = decode(bytes, marked === undefined ? wanted : createDecoder(marked));
  if (text === undefined) {
    throw unreadable(
      `${file} is not ${marked ?? encoding}; specify another one with --encoding, for example windows-1252`,
    );
  }
  if (!text.includes('\0')) return text;
  throw unreadable(`${file} contains NUL and is not text; if it is UTF-16, use --encoding utf-16le`);
}

function decode(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new UsageError(`unknown --encoding "${encoding}"; expected utf-8, utf-16le or windows-1252`);
  }
}

async function readBytes(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const source: Readable = file === '-' ? process.stdin : createReadStream(file);
    for await (const chunk of source) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MAXIMUM_BYTES) break;
    }
  } catch (error) {
    throw new CommandError({
      code: 'FILE_UNREADABLE',
      detail: `${file} cannot be read: ${describeFileFailure(error)}`,
    });
  }
  if (size <= MAXIMUM_BYTES) return Buffer.concat(chunks);
  throw unreadable(`${file} is larger than 16 MiB, the maximum of an import; split it`);
}

// An encrypted snapshot is one word of at least this length; a sheet of channels never is.
const MINIMUM_ENCRYPTED_LENGTH = 64;

// Base64 of one or two parts, as the crypto service of Kura writes them: initialization vector and content.
const ENCRYPTED = /^[\w+/=-]+(?:\s+[\w+/=-]+)*$/;

const HINT =
  'download the snapshot in the console of that gateway (Settings, Snapshots, Download, XML): those in its snapshot directory are encrypted';

/**
 * Distinguishes a snapshot of Eclipse Kura from a sheet of channels.
 *
 * @param file names the file in the error
 * @throws {CommandError} `IMPORT_UNREADABLE` for an encrypted snapshot, and for a text that is neither XML nor a sheet
 */
export function recognizeKuraFile(file: string, text: string): 'SNAPSHOT' | 'SHEET' {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content.startsWith('<')) return 'SNAPSHOT';
  if (content === '') throw unreadable(`${file} is empty`);
  const isOneWord = content.length >= MINIMUM_ENCRYPTED_LENGTH && !/[,;]/.test(content);
  if (isOneWord && ENCRYPTED.test(content)) throw unreadable(`${file} is an encrypted snapshot; ${HINT}`);
  if (/^[{[]/.test(content)) throw unreadable(`${file} is JSON; expected XML: ${HINT}`);
  const [head = ''] = content.split('\n');
  if (/\.xml$/i.test(file) || !/[,;\t]/.test(head)) {
    throw unreadable(`${file} is neither XML nor a sheet of channels (CSV); ${HINT}`);
  }
  return 'SHEET';
}
