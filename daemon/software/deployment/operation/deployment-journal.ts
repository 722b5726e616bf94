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
  /** BACKWARD once the operation has failed: what was installed before is to be restored. */
  direction: z.enum(['FORWARD', 'BACKWARD']),
  /** What was installed before; null: nothing. */
  from: installedPackageSchema.nullable(),
  /** What is to be installed; null: nothing. */
  to: installedPackageSchema.nullable(),
});

/** The change in progress; there is at most one. */
export type JournalEntry = z.infer<typeof journalEntrySchema>;

/**
 * Records which change is in progress, so that a start after a crash knows how to end it.
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

  /** Removes the entry of the change that has ended. */
  async clear(): Promise<void> {
    try {
      await unlink(this.#file);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    }
    await syncDirectory(path.dirname(this.#file));
  }
}
