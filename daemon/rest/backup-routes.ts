import type { StoreCopier } from '../base/store-copy.ts';
import { noContent } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

/** Creates the endpoint by which a backup gets at the state of a gateway that runs. */
export function createBackupRoutes(store: StoreCopier): readonly Route[] {
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
  ];
}
