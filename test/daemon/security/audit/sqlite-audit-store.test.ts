import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import type { AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import { auditMigrations } from '../../../../daemon/security/audit/sqlite-audit-store.ts';
import type { AuditFilter } from '../../../../daemon/security/audit/audit-store.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import {
  createEvents,
  failedLogin,
  fillDisk,
  largeReport,
  login,
  openAuditStore,
  readAll,
} from './audit-fixture.ts';

const whole: AuditReport = {
  ...login,
  address: '192.0.2.7',
  requestId: 'request-1',
  target: '/services/assets/boiler/_write',
  detail: { asset: 'boiler', failed: 0, isNew: true },
};

test('an event comes back as it was stored, with an id', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents(whole, 1, 1234));
  assert.deepEqual(readAll(audit), [{ ...whole, id: 1, timeMs: 1234 }]);
});

test('a field that an event does not have is absent', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents({ event: 'LOGOUT', outcome: 'SUCCESS' }, 1));
  assert.deepEqual(readAll(audit), [{ id: 1, timeMs: 1000, event: 'LOGOUT', outcome: 'SUCCESS' }]);
});

test('events remain after the store is opened again, and ids continue', (t) => {
  const first = openAuditStore(t);
  first.audit.append(createEvents(login, 2));
  first.store.close();
  const { audit } = openAuditStore(t, { file: first.file });
  audit.append(createEvents(failedLogin, 1));
  assert.deepEqual(
    readAll(audit).map(({ id, outcome }) => [id, outcome]),
    [
      [1, 'SUCCESS'],
      [2, 'SUCCESS'],
      [3, 'FAILURE'],
    ],
  );
});

test('the oldest events are removed beyond the bound, and their ids are not used again', (t) => {
  const { audit } = openAuditStore(t, { maximumEvents: 3 });
  for (let round = 0; round < 5; round += 1) audit.append(createEvents(login, 2));
  assert.deepEqual(
    readAll(audit).map(({ id }) => id),
    [8, 9, 10],
  );
});

test('a flood of one kind does not push out the events of others', (t) => {
  const { audit } = openAuditStore(t, { maximumEvents: 20 });
  audit.append(createEvents({ event: 'IDENTITY_REMOVED', outcome: 'SUCCESS' }, 1));
  audit.append(createEvents(login, 3));
  for (let round = 0; round < 10; round += 1) audit.append(createEvents(failedLogin, 50));
  const kinds = readAll(audit).map(({ event, outcome }) => `${event} ${outcome}`);
  assert.equal(kinds.length, 20);
  assert.deepEqual(kinds.slice(0, 5), [
    'IDENTITY_REMOVED SUCCESS',
    ...Array.from({ length: 3 }, () => 'LOGIN SUCCESS'),
    'LOGIN FAILURE',
  ]);
});

test('one busy identity pushes out its own events, not those of others of the same kind', (t) => {
  const { audit } = openAuditStore(t, { maximumEvents: 20 });
  audit.append(createEvents({ ...login, identity: 'operator' }, 3));
  audit.append(createEvents({ event: 'LOGIN', outcome: 'SUCCESS' }, 2));
  for (let round = 0; round < 10; round += 1) audit.append(createEvents(login, 50));
  const names = readAll(audit).map(({ identity }) => identity);
  assert.equal(names.length, 20);
  assert.deepEqual(names.slice(0, 6), ['operator', 'operator', 'operator', undefined, undefined, 'scada']);
});

test('events that an earlier release stored are there, and are trimmed like the others', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'store.db');
  const earlier = openStore(file, [{ module: 'audit', steps: auditMigrations.steps.slice(0, 1) }]);
  for (const identity of ['operator', 'scada', 'scada', 'scada']) {
    earlier.database
      .prepare(
        "INSERT INTO audit_event (time_ms, event, outcome, identity) VALUES (1, 'LOGIN', 'SUCCESS', ?)",
      )
      .run(identity);
  }
  earlier.close();
  const { audit } = openAuditStore(t, { file, maximumEvents: 3 });
  audit.append(createEvents(login, 1));
  assert.deepEqual(
    readAll(audit).map(({ identity }) => identity),
    ['operator', 'scada', 'scada'],
  );
});

test('a lowered bound takes effect with the next append', (t) => {
  const first = openAuditStore(t);
  first.audit.append(createEvents(login, 100));
  first.store.close();
  const { audit } = openAuditStore(t, { file: first.file, maximumEvents: 10 });
  audit.append(createEvents(login, 1));
  assert.deepEqual(
    readAll(audit).map(({ id }) => id),
    Array.from({ length: 10 }, (_, index) => 92 + index),
  );
});

test('append adds all or nothing when the disk is full', (t) => {
  const { audit, store } = openAuditStore(t, { maximumEvents: 10 });
  audit.append(createEvents(login, 5));
  const free = fillDisk(store);
  assert.throws(() => audit.append([...createEvents(failedLogin, 1), ...createEvents(largeReport, 200)]));
  assert.equal(readAll(audit).length, 5);
  free();
  audit.append(createEvents(failedLogin, 6));
  assert.equal(readAll(audit).length, 10);
});

