import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import {
  chainHash,
  CHAIN_ORIGIN,
  digestGaps,
  renderState,
} from '../../../../daemon/security/audit/audit-chain.ts';
import type { ChainFinding } from '../../../../daemon/security/audit/chain-verifier.ts';
import { verifyChain } from '../../../../daemon/security/audit/chain-verifier.ts';
import {
  createEvents,
  failedLogin,
  login,
  openAuditLog,
  openAuditStore,
  readAll,
  readChain,
} from './audit-fixture.ts';
import type { OpenAuditStore } from './audit-fixture.ts';
import { createAuditKey } from '../../../support/audit-key.ts';

const check = ({ audit, key }: OpenAuditStore): ChainFinding => verifyChain(readChain(audit), key.publicKey);

/** A closed log of some events on disk. */
function leaveLog(t: TestContext, maximumEvents?: number): OpenAuditStore {
  const opened = openAuditStore(t, { maximumEvents });
  opened.audit.append(createEvents(login, 20));
  opened.audit.append(createEvents(failedLogin, 20));
  opened.audit.seal();
  opened.store.close();
  return opened;
}

function change({ file }: OpenAuditStore, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  work(database);
  database.close();
}

/** Takes the log up again as a restart does, with one event more. */
function restart(t: TestContext, { file, key }: OpenAuditStore): OpenAuditStore {
  const opened = openAuditStore(t, { file, key });
  opened.audit.append(createEvents(login, 1));
  return opened;
}

/** Rebuilds the events of a log with matching hashes and an unsigned checkpoint in the form of the gateway. */
function rewrite(database: DatabaseSync, texts: (text: string) => string): void {
  let hash = CHAIN_ORIGIN;
  const rows = database.prepare('SELECT * FROM audit_event ORDER BY id').all();
  for (const row of rows) {
    const { id, time_ms: time, event, outcome, method } = row;
    const identity = texts(String(row['identity']));
    hash = chainHash(hash, JSON.stringify({ id, time, event, outcome, identity, method }));
    database
      .prepare('UPDATE audit_event SET identity = ?, hash = ? WHERE id = ?')
      .run(identity, Buffer.from(hash, 'hex'), Number(id));
  }
  const lastId = Number(rows.at(-1)?.['id']);
  const content = renderState({ startId: 1, lastId, hash, gaps: digestGaps([]), timeMs: 1 });
  database.exec('DELETE FROM audit_checkpoint; DELETE FROM audit_gap');
  database
    .prepare('INSERT INTO audit_checkpoint (bucket, content, signature) VALUES (0, ?, ?)')
    .run(content, Buffer.alloc(64).toString('base64'));
}

for (const [what, tamper] of [
  ['rewritten as a whole', (database) => rewrite(database, (name) => `not-${name}`)],
  [
    'cut at its end, and its checkpoint made to fit',
    (database) => {
      database.exec('DELETE FROM audit_event WHERE id > 30');
      rewrite(database, (name) => name);
    },
  ],
  [
    'emptied',
    (database) =>
      database.exec(
        'DELETE FROM audit_event; DELETE FROM audit_gap; DELETE FROM audit_checkpoint; DELETE FROM sqlite_sequence',
      ),
  ],
  ['emptied of its events', (database) => database.exec('DELETE FROM audit_event')],
  ['without its checkpoints', (database) => database.exec('DELETE FROM audit_checkpoint')],
  [
    'without hashes and checkpoints, as an earlier release left it',
    (database) => database.exec('UPDATE audit_event SET hash = NULL; DELETE FROM audit_checkpoint'),
  ],
  [
    'changed in the middle',
    (database) => database.exec("UPDATE audit_event SET identity = 'x' WHERE id = 7"),
  ],
  ['without an event in the middle', (database) => database.exec('DELETE FROM audit_event WHERE id = 7')],
  [
    'with a gap in the place of an event',
    (database) =>
      database.exec(
        `INSERT INTO audit_gap SELECT 7, 7, (SELECT hash FROM audit_event WHERE id = 6), hash FROM audit_event WHERE id = 7;
         DELETE FROM audit_event WHERE id = 7`,
      ),
  ],
  [
    'with an event after the last',
    (database) =>
      database.exec(
        "INSERT INTO audit_event (id, time_ms, event, outcome, hash) VALUES (41, 1, 'LOGIN', 'SUCCESS', zeroblob(32))",
      ),
  ],
] as readonly (readonly [string, (database: DatabaseSync) => void])[]) {
  test(`a log that was ${what} is broken, also after the next event and two restarts`, (t) => {
    const left = leaveLog(t);
    change(left, tamper);
    const first = restart(t, left);
    assert.ok(check(first).fault !== undefined);
    first.store.close();
    const second = restart(t, first);
    assert.ok(check(second).fault !== undefined);
  });
}

