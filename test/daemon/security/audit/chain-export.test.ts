import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test as plainTest } from 'node:test';
import type { TestContext } from 'node:test';

import { chainHash } from '../../../../daemon/security/audit/audit-chain.ts';
import { formatChain, parseChain } from '../../../../daemon/security/audit/chain-export.ts';
import type { ExportedChain } from '../../../../daemon/security/audit/chain-export.ts';
import { verifyChain } from '../../../../daemon/security/audit/chain-verifier.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';
import { programOf } from '../../../support/tools.ts';
import { createEvents, failedLogin, login, openAuditStore, readChain } from './audit-fixture.ts';

const { test } = testsThatNeed('cryptography');
const SCRIPT = path.resolve(import.meta.dirname, '../../../support/audit-chain.py');

function exportTrimmed(t: TestContext): string {
  const { audit, key } = openAuditStore(t, { maximumEvents: 40 });
  for (let round = 0; round < 60; round += 1) {
    const detail = {
      asset: 'Kühlung "2" \u{1f600}\u2028,"event":',
      share: round / 3,
      count: 1e21,
      isNew: true,
    };
    audit.append(createEvents({ ...login, identity: `person ${round % 5}`, detail }, 2, round));
    audit.append(createEvents(failedLogin, 1, round));
  }
  return [...formatChain({ ...readChain(audit), publicKey: key.publicKey })].join('');
}

function verifyElsewhere(text: string): string {
  const { stdout, stderr } = spawnSync(programOf('cryptography'), [SCRIPT], {
    input: text,
    encoding: 'utf8',
  });
  return stdout.trim() || stderr;
}

function verifyHere(text: string): string {
  const chain = parseChain(text);
  assert.ok(!('badLine' in chain));
  return verifyChain(chain, chain.publicKey).fault ?? 'whole';
}

test('an export of a trimmed log is whole, also for a verifier of another make', (t) => {
  const text = exportTrimmed(t);
  assert.match(text, /"gap"/);
  assert.deepEqual([verifyHere(text), verifyElsewhere(text)], ['whole', 'whole']);
});

for (const [what, change] of [
  [
    'a changed event',
    (lines: readonly string[]) => lines.with(20, (lines[20] ?? '').replace('person', 'Person')),
  ],
  ['an event that was left out', (lines: readonly string[]) => lines.toSpliced(20, 1)],
  ['the last event left out', (lines: readonly string[]) => lines.toSpliced(39, 1)],
  [
    'a gap that was left out',
    (lines: readonly string[]) =>
      lines.filter((_line, index) => index !== lines.findIndex((other) => other.startsWith('{"gap"'))),
  ],
  [
    'a changed checkpoint',
    (lines: readonly string[]) => lines.map((line) => line.replace('"startId":1', '"startId":2')),
  ],
] as const) {
  test(`${what} breaks the chain for both verifiers`, (t) => {
    const lines = exportTrimmed(t).split('\n');
    const text = change(lines).join('\n');
    assert.notEqual(text, lines.join('\n'));
    assert.notEqual(verifyHere(text), 'whole');
    assert.doesNotMatch(verifyElsewhere(text), /^whole$|Traceback/);
  });
}

test('a break that was recorded is one for both verifiers, and cannot be taken out', (t) => {
  const { audit, store, key, file } = openAuditStore(t);
  audit.append(createEvents(login, 3));
  audit.seal();
  store.database.exec(
    "UPDATE audit_event SET identity = 'other' WHERE id = 3; UPDATE audit_checkpoint SET content = '{}'",
  );
  store.close();
  const opened = openAuditStore(t, { file, key });
  opened.audit.append(createEvents(login, 2));
  const lines = [...formatChain({ ...readChain(opened.audit), publicKey: key.publicKey })];
  const text = lines.join('');
  assert.match(text, /^\{"break":\{"firstId":4,"time":1000,"fault":"the last checkpoint/m);
  assert.deepEqual(
    [verifyHere(text), verifyElsewhere(text)],
    ['the last checkpoint is not signed by this gateway; recorded by event 4', 'broken before 4'],
  );
  const without = lines.filter((line) => !line.startsWith('{"break"')).join('');
  assert.deepEqual(
    [verifyHere(without), verifyElsewhere(without)],
    ['the list of breaks differs from the signed one', 'breaks'],
  );
});

test('events after the last signed one are a break for both verifiers', (t) => {
  const text = exportTrimmed(t);
  const chain = parseChain(text);
  assert.ok(!('badLine' in chain));
  const last = chain.events.at(-1);
  const forged = { id: (last?.id ?? 0) + 1, text: `{"id":${(last?.id ?? 0) + 1},"x":1}` };
  const hash = chainHash(last?.hash ?? '', forged.text);
  const added = [...formatChain({ ...chain, events: [...chain.events, { ...forged, hash }] })].join('');
  assert.match(verifyHere(added), /^the events after \d+ are not signed$/);
  assert.match(verifyElsewhere(added), /^not signed/);
});

plainTest('parseChain gives what formatChain wrote, and names the first line that is none', (t) => {
  const text = exportTrimmed(t);
  const chain = parseChain(text);
  assert.ok(!('badLine' in chain));
  assert.equal([...formatChain(chain)].join(''), text);
  const unchained: ExportedChain = { ...chain, events: [{ id: 1, text: '{"id":1,"x":",\\"event\\":"}' }] };
  assert.deepEqual(parseChain([...formatChain(unchained)].join('')), unchained);
  assert.deepEqual(parseChain(`${text}{}\n`), { badLine: text.split('\n').length });
  assert.ok('badLine' in parseChain(text.slice(0, 5000)));
});
