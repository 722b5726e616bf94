import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import type { AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import { CHAIN_ORIGIN, digestGaps } from '../../../../daemon/security/audit/audit-chain.ts';
import { ChainKeeper } from '../../../../daemon/security/audit/chain-keeper.ts';
import { verifyChain } from '../../../../daemon/security/audit/chain-verifier.ts';
import { planGaps } from '../../../../daemon/security/audit/gap-plan.ts';
import { auditMigrations } from '../../../../daemon/security/audit/sqlite-audit-store.ts';
import type { AuditFilter } from '../../../../daemon/security/audit/audit-store.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../daemon/base/store/store.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import {
  createEvents,
  failedLogin,
  fillDisk,
  largeReport,
  login,
  openAuditStore,
  readAll,
  readChain,
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
    const query = { ...filter, limit: 10 };
    const found = finish(audit.query(query)).events.length;
    // And one for each event.
    assert.equal([...audit.query(query)].length, 3 + found, JSON.stringify(filter));
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
  // Two ranges and two events.
  assert.equal(steps.length, 2 + 2);
});

test('far beyond the bound, one append removes a limited number of events, and the next ones the others', (t) => {
  const first = openAuditStore(t);
  first.audit.append(createEvents(login, 1000));
  first.store.close();
  const { audit, store } = openAuditStore(t, { file: first.file, maximumEvents: 500 });
  const counts = Array.from({ length: 4 }, () => {
    audit.append(createEvents(login, 1));
    return countEvents(store);
  });
  assert.deepEqual(counts, [801, 602, 495, 496]);
  // More are removed than added, so that the number never grows.
  audit.append(createEvents(login, 1500));
  assert.equal(countEvents(store), 495);
});

test('retention removes a limited number of events in each step, and the chain is whole after each', (t) => {
  const { audit, store, key } = openAuditStore(t, { maximumEvents: 2000 });
  for (let index = 0; index < 21; index += 1) {
    // Of every hundred events, those of few identities are kept.
    audit.append(createEvents({ ...login, identity: `rare${index}` }, 1));
    audit.append(createEvents(login, 99));
  }
  assert.equal(countEvents(store), 2100);
  let before = countEvents(store);
  let steps = 0;
  for (const _step of audit.retain()) {
    steps += 1;
    const left = countEvents(store);
    assert.ok(before - left <= 200, `${before - left} removed at once`);
    if (left !== before) assert.equal(verifyChain(readChain(audit), key.publicKey).fault, undefined);
    before = left;
  }
  assert.equal(before, 1980);
  assert.ok(steps > 2);
  assert.ok(readChain(audit).gaps.length > 1);
});

test('events are appended between the steps of retention, and what is removed otherwise voids its plan', (t) => {
  const { audit, store, key } = openAuditStore(t, { maximumEvents: 2000 });
  audit.append(createEvents(login, 2050));
  let steps = 0;
  for (const _step of audit.retain()) {
    steps += 1;
    // Those of the third step exceed what an append leaves to retention.
    if (steps <= 5) audit.append(createEvents(failedLogin, steps === 3 ? 60 : 5));
  }
  assert.ok(steps > 5);
  assert.equal(countEvents(store), 1980);
  assert.equal(verifyChain(readChain(audit), key.publicKey).fault, undefined);
});

test('the gaps of a plan are those that one removal after the other leaves, and all are digested in steps', (t) => {
  const { audit, store, key } = openAuditStore(t);
  audit.append(createEvents(login, 9000));
  const { events } = readChain(audit);
  const keeper = new ChainKeeper(store, key);
  const remove = (isRemoved: (id: number) => boolean): { readonly steps: number } => {
    const removed = events.filter(({ id }) => isRemoved(id)).map(({ id, hash }) => ({ id, hash }));
    const work = planGaps(store.database, removed, 1);
    let [steps, step] = [0, work.next()];
    for (; step.done !== true; step = work.next()) steps += 1;
    keeper.storeGaps(step.value.gaps);
    assert.equal(step.value.digest, digestGaps(keeper.listGaps()));
    for (const { id } of removed) store.database.prepare('DELETE FROM audit_event WHERE id = ?').run(id);
    return { steps };
  };
  // 3,000 gaps of one event, then their neighbours here and there, at both sides, and at the ends of the chain.
  remove((id) => id % 3 === 2);
  const { steps } = remove((id) => id === 1 || id === 8999 || id === 9000 || (id % 3 === 0 && id % 7 === 0));
  assert.ok(steps >= 9000 / 3 / 1000);
  remove((id) => id % 3 === 1 && id % 7 === 1 && id !== 1);
  const gaps = keeper.listGaps();
  const left = new Set(
    store.database
      .prepare('SELECT id FROM audit_event')
      .all()
      .map(({ id }) => Number(id)),
  );
  for (const [index, { firstId, lastId, before, after }] of gaps.entries()) {
    for (let id = firstId; id <= lastId; id += 1) assert.ok(!left.has(id));
    assert.ok(firstId === 1 || left.has(firstId - 1));
    assert.ok(lastId === 9000 || left.has(lastId + 1));
    assert.equal(before, firstId === 1 ? CHAIN_ORIGIN : events[firstId - 2]?.hash);
    assert.equal(after, events[lastId - 1]?.hash);
    assert.ok(index === 0 || firstId > (gaps[index - 1]?.lastId ?? 0));
  }
  const [, second] = gaps;
  assert.ok(second !== undefined);
  const { lastId } = second;
  for (const [afterId, untilId] of [
    [second.firstId, lastId],
    [lastId, lastId],
    [lastId + 1, lastId + 5],
    [0, 9000],
  ] as const)
    assert.deepEqual(
      keeper.listGaps({ afterId, untilId }),
      gaps.filter((gap) => gap.lastId >= afterId && gap.firstId <= untilId),
    );
});

function countEvents({ database }: Store): number {
  return Number(database.prepare('SELECT count(*) AS count FROM audit_event').get()?.['count']);
}
