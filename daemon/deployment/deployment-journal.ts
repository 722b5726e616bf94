import { unlink } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../base/atomic-file.ts';
import { z } from '../base/schema.ts';
import { installedPackageSchema } from './installed-package.ts';
import { readChecksummedFile, writeChecksummedFile } from '../base/checksummed-file.ts';

const journalEntrySchema = z.strictObject({
  operationId: z.string(),
  /** Name of the package. */
  name: z.string(),
  /** BACKWARD once the operation is given up: what was installed before is to come back. */
  direction: z.enum(['FORWARD', 'BACKWARD']),
  /** What was installed before; null: nothing. */
  from: installedPackageSchema.nullable(),
  /** What is to be installed; null: nothing. */
  to: installedPackageSchema.nullable(),
});

/** The one change that is under way. */
export type JournalEntry = z.infer<typeof journalEntrySchema>;

/**
 * Says which change is under way, so that a start after a crash knows how it ends.
 *
 * An entry that cannot be read was never finished, and nothing was changed under it; so it counts as none.
 */
export class DeploymentJournal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async find(): Promise<JournalEntry | undefined> {
    const read = await readChecksummedFile(this.#file, journalEntrySchema);
    return read.state === 'INTACT' ? read.value : undefined;
  }

  /** Announces a change, or that it is given up; it is on the medium when this resolves. */
  async write(entry: JournalEntry): Promise<void> {
    await writeChecksummedFile(this.#file, entry);
  }

  /** Ends the change. */
  async clear(): Promise<void> {
    try {
      await unlink(this.#file);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    }
    await syncDirectory(path.dirname(this.#file));
  }
}