test('query returns the newest events first and the position of the next page', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents(login, 5));
  const pages: (readonly number[])[] = [];
  let before: number | undefined;
  do {
    const { events, next } = finish(audit.query({ limit: 2, before }));
    pages.push(events.map(({ id }) => id));
    before = next;
  } while (before !== undefined);
  assert.deepEqual(pages, [[5, 4], [3, 2], [1]]);
});

test('query names no next page when the last event is on this one', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents(login, 2));
  assert.equal('next' in finish(audit.query({ limit: 2 })), false);
});

test('query restricts by each of its filters and by all of them', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents(login, 2, 1000));
  audit.append(createEvents({ ...failedLogin, identity: 'historian' }, 2, 2000));
  audit.append(createEvents({ event: 'LOGOUT', outcome: 'SUCCESS', identity: 'scada' }, 1, 3000));
  const cases: readonly (readonly [Partial<AuditFilter>, readonly number[]])[] = [
    [{ event: 'LOGIN' }, [4, 3, 2, 1]],
    [{ outcome: 'SUCCESS' }, [5, 2, 1]],
    [{ identity: 'historian' }, [4, 3]],
    [{ identity: 'Historian' }, []],
    [{ identity: `' OR 1 = 1 --` }, []],
    [{ fromMs: 2001 }, [5, 4]],
    [{ toMs: 2001 }, [3, 2, 1]],
    [{ before: 3 }, [2, 1]],
    [{ event: 'LOGIN', outcome: 'SUCCESS', identity: 'scada', fromMs: 1001, toMs: 2000, before: 5 }, [2]],
  ];
  for (const [filter, expected] of cases) {
    const { events } = finish(audit.query({ ...filter, limit: 1000 }));
    assert.deepEqual(
      events.map(({ id }) => id),
      expected,
      JSON.stringify(filter),
    );
  }
});

test('query finds a name by its value, not by the form in which it is stored', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents({ ...login, identity: 'a\u202eb' }, 1));
  assert.deepEqual(
    finish(audit.query({ identity: 'a\u202eb', limit: 10 })).events.map(({ identity }) => identity),
    ['a\\u202eb'],
  );
});

test('an event of another release is shown, an unreadable row is refused', (t) => {
  const { audit, store } = openAuditStore(t);
  const insert = store.database.prepare(
    'INSERT INTO audit_event (time_ms, event, outcome, detail) VALUES (1, ?, ?, ?)',
  );
  insert.run('FIRMWARE_CHANGED', 'SUCCESS', null);
  assert.equal(readAll(audit)[0]?.event, 'FIRMWARE_CHANGED');
  insert.run('LOGIN', 'SUCCESS', '{"cut');
  assert.throws(() => readAll(audit), { code: 'STORE_DAMAGED' });
});

test('a search of many events is made in steps, whatever its filter', (t) => {
  const { audit } = openAuditStore(t);
  audit.append(createEvents({ ...login, identity: 'rare' }, 1));
  audit.append(createEvents(login, 25_000));
  const filters: readonly Omit<AuditFilter, 'limit'>[] = [
    { identity: 'rare' },
    { event: 'LOGIN', outcome: 'SUCCESS', identity: 'rare' },
    { outcome: 'FAILURE' },
    { toMs: 1 },
  ];
  for (const filter of filters) {
    const steps = [...audit.query({ ...filter, limit: 10 })];
    assert.equal(steps.length, 3, JSON.stringify(filter));
  }
  assert.deepEqual(
    finish(audit.query({ identity: 'rare', limit: 10 })).events.map(({ id }) => id),
    [1],
  );
});

test('a search passes a range from which all events were removed in one step', (t) => {
  const { audit, store } = openAuditStore(t);
  audit.append(createEvents(login, 2));
  store.database.exec('UPDATE audit_event SET id = 4000000000000 WHERE id = 2');
  const steps = [...audit.query({ limit: 10 })];
  assert.equal(steps.length, 2);
});

test('one append removes a limited number of events, and the next ones the others', (t) => {
  const first = openAuditStore(t);
  first.audit.append(createEvents(login, 3000));
  first.store.close();
  const { audit, store } = openAuditStore(t, { file: first.file, maximumEvents: 500 });
  const counts = Array.from({ length: 4 }, () => {
    audit.append(createEvents(login, 1));
    return store.database.prepare('SELECT count(*) AS count FROM audit_event').get()?.['count'];
  });
  assert.deepEqual(counts, [2001, 1002, 495, 496]);
  // More are removed than added, so that the number never grows.
  audit.append(createEvents(login, 1500));
  assert.equal(store.database.prepare('SELECT count(*) AS count FROM audit_event').get()?.['count'], 495);
});
