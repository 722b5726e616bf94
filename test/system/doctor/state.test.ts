import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { examine, startCertifiedGateway } from '../../support/doctor.ts';
import { runDaemon, startGateway } from '../../support/gateway.ts';

test('doctor names an audit that was altered', async (t) => {
  const { running } = await startCertifiedGateway(t);
  assert.deepEqual((await examine(running)).wrong, []);
  await running.stop();
  const database = new DatabaseSync(path.join(running.dataDirectory, 'penstock.db'));
  database.exec('DELETE FROM audit_event WHERE id = (SELECT min(id) + 1 FROM audit_event)');
  database.close();
  const again = await startGateway(t, { directory: running.directory, isConfigured: true });
  const { status, wrong, findings } = await examine(again);
  assert.equal(status, 1);
  assert.match(wrong.join('\n'), /^audit(?: chain)?: /m);
  assert.match(
    findings.find(({ check }) => check.startsWith('audit'))?.advice ?? '',
    /penstock audit verify/,
  );
});

test('doctor names a damaged store as the reason why the daemon does not start, once', async (t) => {
  const { running } = await startCertifiedGateway(t);
  await running.stop();
  const file = path.join(running.dataDirectory, 'penstock.db');
  truncateSync(file, 0);
  writeFileSync(file, 'no database at all'.repeat(500));
  assert.equal((await runDaemon(['--config', running.configFile])).status, 78);
  const { status, wrong, findings } = await examine(running);
  assert.equal(status, 1);
  assert.equal(wrong.length, 1, wrong.join('\n'));
  assert.match(wrong[0] ?? '', /^daemon: the daemon ended at .*: .*is not an intact database/);
  assert.match(
    findings.find(({ check }) => check === 'daemon')?.advice ?? '',
    /^penstock restore FILE --replace/,
  );
});
