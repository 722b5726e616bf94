import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';
import { switchParameter } from '../query-parameter.ts';

/** Copies the store, and recorded samples if the query says so. */
export const copyStore = endpoint({
  method: 'POST',
  path: '/services/backup/v1/_copyStore',
  summary:
    'Writes a copy of the store, and of recorded samples, to the data directory; used by penstock backup',
  access: 'rest.admin',
  query: z.object({
    history: switchParameter().describe('true: also copies what was recorded'),
  }),
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