test('a store of earlier is broken: what was signed since is missing', (t) => {
  const left = leaveLog(t);
  const earlier = `${left.file}.earlier`;
  copyFileSync(left.file, earlier);
  const later = restart(t, left);
  later.audit.append(createEvents(login, 5));
  later.audit.seal();
  later.store.close();
  copyFileSync(earlier, later.file);
  const opened = restart(t, later);
  assert.match(check(opened).fault ?? '', /events 41 to 46 are missing/);
  // The ids of the missing events are not given again.
  assert.ok((readAll(opened.audit).at(-1)?.id ?? 0) > 46);
});

test('the break is a permanent event, and the chain continues after it', async (t) => {
  const left = leaveLog(t);
  change(left, (database) => rewrite(database, (name) => `not-${name}`));
  const opened = openAuditLog(t, left.file, left.key);
  await opened.log.start();
  opened.log.record(login);
  await opened.log.query({ limit: 1 });
  const finding = check(opened);
  assert.deepEqual(
    finding.breaks.map(({ firstId, fault }) => [firstId, fault]),
    [[41, 'the last checkpoint is not signed by this gateway']],
  );
  assert.deepEqual([finding.verified, finding.unproved], [2, 40]);
  const [broken] = (await opened.log.query({ event: 'AUDIT_BROKEN', limit: 10 })).events;
  assert.equal(broken?.id, 41);
  const reasons = [{ code: 'CHAIN_LAST_CHECKPOINT_UNSIGNED', parameters: {} }];
  assert.deepEqual(broken?.detail, {
    fault: 'the last checkpoint is not signed by this gateway',
    reasons: JSON.stringify(reasons),
  });
  assert.deepEqual(opened.audit.listBreaks()[0]?.reasons, reasons);
  assert.equal(opened.lines.find(({ level }) => level === 'error')?.fields['auditEvent'], 'AUDIT_BROKEN');
});

for (const [what, detail] of [
  ['an earlier release recorded', '{"fault":"event 7 was changed"}'],
  ['was damaged', '{"reasons":"["}'],
  ['was forged', '{"reasons":"[5]"}'],
] as const) {
  test(`a break whose event ${what} is listed without codes`, async (t) => {
    const left = leaveLog(t);
    change(left, (database) => rewrite(database, (name) => `not-${name}`));
    const opened = openAuditLog(t, left.file, left.key);
    await opened.log.start();
    opened.store.database.prepare('UPDATE audit_event SET detail = ? WHERE id = 41').run(detail);
    const [{ firstId, reasons } = {}] = opened.audit.listBreaks();
    assert.deepEqual([firstId, reasons], [41, undefined]);
  });
}

for (const [what, statement] of [
  ['an event in the middle', "UPDATE audit_event SET identity = 'x' WHERE id = 7"],
  [
    'an event that was added before the first',
    "INSERT INTO audit_event (id, time_ms, event, outcome) VALUES (-5, 1, 'LOGIN', 'SUCCESS')",
  ],
  ['a row that cannot be read', "UPDATE audit_event SET outcome = 'MAYBE' WHERE id = 7"],
] as const) {
  test(`a start finds ${what}, before it makes room for others`, async (t) => {
    const left = leaveLog(t);
    change(left, (database) => database.exec(statement));
    const opened = openAuditLog(t, left.file, left.key);
    await opened.log.start();
    for (let turn = 0; turn < 50 && opened.audit.listBreaks().length === 0; turn += 1) {
      await opened.clock.nextTurn();
    }
    assert.equal(opened.audit.listBreaks().length, 1);
  });
}

test('a key that was replaced breaks the chain once', async (t) => {
  const left = leaveLog(t);
  const key = createAuditKey();
  for (let start = 0; start < 3; start += 1) {
    const opened = openAuditLog(t, left.file, key);
    await opened.log.start();
    await opened.log.stop();
    opened.store.close();
  }
  assert.equal(openAuditStore(t, { file: left.file, key }).audit.listBreaks().length, 1);
});

test('ids that were forged to leave no room do not stop the log', (t) => {
  const left = leaveLog(t);
  change(left, (database) =>
    database.exec(
      "INSERT INTO audit_event (id, time_ms, event, outcome) VALUES (9223372036854775807, 1, 'LOGIN', 'SUCCESS')",
    ),
  );
  const opened = restart(t, left);
  assert.notEqual(check(opened).fault, undefined);
  assert.equal(readAll(opened.audit).at(-1)?.id, 41);
});

test('an event that was added among those that were removed to make room is a break', (t) => {
  const left = leaveLog(t, 30);
  const whole = restart(t, left);
  assert.equal(check(whole).fault, undefined);
  const [gap] = readChain(whole.audit).gaps;
  assert.ok(gap !== undefined);
  whole.store.database.exec(
    `INSERT INTO audit_event (id, time_ms, event, outcome, hash) VALUES (${gap.lastId}, 1, 'LOGIN', 'SUCCESS', zeroblob(32))`,
  );
  assert.match(check(whole).fault ?? '', /event \d+ was added/);
});

test('a log of nothing is no whole log', (t) => {
  const { publicKey } = openAuditStore(t).key;
  assert.notEqual(verifyChain({ events: [], gaps: [], checkpoints: [] }, publicKey).fault, undefined);
});
