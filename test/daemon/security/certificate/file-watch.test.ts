import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { describeFiles, FileWatch } from '../../../../daemon/security/certificate/file-watch.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

async function startWatch(t: TestContext) {
  const file = path.join(createTemporaryDirectory(t), 'server.crt');
  writeFileSync(file, 'first');
  const clock = new ManualClock();
  let changes = 0;
  const watch = new FileWatch({
    clock,
    intervalMs: 1000,
    files: () => [file],
    onChange: () => {
      changes += 1;
    },
  });
  watch.start(await describeFiles([file]));
  t.after(() => watch.stop());
  return {
    file,
    watch,
    clock,
    changes: () => changes,
    look: async (): Promise<void> => {
      clock.advance(1000);
      await watch.looking;
    },
  };
}

test('FileWatch ignores files that do not change', async (t) => {
  const { look, changes } = await startWatch(t);
  for (let count = 0; count < 3; count += 1) await look();
  assert.equal(changes(), 0);
});

test('FileWatch acts once on a replaced file, after it stayed the same for one interval', async (t) => {
  const { file, look, changes } = await startWatch(t);
  writeFileSync(`${file}.new`, 'other');
  renameSync(`${file}.new`, file);
  await look();
  assert.equal(changes(), 0);
  for (let count = 0; count < 3; count += 1) await look();
  assert.equal(changes(), 1);
});

test('FileWatch waits while a file is being written', async (t) => {
  const { file, look, changes } = await startWatch(t);
  for (const content of ['a', 'ab', 'abc']) {
    writeFileSync(file, content);
    await look();
  }
  assert.equal(changes(), 0);
  await look();
  assert.equal(changes(), 1);
});

test('FileWatch detects that a file is gone, and that it is back', async (t) => {
  const { file, look, changes } = await startWatch(t);
  rmSync(file);
  await look();
  await look();
  assert.equal(changes(), 1);
  writeFileSync(file, 'first');
  await look();
  await look();
  assert.equal(changes(), 2);
});

test('FileWatch checks nothing after stop', async (t) => {
  const { file, watch, look, changes } = await startWatch(t);
  await watch.stop();
  writeFileSync(file, 'other');
  await look();
  await look();
  assert.equal(changes(), 0);
});
