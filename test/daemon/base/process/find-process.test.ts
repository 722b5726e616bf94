import assert from 'node:assert/strict';
import { closeSync, openSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { findProcessWith } from '../../../../daemon/base/process/find-process.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('findProcessWith returns the process that has a file open, and undefined once it is closed', (t) => {
  const file = path.join(realpathSync(createTemporaryDirectory(t)), 'store');
  const descriptor = openSync(file, 'a');
  assert.deepEqual(findProcessWith(new Set([file])), {
    name: path.basename(process.execPath),
    pid: process.pid,
  });
  closeSync(descriptor);
  assert.equal(findProcessWith(new Set([file])), undefined);
});
