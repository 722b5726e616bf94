import { endpoint } from '../endpoint.ts';

/** Copies the store. */
export const copyStore = endpoint({
  method: 'POST',
  path: '/services/backup/v1/_copyStore',
  summary: 'Writes a copy of the store into the data directory, for penstock backup',
  access: 'rest.admin',
  response: { status: 204 },
});

/** Records that a backup is complete. */
export const recordBackup = endpoint({
  method: 'POST',
  path: '/services/backup/v1/_recordBackup',
  summary: 'Records that a backup is complete, for the metrics',
  access: 'rest.admin',
  response: { status: 204 },
});
