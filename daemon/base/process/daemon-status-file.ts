import path from 'node:path';

import { writeFileAtomically } from '../file/atomic-file.ts';
import { readRegularFile } from '../file/regular-file.ts';
import type { FaultReason } from '../fault-reason.ts';
import { check, z } from '../schema.ts';

const daemonStatusSchema = z.strictObject({
  state: z.enum(['SERVING', 'RELOADED', 'RELOAD_FAILED', 'STOPPED', 'FAILED']),
  /** Milliseconds since the epoch. */
  timeMs: z.int(),
  /** Reason that a reload or the process failed. */
  reason: z.string().optional(),
  /** Code of the reason, if it has one. */
  code: z.string().optional(),
  /** Sentences of the reason by code, with their values; absent if one has no code. */
  reasons: z
    .array(
      z.object({
        code: z.string(),
        parameters: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
      }),
    )
    .optional(),
});

/** Last recorded daemon status; persists after the process exits. */
export type DaemonStatus = Readonly<z.infer<typeof daemonStatusSchema>>;

/** Failure of a reload or of the process. */
interface DaemonFailure {
  readonly reason?: string;
  readonly code?: string | undefined;
  /** The sentences of the reason, if all have a code. */
  readonly reasons?: readonly FaultReason[] | undefined;
}

const FILE = 'last-words.json';

/** Writes the status of the daemon to its data directory, once that is known. */
export class DaemonStatusWriter {
  readonly #epochMs: () => number;
  /** Undefined until the configuration is read. */
  dataDirectory: string | undefined;

  constructor(epochMs: () => number) {
    this.#epochMs = epochMs;
  }

  /** Replaces the status file; write errors are ignored, because the log has the status as well. */
  async write(state: DaemonStatus['state'], { reason, code, reasons }: DaemonFailure = {}): Promise<void> {
    if (this.dataDirectory === undefined) return;
    const status = {
      state,
      timeMs: this.#epochMs(),
      ...(reason === undefined ? {} : { reason }),
      ...(code === undefined ? {} : { code }),
      ...(reasons === undefined ? {} : { reasons: reasons.map(toStored) }),
    };
    const file = path.join(this.dataDirectory, FILE);
    await writeFileAtomically(file, `${JSON.stringify(status)}\n`).catch(() => undefined);
  }
}

/** Returns the last status of a daemon; undefined if missing or unreadable. */
export async function readDaemonStatus(dataDirectory: string): Promise<DaemonStatus | undefined> {
  try {
    const text = await readRegularFile(path.join(dataDirectory, FILE));
    return check(daemonStatusSchema, JSON.parse(text.toString())).value;
  } catch {
    return undefined;
  }
}

function toStored({ code, parameters }: FaultReason): Omit<FaultReason, 'message'> {
  return { code, parameters };
}
