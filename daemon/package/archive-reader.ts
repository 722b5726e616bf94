import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import AdmZip from 'adm-zip';

import { messageOf } from '../base/errors.ts';
import { DeploymentError } from './deployment-error.ts';
import type { NameRule } from './entry-name.ts';
import { readZipDirectory } from './zip-directory.ts';
import type { ZipEntry } from './zip-directory.ts';

/** Checks the structure of an archive; see {@link readZipDirectory}. */
export function scanArchive(file: string, rule: NameRule): readonly ZipEntry[] {
  const descriptor = openSync(file, 'r');
  try {
    const readAt = (position: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
    };
    return readZipDirectory(readAt, fstatSync(descriptor).size, rule);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads single entries of an archive into memory.
 *
 * The library reads the archive as a whole and inflates without a bound of its own, so it only gets to see archives, and is
 * only asked for entries, that were found small by `readZipDirectory`.
 */
export class ArchiveReader {
  readonly #archive: AdmZip;

  /** @throws {DeploymentError} `NOT_A_JAR` */
  constructor(file: string) {
    this.#archive = attempt(
      () => new AdmZip(file, { readEntries: true }),
      (cause) => `the archive cannot be read: ${messageOf(cause)}`,
    );
  }

  /**
   * Gives the content of an entry; its checksum was compared.
   *
   * @throws {DeploymentError} `NOT_A_JAR` when it is not there, too large or damaged
   */
  read(name: string, maximumBytes: number): Buffer {
    const entry = this.#archive.getEntry(name);
    if (entry === null || entry.header.size > maximumBytes) {
      const detail = `the entry "${name}" is missing, or has more than ${maximumBytes} bytes`;
      throw new DeploymentError('NOT_A_JAR', detail);
    }
    return attempt(
      () => entry.getData(),
      // The words of the library tell users nothing; they are in the cause.
      () => `the entry "${name}" is damaged: its content is not what its headers say`,
    );
  }
}

function attempt<T>(act: () => T, describe: (cause: unknown) => string): T {
  try {
    return act();
  } catch (cause) {
    throw new DeploymentError('NOT_A_JAR', describe(cause), cause);
  }
}
