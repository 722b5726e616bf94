import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { chainHash, CHAIN_ORIGIN } from '../../../../daemon/security/audit/audit-chain.ts';
import type { ChainPage } from '../../../../daemon/security/audit/audit-store.ts';
import { readWholeChain } from '../../../../daemon/security/audit/chain-reading.ts';
import type { AuditChain, ChainFinding } from '../../../../daemon/security/audit/chain-verifier.ts';
import { verifyChain } from '../../../../daemon/security/audit/chain-verifier.ts';
import { auditMigrations } from '../../../../daemon/security/audit/sqlite-audit-store.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { createAuditKey } from '../../../support/audit-key.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { createEvents, failedLogin, login, openAuditStore, readChain } from './audit-fixture.ts';
import type { OpenAuditStore } from './audit-fixture.ts';

const check = ({ audit, key }: OpenAuditStore): ChainFinding => verifyChain(readChain(audit), key.publicKey);
const WHOLE = { before: 0, trimmed: 0, unproved: 0, lost: 0, breaks: [] };

function openFilled(t: TestContext): OpenAuditStore {
  const opened = openAuditStore(t);
  opened.audit.append(createEvents({ ...login, detail: { asset: 'Ä "1"\n', failed: 0, share: 0.5 } }, 3));
  opened.audit.append(createEvents(failedLogin, 2, 5000));
  opened.audit.seal();
  return opened;
}

test('the hash of an event covers the hash before it and the text of the event', (t) => {
  const { events } = readChain(openFilled(t).audit);
  const [first, second] = events;
  assert.equal(
    first?.text,
    '{"id":1,"time":1000,"event":"LOGIN","outcome":"SUCCESS","identity":"scada","method":"password","detail":{"asset":"Ä \\"1\\"\\\\u000a","failed":0,"share":0.5}}',
  );
  assert.equal(first.hash, chainHash(CHAIN_ORIGIN, first.text));
  assert.ok(second !== undefined);
  assert.equal(second.hash, chainHash(first.hash ?? '', second.text));
});

test('chainHash is SHA-256 over 32 bytes and the UTF-8 of the text', () => {
  // python3 -c "import hashlib; print(hashlib.sha256(bytes(32) + '{}ä'.encode()).hexdigest())"
  assert.equal(
    chainHash(CHAIN_ORIGIN, '{}ä'),
    'b9e1c6730aca59cee40a6f1ae1f3fcfc3dd818e76c439b792f37884dcc353eb2',
  );
});

test('an unmodified log is intact, also after it is opened again', (t) => {
  const opened = openFilled(t);
  assert.deepEqual(check(opened), { ...WHOLE, verified: 5, checkpoints: 1 });
  opened.store.close();
  const again = openAuditStore(t, { file: opened.file });
  again.audit.append(createEvents(login, 1));
  const chain = readChain(again.audit);
  assert.equal(chain.events.length, 6);
  assert.equal(verifyChain({ ...chain, checkpoints: [] }, again.key.publicKey).fault, 'no checkpoint found');
});

for (const [what, statement, fault] of [
  ['a changed event', "UPDATE audit_event SET identity = 'other' WHERE id = 3", /^event 3 was changed/],
  ['a changed detail', "UPDATE audit_event SET detail = '{}' WHERE id = 1", /^event 1 was changed/],
  ['a removed event', 'DELETE FROM audit_event WHERE id = 2', /^event 2 is missing/],
  ['removed last events', 'DELETE FROM audit_event WHERE id > 3', /^events 4 to 5 are missing/],
  ['removed first events', 'DELETE FROM audit_event WHERE id < 3', /^events 1 to 2 are missing/],
  ['a removed log', 'DELETE FROM audit_event', /^events 1 to 5 are missing/],
  ['a hash that was taken away', 'UPDATE audit_event SET hash = NULL WHERE id = 4', /^event 4 was changed/],
  ['two events in another order', 'UPDATE audit_event SET id = 9 WHERE id = 2', /^event 2 is missing/],
  [
    'a checkpoint that was changed',
    "UPDATE audit_checkpoint SET content = replace(content, '5', '4')",
    /^the signature of checkpoint 1/,
  ],
] as const) {
  test(`${what} is the first break`, (t) => {
    const opened = openFilled(t);
    opened.store.database.exec(statement);
    assert.match(check(opened).fault ?? '', fault);
  });
}

test('a removed event with a gap in its place is a break: the list of gaps is signed', (t) => {
  const opened = openFilled(t);
  const { events, gaps, checkpoints } = readChain(opened.audit);
  const [first, second] = events;
  const forged: AuditChain = {
    events: events.filter(({ id }) => id !== 2),
    gaps: [...gaps, { firstId: 2, lastId: 2, before: first?.hash ?? '', after: second?.hash ?? '' }],
    checkpoints,
  };
  assert.match(verifyChain(forged, opened.key.publicKey).fault ?? '', /list of removed events/);
});

