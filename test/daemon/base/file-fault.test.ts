import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { describeFileFault } from '../../../daemon/base/file-fault.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const failureOf = (file: string): Promise<unknown> => readFile(file).catch((error: unknown) => error);

test('describeFileFault describes the error of the file system in words', async (t) => {
  const directory = createTemporaryDirectory(t);
  assert.equal(describeFileFault(await failureOf(`${directory}/none`)), 'there is no such file');
  assert.equal(describeFileFault(await failureOf(directory)), 'expected a file, found a directory');
});

test('describeFileFault returns an unknown error code unchanged', () => {
  assert.equal(describeFileFault(Object.assign(new Error('x'), { code: 'ESTALE' })), 'ESTALE');
  assert.equal(describeFileFault(new Error('longer than 5 bytes')), 'longer than 5 bytes');
});
