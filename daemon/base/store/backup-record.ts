import path from 'node:path';

import { writeFileAtomically } from '../file/atomic-file.ts';
import { readRegularFile } from '../file/regular-file.ts';
import { check, z } from '../schema.ts';

const recordSchema = z.strictObject({
  /** Milliseconds since the epoch. */
  timeMs: z.int(),
});

const FILE = 'last-backup.json';

/** Stores the time of the newest backup in the data directory. */
export interface BackupRecord {
  /** Records a completed backup. */
  write(timeMs: number): Promise<void>;
  /** Returns the time of the newest backup, in milliseconds since the epoch; undefined if unknown. */
  read(): Promise<number | undefined>;
}

/** Creates the record of a data directory. */
export function createBackupRecord(dataDirectory: string): BackupRecord {
  const file = path.join(dataDirectory, FILE);
  return {
    write: (timeMs) => writeFileAtomically(file, `${JSON.stringify({ timeMs })}\n`),
    async read() {
      try {
        return check(recordSchema, JSON.parse((await readRegularFile(file)).toString())).value?.timeMs;
      } catch {
        return undefined;
      }
    },
  };
}
