import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { decodeUtf8 } from '../../base/text/plain-text.ts';
import { CommandError, describeFileFailure } from '../command-error.ts';

/**
 * Reads a file given on the command line.
 *
 * @param file path, or `-` for standard input
 * @param role name of the file in the error message, for example `key file`
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function readTextFile(file: string, role?: string): Promise<string> {
  try {
    // Not `/dev/stdin`: with ssh it may be a socket, which cannot be opened by path.
    const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
    const text = decodeUtf8(bytes);
    if (text === undefined) throw new Error('it is not UTF-8');
    return text;
  } catch (error) {
    const name = role === undefined ? file : `${role} ${file}`;
    const detail = `${name} cannot be read: ${describeFileFailure(error)}`;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail });
  }
}

/**
 * Reads a secret from a file with one line.
 *
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function readSecretFile(file: string, role?: string): Promise<string> {
  return (await readTextFile(file, role)).replace(/\r?\n$/, '');
}
