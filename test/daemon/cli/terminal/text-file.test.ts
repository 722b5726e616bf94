import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { readTextFile } from '../../../../daemon/cli/terminal/text-file.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const MODULE = path.join(import.meta.dirname, '../../../../daemon/cli/terminal/text-file.ts');

test('readTextFile reads standard input that is a socket, as a parent on Node.js or ssh gives it', async () => {
  const program = `import { readTextFile } from '${MODULE}'; process.stdout.write(await readTextFile('-'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  child.stdin.end('rest: {}\n');
  assert.equal(await text(child.stdout), 'rest: {}\n');
  assert.deepEqual(await exited, [0, null]);
});

test('readTextFile names the file that is missing, or no UTF-8', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'secret');
  await assert.rejects(readTextFile(file), {
    code: 'FILE_UNREADABLE',
    detail: /secret cannot be read: no such file$/,
  });
  writeFileSync(file, Buffer.of(0xff));
  await assert.rejects(readTextFile(file), { detail: /secret cannot be read: it is not UTF-8/ });
});
