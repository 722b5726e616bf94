import { access } from 'node:fs/promises';

import { readRegularFile } from '../../base/regular-file.ts';
import { CommandError } from '../command-error.ts';
import { describeFailure } from '../failure-text.ts';

/**
 * Reads a file, or nothing where there is none.
 *
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function readIfPresent(file: string): Promise<string | undefined> {
  return (await readBytesIfPresent(file))?.toString();
}

/**
 * Reads the bytes of a file, or nothing where there is none.
 *
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function readBytesIfPresent(file: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(file);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail: describeFailure(error), cause: error });
  }
}

/** Whether there is nothing at a path. */
export async function isMissing(file: string): Promise<boolean> {
  try {
    await access(file);
    return false;
  } catch (error) {
    return isAbsence(error);
  }
}

function isAbsence(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ENOENT';
}
