import type { BackupRecord } from '../../../base/store/backup-record.ts';
import type { Clock } from '../../../base/clock.ts';
import type { StoreCopier } from '../../../base/store/store-copy.ts';
import { noContent } from '../../http/answer.ts';
import { signalOf } from '../../http/departure.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { copyStore, recordBackup } from '../../../interface/configuration/backup.ts';

interface BackupRouteParts {
  readonly store: StoreCopier;
  /** Copies recorded samples until the signal aborts. */
  readonly copyRecording: (signal: AbortSignal) => Promise<void>;
  readonly backups: Pick<BackupRecord, 'write'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Creates the endpoints by which a backup gets at the state of a gateway that runs, and says that it is complete. */
export function createBackupRoutes({
  store,
  copyRecording,
  backups,
  clock,
}: BackupRouteParts): readonly Route[] {
  return [
    implement(copyStore, async ({ response, query }) => {
      await store.copy();
      // After the store: what a cursor in it has acknowledged is in the copy of the history.
      if (query.history) await copyRecording(signalOf(response));
      return noContent();
    }),
    implement(recordBackup, async () => {
      await backups.write(clock.epochMs());
      return noContent();
    }),
  ];
}
