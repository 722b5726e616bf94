import { send } from '../../support/https-client.ts';
import type { ClientAnswer } from '../../support/https-client.ts';
import type { Actor } from '../crew.ts';
import { expectStatus } from '../expect.ts';
import { basic, LastingSession } from '../ground.ts';
import type { Ground } from '../ground.ts';
import { IDENTITIES } from '../plant.ts';

const IDENTITIES_PATH = '/services/identity/v1/identities';
/** What an administrator looks at: reports, documents, descriptions and pages. */
const LOOKED_AT = [
  '/services/status/v1',
  '/services/assets/_status',
  '/services/configuration/v1',
  '/services/configuration/v1/schema',
  '/services/configuration/v1/snapshots',
  '/services/configuration/v1/drift',
  '/services/configuration/v1/assets/plant/_tags',
  '/services/drivers/v1',
  '/services/deploy/v2/_bundles',
  '/services/status/v1/log?limit=200',
  '/services/identity/v1/identities',
  '/services/session/v1/sessions',
  '/services/inventory/v1/inventory',
  '/services/openapi.json',
  '/readyz',
] as const;
const SEARCHES = [
  'event=CHANNEL_WRITE&limit=200',
  'outcome=FAILURE',
  'identity=scada&limit=1000',
  'event=LOGIN&outcome=SUCCESS',
] as const;

/** Those who log in, look after identities, search the audit, and look at reports. */
export function createAdministrators(ground: Ground): readonly Actor[] {
  const chief = new LastingSession(ground, IDENTITIES.chief);
  let [searches, looks, created] = [0, 0, 0];
  return [
    {
      name: 'login',
      pauseMs: 4000,
      async step() {
        const session = await ground.openSession(IDENTITIES.operator);
        expectStatus(await session.send('GET', '/services/session/v1/_own'), 200);
        expectStatus(await session.send('POST', '/services/session/v1/logout'), 204);
      },
    },
    {
      name: 'login without logout',
      pauseMs: 10_000,
      async step() {
        await ground.openSession(IDENTITIES.operator);
      },
    },
    {
      name: 'identities',
      pauseMs: 5000,
      async step() {
        const userName = `guest${(created += 1) % 20}`;
        const body = { userName, permissions: ['rest.assets.read'] };
        expectStatus(await chief.send('POST', IDENTITIES_PATH, { body }), 200);
        expectStatus(await chief.send('DELETE', IDENTITIES_PATH, { body: { userName } }), 200);
      },
    },
    {
      name: 'audit search',
      pauseMs: 2000,
      async step() {
        const query = SEARCHES[(searches += 1) % SEARCHES.length];
        const found = expectStatus(await chief.send('GET', `/services/audit/v1/events?${query}`), 200);
        if (!Array.isArray((found.json as { readonly events?: unknown }).events))
          throw new Error('no events');
        expectStatus(await chief.send('GET', `/services/audit/v1/chain?after=${searches}&limit=500`), 200);
      },
    },
    {
      name: 'reports',
      pauseMs: 1000,
      async step() {
        const path = LOOKED_AT[(looks += 1) % LOOKED_AT.length] ?? '/';
        expectStatus(await look(path), 200);
      },
    },
    {
      name: 'support report',
      pauseMs: 30_000,
      async step() {
        expectStatus(await chief.send('GET', '/services/status/v1/support'), 200);
      },
    },
  ];

  function look(path: string): Promise<ClientAnswer> {
    return send(ground.plain(), 'GET', path, { headers: basic(IDENTITIES.chief) });
  }
}
