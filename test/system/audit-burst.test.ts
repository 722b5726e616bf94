import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { createChainHead } from '../../daemon/security/audit/chain-head.ts';
import { loadAuditKey } from '../../daemon/security/audit/audit-key.ts';
import { AuditLog } from '../../daemon/security/audit/audit-log.ts';
import type { ChainedEvent } from '../../daemon/security/audit/audit-chain.ts';
import { verifyChain } from '../../daemon/security/audit/chain-verifier.ts';
import { auditMigrations, createSqliteAuditStore } from '../../daemon/security/audit/sqlite-audit-store.ts';
import { systemClock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';

const PROGRAM = path.join(import.meta.dirname, '../support/audit-burst-process.ts');
// Ten thousand a second for ten seconds, and as many requests in one turn as that brings in 10 ms.
const EVENTS = 100_000;
const AT_ONCE = 100;
const PAGE = 1000;

/** Records a burst in a process of its own, which is killed when so many events are promised; returns how many were. */
async function record(directory: string, killedAt = Infinity): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, directory, String(EVENTS), String(AT_ONCE)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  // It may have ended before it was answered.
  child.stdin.on('error', () => undefined);
  let promised = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    promised = Number(line);
    if (promised >= killedAt) child.kill('SIGKILL');
    else child.stdin.write('.');
  });
  await Promise.all([closed, once(lines, 'close')]);
  assert.equal(child.signalCode, killedAt === Infinity ? null : 'SIGKILL');
  return promised;
}

/** Opens the store as the next start does; returns the numbers of the events in it, in order, and what breaks its chain. */
async function look(t: Owner, directory: string) {
  const store = openStore(path.join(directory, 'store.db'), [auditMigrations]);
  t.after(() => store.close());
  const key = await loadAuditKey(path.join(directory, 'audit-key.pem'));
  const audit = createSqliteAuditStore({
    store,
    key,
    head: createChainHead(path.join(directory, 'audit-head'), key),
  });
  const log = new AuditLog({ store: audit, clock: systemClock, logger: createMemoryLogger() });
  t.after(() => log.stop());
  const events: ChainedEvent[] = [];
  for (;;) {
    const page = await log.readChain({ after: events.at(-1)?.id ?? 0, limit: PAGE });
    events.push(...page.events);
    if (page.checkpoints === undefined || page.gaps === undefined) continue;
    const { gaps, checkpoints } = page;
    const { fault, verified } = verifyChain({ events, gaps, checkpoints }, key.publicKey);
    const numbers = events.map(
      ({ text }) => (JSON.parse(text) as { readonly detail: { readonly number: number } }).detail.number,
    );
    return { numbers, fault, verified };
  }
}

for (const [what, killedAt] of [
  ['in the middle', EVENTS / 2],
  ['soon after its start', AT_ONCE],
] as const) {
  test(`of ten thousand events a second for ten seconds none is lost that was promised, with a kill ${what}`, async (t) => {
    const directory = createTemporaryDirectory(t);
    const promised = await record(directory, killedAt);
    assert.ok(promised >= killedAt && promised < EVENTS);
    const { numbers, fault, verified } = await look(t, directory);
    assert.equal(fault, undefined);
    assert.equal(verified, numbers.length);
    assert.ok(numbers.length >= promised, `${numbers.length} of ${promised}`);
    // Each once and in order; what was recorded and not yet promised may be there or not.
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });
}

test('of ten thousand events a second for ten seconds none is lost', async (t) => {
  const directory = createTemporaryDirectory(t);
  assert.equal(await record(directory), EVENTS);
  const { numbers, fault } = await look(t, directory);
  assert.equal(fault, undefined);
  assert.equal(numbers.length, EVENTS);
});
