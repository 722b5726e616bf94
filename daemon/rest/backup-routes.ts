import type { BackupRecord } from '../base/backup-record.ts';
import type { Clock } from '../base/clock.ts';
import type { StoreCopier } from '../base/store-copy.ts';
import { noContent } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

interface BackupRouteParts {
  readonly store: StoreCopier;
  readonly backups: Pick<BackupRecord, 'write'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Creates the endpoints by which a backup gets at the state of a gateway that runs, and says that it is complete. */
export function createBackupRoutes({ store, backups, clock }: BackupRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/services/backup/v1/_copyStore',
      summary: 'Writes a copy of the store into the data directory, for penstock backup',
      access: 'rest.admin',
      response: { status: 204 },
      async handle() {
        await store.copy();
        return noContent();
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/services/backup/v1/_recordBackup',
      summary: 'Records that a backup is complete, for the metrics',
      access: 'rest.admin',
      response: { status: 204 },
      async handle() {
        await backups.write(clock.epochMs());
        return noContent();
      },
    }),
  ];
}
