import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  AuditLog,
  FLUSH_INTERVAL_MS,
  FLUSH_THRESHOLD,
  MAXIMUM_WAITING,
  SUPPRESSED_INTERVAL_MS,
} from '../../../../daemon/security/audit/audit-log.ts';
import { AUDIT_EVENTS } from '../../../../daemon/interface/security/audit-event.ts';
import type { AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import { verifyChain } from '../../../../daemon/security/audit/chain-verifier.ts';
import { BURST, EVENTS_PER_SECOND } from '../../../../daemon/security/audit/audit-rate-limiter.ts';
import { createLogger } from '../../../../daemon/base/logger.ts';
import { createSlicingClock, ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import {
  createEvents,
  failedLogin,
  fillDisk,
  largeReport,
  login,
  openAuditLog,
  openAuditStore,
  readAll,
  readChain,
} from './audit-fixture.ts';

function recordMany({ log }: { readonly log: AuditLog }, report: AuditReport, count: number): void {
  for (let index = 0; index < count; index += 1) log.record(report);
}

test('an event is logged at once and stored within a second', (t) => {
  const { log, clock, lines, audit } = openAuditLog(t);
  log.record({ ...login, requestId: 'request-1' });
  assert.deepEqual(lines, [
    {
      level: 'info',
      event: 'audit',
      fields: {
        auditEvent: 'LOGIN',
        outcome: 'SUCCESS',
        identity: 'scada',
        method: 'password',
        requestId: 'request-1',
      },
    },
  ]);
  assert.equal(readAll(audit).length, 0);
  clock.advance(FLUSH_INTERVAL_MS);
  assert.equal(readAll(audit).length, 1);
});

test('what an answer promises is stored in the next turn, and the answer can wait for it', async (t) => {
  const { log, audit } = openAuditLog(t);
  log.record({ event: 'ACCESS_REFUSED', outcome: 'FAILURE' });
  assert.equal(log.whenStored(), undefined);
  log.record(login);
  log.record(failedLogin);
  const stored = log.whenStored();
  assert.equal(readAll(audit).length, 0);
  await stored;
  assert.equal(readAll(audit).length, 3);
  assert.equal(log.whenStored(), undefined);
});

test('no answer waits for a disk that fails', async (t) => {
  const { log, store, audit } = openAuditLog(t);
  const restore = fillDisk(store);
  log.record(largeReport);
  await log.whenStored();
  log.record(largeReport);
  assert.equal(log.whenStored(), undefined);
  restore();
  await log.query({ limit: 1 });
  assert.equal(readAll(audit).length, 2);
});

test('the chain goes on after events that were stored and not signed when the process was killed', async (t) => {
  const first = openAuditLog(t);
  first.log.record(login);
  await first.log.whenStored();
  first.clock.advance(FLUSH_INTERVAL_MS);
  first.log.record(failedLogin);
  await first.log.whenStored();
  first.store.close();
  const second = openAuditLog(t, first.file, first.key);
  second.log.record(login);
  const { events, gaps = [], checkpoints = [] } = await second.log.readChain({ after: 0, limit: 10 });
  const finding = verifyChain({ events, gaps, checkpoints }, first.key.publicKey);
  assert.deepEqual([finding.fault, finding.verified], [undefined, 3]);
});

test('a chain that retention changes in every turn is read all the same', async (t) => {
  const { audit, key } = openAuditStore(t, { maximumEvents: 30 });
  let turns = 0;
  const change = (): void => {
    turns += 1;
    if (turns > 100) throw new Error('it is read again without end');
    audit.append(createEvents(login, 20));
    audit.append(createEvents(failedLogin, 20));
  };
  change();
  const clock = createSlicingClock(change);
  const log = new AuditLog({ store: audit, clock, logger: createMemoryLogger() });
  const { events, gaps = [], checkpoints = [] } = await log.readChain({ after: 0, limit: 1000 });
  assert.ok(turns > 1);
  assert.ok(gaps.length > 0);
  assert.equal(verifyChain({ events, gaps, checkpoints }, key.publicKey).fault, undefined);
});

test('an event has the time at which it was recorded', (t) => {
  const { log, clock, audit } = openAuditLog(t);
  const nowMs = clock.epochMs();
  log.record(login);
  clock.advance(5 * FLUSH_INTERVAL_MS);
  assert.equal(readAll(audit)[0]?.timeMs, nowMs);
});

test('a token that is used again is logged as a warning', (t) => {
  const { log, lines } = openAuditLog(t);
  log.record({ event: 'TOKEN_REPLAYED', outcome: 'FAILURE' });
  assert.equal(lines[0]?.level, 'warn');
});

test('the log line of an event stays one line and hides nothing', () => {
  let text = '';
  const clock = new ManualClock();
  const logger = createLogger({
    level: () => 'info',
    write: (line) => (text += line),
    epochMs: () => clock.epochMs(),
    journalPriorities: false,
  });
  const store = {
    append: () => undefined,
    announce: () => [],
    listAnnouncements: () => [],
    unstored: 0,
    noteUnstored: () => undefined,
    fault: undefined,
    listBreaks: () => [],
    inspect: function* () {
      yield;
    },
    lastId: 0,
    isFull: false,
    retain: function* () {
      yield;
    },
    seal: () => undefined,
    query: function* () {
      yield;
      return { events: [] };
    },
    readLinks: () => [],
    readChain: function* () {
      yield;
      return { events: [] };
    },
  };
  const hostile = 'x\r\n{"event":"audit"}\u001b[2J\u202e';
  new AuditLog({ store, clock, logger }).record({
    ...failedLogin,
    identity: hostile,
    detail: { [hostile]: hostile },
  });
  assert.match(text, /^[\u0020-\u007e]+\n$/);
  assert.equal((JSON.parse(text) as { event: string }).event, 'audit');
});

test('many waiting events do not wait for the interval', (t) => {
  const { log, clock, audit } = openAuditLog(t);
  for (let index = 0; index < FLUSH_THRESHOLD; index += 1) {
    log.record({ event: AUDIT_EVENTS[index % 10] ?? 'LOGIN', outcome: 'SUCCESS' });
  }
  assert.equal(readAll(audit).length, 0);
  clock.advance(0);
  assert.equal(readAll(audit).length, FLUSH_THRESHOLD);
});

test('query finds all earlier events', async (t) => {
  const { log } = openAuditLog(t);
  log.record(login);
  assert.equal((await log.query({ limit: 10 })).events.length, 1);
});

test('stop stores the waiting events, and later ones are only logged', async (t) => {
  const { log, audit, lines } = openAuditLog(t);
  await log.start();
  log.record(login);
  await log.stop();
  assert.equal(readAll(audit).length, 1);
  log.record(failedLogin);
  await log.stop();
  assert.equal(readAll(audit).length, 1);
  assert.equal(lines.length, 2);
});

test('events survive a restart', async (t) => {
  const first = openAuditLog(t);
  first.log.record(login);
  await first.log.stop();
  first.store.close();
  const second = openAuditLog(t, first.file, first.key);
  second.log.record(failedLogin);
  assert.deepEqual(
    (await second.log.query({ limit: 10 })).events.map(({ id, outcome }) => [id, outcome]),
    [
      [2, 'FAILURE'],
      [1, 'SUCCESS'],
    ],
  );
});

test('a flood is recorded up to the bound and then only counted', (t) => {
  const opened = openAuditLog(t);
  recordMany(opened, { ...failedLogin, address: '192.0.2.66' }, 100_000);
  assert.equal(opened.lines.length, BURST);
  opened.clock.advance(SUPPRESSED_INTERVAL_MS + FLUSH_INTERVAL_MS);
  const stored = readAll(opened.audit);
  assert.equal(stored.length, BURST + 1);
  const { event, outcome, identity, address, detail } = stored.at(-1) ?? {};
  assert.deepEqual(
    { event, outcome, identity, address },
    { event: 'EVENTS_SUPPRESSED', outcome: 'FAILURE', identity: 'scada', address: '192.0.2.66' },
  );
  const atMs = opened.clock.epochMs() - SUPPRESSED_INTERVAL_MS - FLUSH_INTERVAL_MS;
  assert.deepEqual(detail, { event: 'LOGIN', count: 100_000 - BURST, fromMs: atMs, toMs: atMs });
});

test('a flood that continues is reported once in each interval', (t) => {
  const opened = openAuditLog(t);
  const seconds = SUPPRESSED_INTERVAL_MS / 1000;
  for (let second = 0; second < 3 * seconds; second += 1) {
    recordMany(opened, failedLogin, 1000);
    opened.clock.advance(1000);
  }
  opened.clock.advance(SUPPRESSED_INTERVAL_MS);
  const reports = opened.lines.filter(({ fields }) => fields['auditEvent'] === 'EVENTS_SUPPRESSED');
  const suppressed = reports.map(({ fields }) => (fields['detail'] as { count: number }).count);
  assert.equal(reports.length, 3);
  const admitted = opened.lines.length - reports.length;
  assert.ok(admitted <= BURST + 3 * seconds * EVENTS_PER_SECOND);
  assert.equal(
    suppressed.reduce((sum, count) => sum + count, 0),
    3 * seconds * 1000 - admitted,
  );
});

test('a flood does not hide events of another kind', async (t) => {
  const opened = openAuditLog(t);
  recordMany(opened, failedLogin, 10_000);
  opened.log.record(login);
  assert.equal((await opened.log.query({ outcome: 'SUCCESS', limit: 10 })).events.length, 1);
});

test('400 refused writes of one identity hide no successful one of another identity, or of the same one', async (t) => {
  const opened = openAuditLog(t);
  const refused: AuditReport = { event: 'CHANNEL_WRITE', outcome: 'FAILURE', identity: 'mallory' };
  recordMany(opened, refused, 400);
  recordMany(opened, { ...refused, identity: 'scada' }, 1);
  recordMany(opened, { ...refused, outcome: 'SUCCESS' }, 1);
  const { events } = await opened.log.query({ event: 'CHANNEL_WRITE', limit: 1000 });
  assert.deepEqual(
    events.slice(0, 2).map(({ identity, outcome }) => [identity, outcome]),
    [
      ['mallory', 'SUCCESS'],
      ['scada', 'FAILURE'],
    ],
  );
});

test('stop reports the events that were only counted', async (t) => {
  const opened = openAuditLog(t);
  recordMany(opened, failedLogin, BURST + 7);
  await opened.log.stop();
  const { event, count } = readAll(opened.audit).at(-1)?.detail ?? {};
  assert.deepEqual({ event, count }, { event: 'LOGIN', count: 7 });
});

test('a full disk is logged once, and nothing that fits the buffer is lost', (t) => {
  const opened = openAuditLog(t);
  const free = fillDisk(opened.store);
  for (let second = 0; second < 20; second += 1) {
    recordMany(opened, largeReport, 10);
    opened.clock.advance(FLUSH_INTERVAL_MS);
  }
  assert.equal(readAll(opened.audit).length, 0);
  assert.equal(opened.lines.filter(({ level }) => level === 'error').length, 1);
  free();
  opened.clock.advance(FLUSH_INTERVAL_MS);
  assert.equal(readAll(opened.audit).length, 200);
  assert.equal(opened.lines.at(-1)?.event, 'audit.storeRecovered');
});

test('what was announced and has no event when the process ends is recorded by the next one', async (t) => {
  const first = openAuditLog(t);
  const [begun, done] = await Promise.all([
    first.log.announce([{ ...largeReport, outcome: 'FAILURE' }]),
    first.log.announce([login]),
  ]);
  assert.notEqual(begun.id, done.id);
  first.log.record(login, done);
  first.log.settle(done);
  await first.log.whenStored();
  first.store.close();
  const second = openAuditLog(t, first.file, first.key);
  await second.log.start();
  await second.log.stop();
  assert.deepEqual(
    readAll(second.audit).map(({ event, outcome }) => [event, outcome]),
    [
      ['LOGIN', 'SUCCESS'],
      ['CHANNEL_WRITE', 'FAILURE'],
    ],
  );
  assert.deepEqual(second.audit.listAnnouncements(), []);
});

test('nothing can be announced while the store takes no events, and again once it does', async (t) => {
  const { log, store, clock } = openAuditLog(t);
  const free = fillDisk(store);
  await assert.rejects(log.announce([largeReport]), { code: 'STORE_FULL' });
  assert.notEqual(log.status().failingSinceMs, undefined);
  log.record({ ...largeReport, outcome: 'FAILURE' });
  // It would fit; what happened before does not.
  await assert.rejects(log.announce([login]), { code: 'STORE_FULL' });
  free();
  log.settle(await log.announce([login]));
  assert.equal(log.status().failingSinceMs, undefined);
  clock.advance(FLUSH_INTERVAL_MS);
  assert.deepEqual(log.status(), { breaks: [], failingSinceMs: undefined, waitingEvents: 0, lostEvents: 0 });
});

test('events that wait for the store when the process ends are counted as lost by the next one', async (t) => {
  const first = openAuditLog(t);
  first.log.record(login);
  await first.log.whenStored();
  first.clock.advance(FLUSH_INTERVAL_MS);
  const announced = await first.log.announce([login]);
  const free = fillDisk(first.store);
  recordMany(first, largeReport, 3);
  await first.log.whenStored();
  // An announcement contains it.
  first.log.record(largeReport, announced);
  first.log.settle(announced);
  recordMany(first, largeReport, 2);
  free();
  first.store.close();
  for (const count of [1, 1]) {
    const next = openAuditLog(t, first.file, first.key);
    await next.log.start();
    await next.log.stop();
    const { events } = await next.log.query({ event: 'EVENTS_LOST', limit: 10 });
    assert.deepEqual(
      events.map(({ detail }) => detail),
      Array.from({ length: count }, () => ({ count: 5 })),
    );
    assert.equal(verifyChain(readChain(next.audit), first.key.publicKey).lost, 5);
    next.store.close();
  }
});

test('events that do not fit the buffer are counted and reported when the disk works again', async (t) => {
  const opened = openAuditLog(t);
  const free = fillDisk(opened.store);
  for (let second = 0; second < 50; second += 1) {
    recordMany(opened, largeReport, 50);
    opened.clock.advance(FLUSH_INTERVAL_MS);
  }
  free();
  opened.clock.advance(FLUSH_INTERVAL_MS);
  const { events } = await opened.log.query({ event: 'EVENTS_LOST', limit: 10 });
  assert.deepEqual(
    events.map(({ detail }) => detail),
    [{ count: 50 * 50 - MAXIMUM_WAITING }],
  );
  opened.log.record(login);
  assert.equal((await opened.log.query({ limit: 1000, event: 'EVENTS_LOST' })).events.length, 1);
});

test('record does not throw when the store is closed, and stop reports how many events are lost', async (t) => {
  const { log, store, clock, lines } = openAuditLog(t);
  store.close();
  log.record(login);
  clock.advance(FLUSH_INTERVAL_MS);
  log.record(login);
  await log.stop();
  assert.deepEqual(lines.at(-1), { level: 'error', event: 'audit.eventsLost', fields: { count: 2 } });
});

test('record does not throw when the log fails, and still stores the event', async (t) => {
  const { audit } = openAuditStore(t);
  const broken = (): never => {
    throw new Error('no journal');
  };
  const logger = { ...createMemoryLogger(), info: broken, error: broken };
  const log = new AuditLog({ store: audit, clock: new ManualClock(), logger });
  log.record(login);
  assert.equal((await log.query({ limit: 10 })).events.length, 1);
});

test('of a hundred thousand events at ten thousand a turn none is lost, and the chain is whole', (t) => {
  const { log, audit, key, clock, lines } = openAuditLog(t);
  const perTurn = 10_000;
  for (let turn = 0; turn < 10; turn += 1) {
    for (let index = 0; index < perTurn; index += 1) log.record(login);
    clock.advance(1000);
  }
  const chain = readChain(audit);
  const finding = verifyChain(chain, key.publicKey);
  assert.equal(finding.fault, undefined);
  assert.equal(finding.verified + finding.trimmed, 10 * perTurn);
  assert.ok(!lines.some(({ event }) => event === 'audit.eventsLost'));
});

test('events beyond the bound are removed in turns after they were stored, unless the log is stopped', async (t) => {
  for (const isStopped of [false, true]) {
    const { audit, key, store } = openAuditStore(t, { maximumEvents: 2000 });
    let nowMs = 0;
    // Each slice lasts long enough to end its turn.
    const clock = Object.assign(new ManualClock(), { monotonicMs: () => (nowMs += 1000) });
    const { lines, ...logger } = createMemoryLogger();
    const log = new AuditLog({ store: audit, clock, logger });
    audit.append(createEvents(login, 2050));
    log.record(login);
    await log.whenStored();
    assert.ok(audit.isFull);
    if (isStopped) {
      await log.stop();
      store.close();
      await clock.nextTurn();
      assert.deepEqual(
        lines.filter(({ event }) => event.startsWith('audit.')),
        [],
      );
      continue;
    }
    while (audit.isFull) await clock.nextTurn();
    const { events, gaps = [], checkpoints = [] } = await log.readChain({ after: 0, limit: 10_000 });
    const { fault, verified, trimmed } = verifyChain({ events, gaps, checkpoints }, key.publicKey);
    assert.deepEqual([fault, verified, trimmed], [undefined, 1980, 71]);
  }
});
