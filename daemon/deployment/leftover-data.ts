import { rm } from 'node:fs/promises';

import { readChecksummedFile, writeChecksummedFile } from '../base/checksummed-file.ts';
import { z } from '../base/schema.ts';

const leftoverSchema = z.strictObject({
  /** Symbolic name of the bundle that wrote the data. */
  bundle: z.string(),
  /** The operation that removed the bundle. */
  operationId: z.string(),
});

/** The data of a bundle that no package contains any more, and that could not be taken out of the way. */
export type Leftover = z.infer<typeof leftoverSchema>;

/** Remembers the data directories that are still to be removed, in a file that exists only while there are any. */
export class LeftoverData {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Lists what is to be removed; a file that cannot be read counts as empty. */
  async list(): Promise<readonly Leftover[]> {
    const read = await readChecksummedFile(this.#file, z.array(leftoverSchema));
    return read.state === 'INTACT' ? read.value : [];
  }

  /** Adds the data of a bundle; the file is synced when this resolves. */
  async add(leftover: Leftover): Promise<void> {
    const others = (await this.list()).filter(({ bundle }) => bundle !== leftover.bundle);
    await writeChecksummedFile(this.#file, [...others, leftover]);
  }

  /** Removes the data of a bundle from the list. */
  async remove(removed: string): Promise<void> {
    const others = (await this.list()).filter(({ bundle }) => bundle !== removed);
    if (others.length === 0) await rm(this.#file, { force: true });
    else await writeChecksummedFile(this.#file, others);
  }
}
