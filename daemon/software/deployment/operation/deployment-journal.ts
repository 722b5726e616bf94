import { unlink } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../../../base/file/atomic-file.ts';
import { z } from '../../../base/schema.ts';
import { installedPackageSchema } from '../installed-package.ts';
import { readChecksummedFile, writeChecksummedFile } from '../../../base/file/checksummed-file.ts';

const journalEntrySchema = z.strictObject({
  operationId: z.string(),
  /** Name of the package. */
  name: z.string(),
  /** BACKWARD once the operation has failed: the previous version is to be restored. */
  direction: z.enum(['FORWARD', 'BACKWARD']),
  /** Previously installed version; null: none. */
  from: installedPackageSchema.nullable(),
  /** Version to install; null: none. */
  to: installedPackageSchema.nullable(),
});

/** The change in progress; there is at most one. */
export type JournalEntry = z.infer<typeof journalEntrySchema>;

/**
 * Records the change in progress, so that a start after a crash can complete it.
 *
 * An entry that cannot be read was never completed, and nothing was changed after it: it counts as absent.
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

  /** Records a change or its failure; the file is synced when this resolves. */
  async write(entry: JournalEntry): Promise<void> {
    await writeChecksummedFile(this.#file, entry);
  }

  /** Removes the entry of a completed change. */
  async clear(): Promise<void> {
    try {
      await unlink(this.#file);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    }
    await syncDirectory(path.dirname(this.#file));
  }
}
