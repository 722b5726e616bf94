import AdmZip from 'adm-zip';

import { messageOf } from '../base/errors.ts';
import { DeploymentError } from './deployment-error.ts';

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
    this.#archive = attempt('the archive', () => new AdmZip(file));
  }

  /**
   * Gives the content of an entry; its checksum was compared.
   *
   * @throws {DeploymentError} `NOT_A_JAR` when it is not there, too large or damaged
   */
  read(name: string, maximumBytes: number): Buffer {
    const content = attempt(`the entry "${name}"`, () => {
      const entry = this.#archive.getEntry(name);
      if (entry === null || entry.header.size > maximumBytes) return undefined;
      return entry.getData();
    });
    if (content !== undefined) return content;
    throw new DeploymentError(
      'NOT_A_JAR',
      `the entry "${name}" is missing, or has more than ${maximumBytes} bytes`,
    );
  }
}

function attempt<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new DeploymentError('NOT_A_JAR', `${what} cannot be read: ${messageOf(cause)}`, cause);
  }
}
