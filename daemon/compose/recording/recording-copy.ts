import { rm } from 'node:fs/promises';
import path from 'node:path';

import { ensurePrivateDirectory } from '../../base/file/directory.ts';
import { measureDisk } from '../../base/file/disk-space.ts';
import { RECORDING_COPY, toCopyFailure } from '../../base/store/store-copy.ts';
import { StoreFailure } from '../../base/store/transaction.ts';
import type { History } from '../../plant/history/history.ts';
import { hasRoom } from '../../plant/journal/disk-reserve.ts';
import type { Journal } from '../../plant/journal/journal.ts';

interface CopierOptions {
  readonly dataDirectory: string;
  readonly journal: Pick<Journal, 'linkSegments'>;
  readonly history: Pick<History, 'status' | 'copy'>;
  /** Bytes of the disk that stay free. */
  readonly reservedBytes: () => number;
}

/** Copies what is recorded, for backups, one copy at a time. */
export interface RecordingCopier {
  /**
   * Replaces the copy by one of journal and history. The history in it lacks nothing that its journal does not have.
   *
   * @param signal ends the copying; no copy is left then
   * @throws {StoreFailure} `STORE_FULL` if the copy would use the reserve of the disk, `STORE_FAILED` when the disk fails
   */
  copy(signal: AbortSignal): Promise<void>;
}

/** Removes the copy that an interrupted backup has left, if the disk lets it. */
export async function removeRecordingCopy(dataDirectory: string): Promise<void> {
  await removeCopy(path.join(dataDirectory, RECORDING_COPY)).catch(() => undefined);
}

/** Creates the copier. */
export function createRecordingCopier(options: CopierOptions): RecordingCopier {
  const directory = path.join(options.dataDirectory, RECORDING_COPY);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    copy(signal) {
      const copied = turn.then(() => copyInto(directory, options, signal));
      turn = copied.catch(() => undefined);
      return copied;
    },
  };
}

function removeCopy(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}

async function copyInto(directory: string, options: CopierOptions, signal: AbortSignal): Promise<void> {
  const { journal, history, reservedBytes } = options;
  const segments = path.join(directory, 'journal');
  try {
    await removeCopy(directory);
    await checkRoom(options, history.status().fileBytes);
    await ensurePrivateDirectory(segments);
    // Before the history is copied, since the journal may delete what the history stores during it, and after it, since the history
    // may have read on.
    await journal.linkSegments(segments);
    const watch = (): Promise<void> => checkRoom({ dataDirectory: directory, reservedBytes }, 0);
    await history.copy({ file: path.join(directory, 'history.db'), watch, signal });
    await journal.linkSegments(segments);
    signal.throwIfAborted();
  } catch (cause) {
    await removeCopy(directory).catch(() => undefined);
    throw cause instanceof StoreFailure ? cause : toCopyFailure('recorded samples were', cause);
  }
}

/** @throws {StoreFailure} `STORE_FULL` */
async function checkRoom(
  { dataDirectory, reservedBytes }: Pick<CopierOptions, 'dataDirectory' | 'reservedBytes'>,
  neededBytes: number,
): Promise<void> {
  const disk = await measureDisk(dataDirectory);
  if (hasRoom({ ...disk, freeBytes: disk.freeBytes - neededBytes }, reservedBytes(), false)) return;
  const [free, needed, reserved] = [disk.freeBytes, neededBytes, reservedBytes()].map((bytes) =>
    Math.ceil(bytes / 2 ** 20),
  );
  throw new StoreFailure({
    code: 'STORE_FULL',
    detail: `recorded samples were not copied: the copy needs ${needed} MiB, ${free} MiB of the disk are free, and ${reserved} MiB are reserved`,
    retryAfterSeconds: 60,
  });
}
