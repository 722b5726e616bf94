import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import { StoreFailure } from '../../../../daemon/base/store/transaction.ts';
import { codeOfFault, describeFault, describeFileFault } from '../../../../daemon/base/file/file-fault.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const failureOf = (file: string): Promise<unknown> => readFile(file).catch((error: unknown) => error);

test('describeFileFault describes the error of the file system in words', async (t) => {
  const directory = createTemporaryDirectory(t);
  assert.equal(describeFileFault(await failureOf(`${directory}/none`)), 'no such file');
  assert.equal(describeFileFault(await failureOf(directory)), 'expected a file, found a directory');
});

test('describeFileFault returns an unknown error code unchanged', () => {
  assert.equal(describeFileFault(Object.assign(new Error('x'), { code: 'ESTALE' })), 'ESTALE');
  assert.equal(describeFileFault(new Error('longer than 5 bytes')), 'longer than 5 bytes');
});

test('codeOfFault returns the code of the gateway, of the system, or that of the system which a database reports', async (t) => {
  const failure = new StoreFailure({ code: 'STORE_FULL', detail: 'full', retryAfterSeconds: 1 });
  assert.equal(codeOfFault(failure), 'STORE_FULL');
  assert.equal(codeOfFault(await failureOf(createTemporaryDirectory(t))), 'EISDIR');
  const database = { code: 'ERR_SQLITE_ERROR', errcode: 13 };
  assert.equal(codeOfFault(Object.assign(new Error('full'), database)), 'ENOSPC');
  for (const other of [new Error('x'), Object.assign(new Error('x'), { code: 'ERR_OSSL' }), undefined])
    assert.equal(codeOfFault(other), undefined);
});

test('describeFault names the file or the program, and keeps the message of anything else', async (t) => {
  const directory = createTemporaryDirectory(t);
  assert.equal(describeFault(await failureOf(`${directory}/none`)), `${directory}/none: no such file`);
  const started = await once(spawn('/nonexistent/program'), 'error').catch((error: unknown) => [error]);
  assert.equal(describeFault(started[0]), 'cannot start /nonexistent/program: no such file');
  const denied = Object.assign(new Error('x'), { code: 'EACCES', syscall: 'open', path: '/x' });
  assert.equal(describeFault(denied, 'this user'), '/x: this user has no permission');
  assert.equal(describeFault(new Error('other')), 'other');
  assert.equal(describeFault('text'), 'text');
});