test('a chain rebuilt with another key is a break', (t) => {
  const opened = openFilled(t);
  const fault = verifyChain(readChain(opened.audit), createAuditKey().publicKey).fault ?? '';
  assert.match(fault, /^the signature of checkpoint 1/);
});

test('a log that was trimmed many times, in several places, is whole', (t) => {
  const opened = openAuditStore(t, { maximumEvents: 30 });
  for (let round = 0; round < 40; round += 1) {
    opened.audit.append(createEvents({ ...login, identity: `person-${round % 7}` }, 1 + (round % 5)));
    opened.audit.append(createEvents(failedLogin, round % 3 === 0 ? 4 : 1));
    const finding = check(opened);
    assert.equal(finding.fault, undefined);
    const { events } = readChain(opened.audit);
    assert.equal(finding.verified, events.length);
    assert.equal(finding.verified + finding.trimmed, events.at(-1)?.id);
  }
  const chain = readChain(opened.audit);
  assert.ok(chain.gaps.length > 1);
  // What remains of a trimmed log is as well protected as before.
  const [gap] = chain.gaps;
  opened.store.database.exec(`UPDATE audit_event SET time_ms = 1 WHERE id = ${(gap?.lastId ?? 0) + 1}`);
  assert.match(check(opened).fault ?? '', /was changed/);
});

test('checkpoints of former moments remain, and vouch for the events of then', (t) => {
  const opened = openAuditStore(t);
  for (let round = 0; round < 5; round += 1) opened.audit.append(createEvents(login, 500));
  const finding = check(opened);
  assert.deepEqual(finding, { ...WHOLE, verified: 2500, checkpoints: 3 });
});

test('events of an earlier release stay without hash, and the chain begins after them', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'store.db');
  const earlier = openStore(file, [{ module: 'audit', steps: auditMigrations.steps.slice(0, 2) }]);
  earlier.database.exec(
    "INSERT INTO audit_event (time_ms, event, outcome) VALUES (1, 'LOGIN', 'SUCCESS'), (2, 'LOGIN', 'SUCCESS')",
  );
  earlier.close();
  const opened = openAuditStore(t, { file });
  assert.deepEqual(check(opened), { ...WHOLE, verified: 0, checkpoints: 1, before: 2 });
  opened.audit.append(createEvents(login, 2));
  assert.deepEqual(check(opened), { ...WHOLE, verified: 2, checkpoints: 1, before: 2 });
  opened.store.database.exec('UPDATE audit_event SET hash = NULL WHERE id = 3');
  assert.match(check(opened).fault ?? '', /^event 3 was changed/);
});

test('a refused append leaves the chain as it was', (t) => {
  const opened = openFilled(t);
  opened.store.database.exec('PRAGMA query_only = 1');
  assert.throws(() => opened.audit.append(createEvents(login, 1)));
  opened.store.database.exec('PRAGMA query_only = 0');
  opened.audit.append(createEvents(login, 1));
  assert.deepEqual(check(opened), { ...WHOLE, verified: 6, checkpoints: 1 });
});

test('parts that were read before and after events were removed form a whole chain', async (t) => {
  const opened = openAuditStore(t, { maximumEvents: 30 });
  opened.audit.append(createEvents(login, 20));
  const read = (after: number, limit: number): ChainPage => {
    const page = finish(opened.audit.readChain({ after, limit }));
    assert.ok(page);
    return page;
  };
  const parts: ChainPage[] = [read(0, 10)];
  opened.audit.append(createEvents(failedLogin, 5));
  opened.audit.append(createEvents(login, 40));
  const { publicKey } = opened.key;
  const chain = await readWholeChain((after) => {
    const page = parts.pop() ?? read(after, 1000);
    return Promise.resolve(page.checkpoints === undefined ? page : { ...page, publicKey });
  });
  assert.equal(verifyChain(chain, publicKey).fault, undefined);
});

test('a chain that retention changes while its gaps are read is read again', (t) => {
  const opened = openAuditStore(t, { maximumEvents: 30 });
  const fill = (): void => {
    opened.audit.append(createEvents(login, 20));
    opened.audit.append(createEvents(failedLogin, 20));
  };
  fill();
  const steps = opened.audit.readChain({ after: 0, limit: 1000 });
  assert.equal(steps.next().done, false);
  fill();
  assert.equal(finish(steps), undefined);
  assert.equal(check(opened).fault, undefined);
});

test('many gaps are read in steps, and signed as the list of them', (t) => {
  const opened = openAuditStore(t, { maximumEvents: 3000 });
  const [kept] = createEvents({ ...login, event: 'LOGOUT' }, 1);
  assert.ok(kept);
  opened.audit.append(createEvents(login, 1500).flatMap((event) => [event, kept]));
  // Each removed event lies between two others.
  opened.audit.append(createEvents(login, 1400));
  assert.equal(check(opened).fault, undefined);
  assert.ok(readChain(opened.audit).gaps.length > 1000);
  assert.equal([...opened.audit.readChain({ after: 0, limit: 5000 })].length, 2);
});
