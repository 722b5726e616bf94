import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

const FILE = 'bdseq';
const COUNT = 256;
const { O_CREAT, O_RDWR, O_SYNC } = constants;

/**
 * Numbers of connections, `bdSeq`: 0 to 255, then again from 0, each on disk before it is used, so that they go on over a crash.
 *
 * Without a disk they go on in memory.
 */
export class BirthCount {
  readonly #directory: string;
  #last: number | undefined;

  /** @param directory data directory of the bundle */
  constructor(directory: string) {
    this.#directory = directory;
    this.#last = this.#read();
  }

  /**
   * Returns the number of the next connection.
   *
   * @param onFault called with the error if it cannot be stored
   */
  next(onFault: (error: unknown) => void): number {
    const next = this.#last === undefined ? 0 : (this.#last + 1) % COUNT;
    this.#last = next;
    try {
      this.#write(next);
    } catch (error) {
      onFault(error);
    }
    return next;
  }

  #read(): number | undefined {
    let text: string;
    try {
      text = readFileSync(path.join(this.#directory, FILE), 'utf8');
    } catch {
      return undefined;
    }
    return /^\d{3}\n$/.test(text) && Number(text) < COUNT ? Number(text) : undefined;
  }

  // A bundle may not call fsync: the file is opened for writes that end on the disk, and its four bytes are replaced at once.
  #write(value: number): void {
    const descriptor = openSync(path.join(this.#directory, FILE), O_RDWR | O_CREAT | O_SYNC, 0o600);
    try {
      writeSync(descriptor, `${String(value).padStart(3, '0')}\n`, 0);
    } finally {
      closeSync(descriptor);
    }
  }
}
