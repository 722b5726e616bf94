import { endpoint } from '../endpoint.ts';

/** Copies the store. */
export const copyStore = endpoint({
  method: 'POST',
  path: '/services/backup/v1/_copyStore',
  summary: 'Writes a copy of the store to the data directory; used by penstock backup',
  access: 'rest.admin',
  response: { status: 204 },
});

/** Records the completion of a backup. */
export const recordBackup = endpoint({
  method: 'POST',
  path: '/services/backup/v1/_recordBackup',
  summary: 'Records the completion of a backup for the metrics',
  access: 'rest.admin',
  response: { status: 204 },
});
