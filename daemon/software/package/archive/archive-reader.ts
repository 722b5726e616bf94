import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import AdmZip from 'adm-zip';

import { messageOf } from '../../../base/errors.ts';
import { DeploymentError } from '../deployment-error.ts';
import type { NameRule } from './entry-name.ts';
import { readZipDirectory } from './zip-directory.ts';
import type { ZipEntry } from './zip-directory.ts';

/** Reads the entries of an archive and checks its structure; see {@link readZipDirectory}. */
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
 * adm-zip reads the whole archive and inflates without a limit. It is given only archives and entries whose size
 * `readZipDirectory` has checked.
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
   * Returns the content of an entry, after comparing its checksum.
   *
   * @throws {DeploymentError} `NOT_A_JAR` when it is missing, too large or damaged
   */
  read(name: string, maximumBytes: number): Buffer {
    const entry = this.#archive.getEntry(name);
    if (entry === null || entry.header.size > maximumBytes) {
      const detail = `the entry "${name}" is missing, or has more than ${maximumBytes} bytes`;
      throw new DeploymentError('NOT_A_JAR', detail);
    }
    return attempt(
      () => entry.getData(),
      // The library's message means nothing to users; the cause carries it.
      () => `the entry "${name}" is damaged: its content does not match its headers`,
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
