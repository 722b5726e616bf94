import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AuditLog } from '../../../../../daemon/security/audit/audit-log.ts';
import {
  auditMigrations,
  createSqliteAuditStore,
} from '../../../../../daemon/security/audit/sqlite-audit-store.ts';
import type { ExportedChain } from '../../../../../daemon/security/audit/chain-export.ts';
import { verifyChain } from '../../../../../daemon/security/audit/chain-verifier.ts';
import { openStore } from '../../../../../daemon/base/store/store.ts';
import type { Answer } from '../../../../../daemon/server/http/answer.ts';
import { createAuditRoutes } from '../../../../../daemon/server/rest/security/audit-routes.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createAuditKey, createMemoryHead } from '../../../../support/audit-key.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import type { Owner } from '../../../../support/temporary-directory.ts';
import { createContext } from '../../http/request-fixture.ts';

interface Body {
  readonly events: readonly { readonly id: number; readonly hash?: string }[];
  readonly next?: number;
}

function openRoute(t: Owner) {
  const store = openStore(':memory:', [auditMigrations]);
  t.after(() => store.close());
  const clock = new ManualClock(5000);
  const key = createAuditKey();
  const audit = new AuditLog({
    store: createSqliteAuditStore({ store, key, head: createMemoryHead() }),
    clock,
    logger: createMemoryLogger(),
  });
  const [chain, route] = createAuditRoutes({
    audit,
    publicKey: key.publicKey,
    clock: new ManualClock(),
  });
  assert.ok(route);

  async function ask(query: string): Promise<Answer & { readonly body: Body }> {
    const context = createContext();
    context.request.url = `/services/audit/v1/events${query}`;
    const answer = await route?.handle(context);
    assert.ok(answer);
    const body: unknown = JSON.parse(String(answer.json));
    assert.doesNotThrow(() => route?.response.schema?.parse(body));
    return { ...answer, body: body as Body };
  }

  async function askChain(query: string): Promise<Partial<ExportedChain>> {
    const context = createContext();
    context.request.url = `/services/audit/v1/chain${query}`;
    const answer = await chain?.handle(context);
    const body: unknown = JSON.parse(String(answer?.json));
    assert.doesNotThrow(() => chain?.response.schema?.parse(body));
    return body as Partial<ExportedChain>;
  }

  return {
    route,
    key,
    askChain,
    clock,
    audit,
    ask,
    idsOf: async (query: string) => (await ask(query)).body.events.map(({ id }) => id),
  };
}

test('reading the events requires the permission of an administrator', (t) => {
  assert.equal(openRoute(t).route.access, 'rest.admin');
});

test('an event is returned at once, with its time in milliseconds', async (t) => {
  const { audit, ask } = openRoute(t);
  audit.record({
    event: 'CHANNEL_WRITE',
    outcome: 'SUCCESS',
    identity: 'scada',
    method: 'session',
    detail: { asset: 'boiler' },
  });
  const { events } = (await ask('')).body;
  assert.deepEqual(
    events.map(({ hash, ...event }) => [hash?.length, event]),
    [
      [
        64,
        {
          id: 1,
          time: 5000,
          event: 'CHANNEL_WRITE',
          outcome: 'SUCCESS',
          identity: 'scada',
          method: 'session',
          detail: { asset: 'boiler' },
        },
      ],
    ],
  );
});

test('next pages through all events, the newest first', async (t) => {
  const { audit, ask, idsOf } = openRoute(t);
  for (let index = 0; index < 3; index += 1) audit.record({ event: 'LOGIN', outcome: 'SUCCESS' });
  assert.equal((await ask('?limit=2')).body.next, 2);
  assert.deepEqual(await idsOf('?limit=2&before=2'), [1]);
  assert.equal('next' in (await ask('?limit=2&before=2')).body, false);
});

test('a page has 100 events unless the request sets another limit', async (t) => {
  const { audit, clock, idsOf } = openRoute(t);
  for (let index = 0; index < 120; index += 1) {
    audit.record({ event: 'LOGIN', outcome: 'SUCCESS' });
    clock.advance(100);
  }
  assert.equal((await idsOf('')).length, 100);
  assert.equal((await idsOf('?limit=1000')).length, 120);
});

test('every parameter restricts the answer', async (t) => {
  const { audit, clock, idsOf } = openRoute(t);
  audit.record({ event: 'LOGIN', outcome: 'FAILURE', identity: 'Kesselhaus Süd' });
  clock.advance(1000);
  audit.record({ event: 'LOGIN', outcome: 'SUCCESS', identity: 'scada' });
  clock.advance(1000);
  audit.record({ event: 'LOGOUT', outcome: 'SUCCESS', identity: 'scada' });
  const cases = {
    '?event=LOGIN': [2, 1],
    '?outcome=SUCCESS': [3, 2],
    '?identity=Kesselhaus%20S%C3%BCd': [1],
    '?from=6000': [3, 2],
    '?to=6000': [1],
    '?before=2': [1],
    '?event=LOGIN&outcome=SUCCESS&identity=scada&from=0&to=7000&before=3&limit=5': [2],
  };
  for (const [query, expected] of Object.entries(cases))
    assert.deepEqual(await idsOf(query), expected, query);
});

test('a malformed or repeated parameter is refused by name', async (t) => {
  const { ask } = openRoute(t);
  const cases = {
    '?event=login': 'event',
    '?outcome=': 'outcome',
    '?identity=': 'identity',
    [`?identity=${'x'.repeat(256)}`]: 'identity',
    '?from=yesterday': 'from',
    '?from=-1': 'from',
    '?from=1e3': 'from',
    '?to=0x10': 'to',
    '?to=1.5': 'to',
    '?to=99999999999999999999': 'to',
    '?before=0': 'before',
    '?limit=0': 'limit',
    '?limit=1001': 'limit',
    '?limit=%2010': 'limit',
    '?limit=': 'limit',
    '?limit=5&limit=5': 'limit',
  };
  for (const [query, name] of Object.entries(cases)) {
    await assert.rejects(
      () => ask(query),
      (error: { code?: string; detail?: string }) =>
        error.code === 'QUERY_INVALID' && error.detail?.includes(`"${name}"`) === true,
      query,
    );
  }
});

test('the chain comes in pages, the last of which has what verifies it', async (t) => {
  const { audit, askChain, key } = openRoute(t);
  for (let index = 0; index < 3; index += 1) audit.record({ event: 'LOGIN', outcome: 'SUCCESS' });
  const first = await askChain('?limit=2');
  assert.deepEqual([first.events?.length, Object.keys(first)], [2, ['events']]);
  const last = await askChain('?limit=2&after=2');
  assert.equal(last.publicKey, key.publicKey);
  const { gaps = [], checkpoints = [] } = last;
  const events = [...(first.events ?? []), ...(last.events ?? [])];
  assert.equal(verifyChain({ events, gaps, checkpoints }, key.publicKey).fault, undefined);
  assert.deepEqual((await askChain('?after=3')).events, []);
});
