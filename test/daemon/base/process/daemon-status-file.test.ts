import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DaemonStatusWriter, readDaemonStatus } from '../../../../daemon/base/process/daemon-status-file.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('readDaemonStatus returns what the writer wrote last', async (t) => {
  const dataDirectory = createTemporaryDirectory(t);
  const writer = new DaemonStatusWriter(() => 1_800_000_000_000);
  writer.dataDirectory = dataDirectory;
  await writer.write('SERVING');
  const sentence = { code: 'MISSING', parameters: { keys: ['host', 'port'], line: 3 } };
  const reasons = [{ ...sentence, message: 'in English' }];
  await writer.write('RELOAD_FAILED', { reason: 'line 3', code: 'SETTINGS_INVALID', reasons });
  assert.deepEqual(await readDaemonStatus(dataDirectory), {
    state: 'RELOAD_FAILED',
    timeMs: 1_800_000_000_000,
    reason: 'line 3',
    code: 'SETTINGS_INVALID',
    reasons: [sentence],
  });
});

for (const [name, plant] of [
  ['a pipe, without waiting for its other end', (file: string) => execFileSync('mkfifo', [file])],
  ['a directory', (file: string) => mkdirSync(file)],
  ['no JSON', (file: string) => writeFileSync(file, 'SERVING')],
  ['nothing', () => undefined],
] as const) {
  test(`readDaemonStatus finds no words in ${name}`, async (t) => {
    const dataDirectory = createTemporaryDirectory(t);
    plant(path.join(dataDirectory, 'last-words.json'));
    assert.equal(await readDaemonStatus(dataDirectory), undefined);
  });
}
