import path from 'node:path';

import { writeFileAtomically } from '../file/atomic-file.ts';
import { readRegularFile } from '../file/regular-file.ts';
import { check, z } from '../schema.ts';

const daemonStatusSchema = z.strictObject({
  state: z.enum(['SERVING', 'RELOADED', 'RELOAD_FAILED', 'STOPPED', 'FAILED']),
  /** Milliseconds since the epoch. */
  timeMs: z.int(),
  /** Why a reload or the process failed. */
  reason: z.string().optional(),
});

/** What a daemon has last said of itself; it stays when the process has ended. */
export type DaemonStatus = Readonly<z.infer<typeof daemonStatusSchema>>;

const FILE = 'last-words.json';

/** Writes the last status of a process to its data directory, as soon as that is known. */
export class DaemonStatusWriter {
  readonly #epochMs: () => number;
  /** Undefined until the configuration is read. */
  dataDirectory: string | undefined;

  constructor(epochMs: () => number) {
    this.#epochMs = epochMs;
  }

  /** Replaces what was said before; a disk that does not take it is no reason to fail, the log has it as well. */
  async write(state: DaemonStatus['state'], reason?: string): Promise<void> {
    if (this.dataDirectory === undefined) return;
    const status: DaemonStatus = {
      state,
      timeMs: this.#epochMs(),
      ...(reason === undefined ? {} : { reason }),
    };
    const file = path.join(this.dataDirectory, FILE);
    await writeFileAtomically(file, `${JSON.stringify(status)}\n`).catch(() => undefined);
  }
}

/** Returns the last status of a daemon; undefined where there are none, or they cannot be read. */
export async function readDaemonStatus(dataDirectory: string): Promise<DaemonStatus | undefined> {
  try {
    const text = await readRegularFile(path.join(dataDirectory, FILE));
    return check(daemonStatusSchema, JSON.parse(text.toString())).value;
  } catch {
    return undefined;
  }
}
