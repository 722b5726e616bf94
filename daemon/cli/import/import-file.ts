import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

import { messageOf } from '../../base/errors.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { unreadable } from './import-error.ts';

// The largest configuration that the gateway accepts; a parsed document takes many times its size.
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file that another product has exported.
 *
 * @param file path, or `-` for standard input
 * @param encoding name of its encoding (WHATWG Encoding Standard), such as `windows-1252`
 * @throws {CommandError} `FILE_UNREADABLE`, `IMPORT_UNREADABLE` for more than 16 MiB and for another encoding
 * @throws {UsageError} for an unknown encoding
 */
export async function readImportFile(file: string, encoding: string): Promise<string> {
  const decoder = createDecoder(encoding);
  const bytes = await readBytes(file);
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw unreadable(`${file} is not ${encoding}; --encoding names another, such as windows-1252`, error);
  }
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new UsageError(`--encoding "${encoding}" is unknown; expected utf-8, utf-16le or windows-1252`);
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
      detail: `${file} cannot be read: ${messageOf(error)}`,
    });
  }
  if (size <= MAXIMUM_BYTES) return Buffer.concat(chunks);
  throw unreadable(`${file} has more than 16 MiB, the most that an import takes; split it`);
}
