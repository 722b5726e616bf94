import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { openRegularFile, readRegularFile } from '../../../../daemon/base/file/regular-file.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { programOf } from '../../../support/tools.ts';
import { makeWaitingPipe } from '../../../support/waiting-pipe.ts';

test('readRegularFile reads a file, also over a link', async (t) => {
  const directory = createTemporaryDirectory(t);
  const [file, link] = [path.join(directory, 'file'), path.join(directory, 'link')];
  writeFileSync(file, 'content');
  symlinkSync(file, link);
  assert.equal((await readRegularFile(file)).toString(), 'content');
  assert.equal((await readRegularFile(link)).toString(), 'content');
});

test('openRegularFile refuses a pipe without opening it, also over a link', async (t) => {
  const directory = createTemporaryDirectory(t);
  const pipe = await makeWaitingPipe(t, directory);
  const link = path.join(directory, 'link');
  symlinkSync(pipe.file, link);
  await assert.rejects(openRegularFile(pipe.file), { code: 'ENXIO' });
  await assert.rejects(openRegularFile(link), { code: 'ENXIO' });
  assert.equal(await pipe.takeText(), 'text');
});

test('openRegularFile refuses devices, sockets and directories', async (t) => {
  const directory = createTemporaryDirectory(t);
  const socket = path.join(directory, 'socket');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  t.after(() => server.close());
  mkdirSync(path.join(directory, 'folder'));
  for (const file of ['/dev/zero', '/dev/null', socket]) {
    await assert.rejects(openRegularFile(file), { code: 'ENXIO' }, file);
  }
  await assert.rejects(openRegularFile(path.join(directory, 'folder')), { code: 'EISDIR' });
});

test('openRegularFile names the file in every error', async (t) => {
  const directory = createTemporaryDirectory(t);
  for (const file of [path.join(directory, 'absent'), '/dev/null', directory]) {
    await assert.rejects(openRegularFile(file), (error: Error) => error.message.includes(`'${file}'`));
  }
});

test('openRegularFile asks about the path that all links lead to, and opens nothing that is not allowed', async (t) => {
  const directory = createTemporaryDirectory(t);
  const [file, link] = [path.join(directory, 'file'), path.join(directory, 'link')];
  writeFileSync(file, 'content');
  symlinkSync(file, link);
  const asked: string[] = [];
  const ask = (isAllowed: boolean) => (actual: string) => {
    asked.push(actual);
    return Promise.resolve(isAllowed);
  };
  await (await openRegularFile(link, ask(true))).close();
  await assert.rejects(openRegularFile(link, ask(false)), { code: 'ENXIO' });
  assert.deepEqual(asked, [file, file]);
});

// fcntl(2), F_SETLEASE: an open that may wait does so for 45 seconds.
const LEASE_HOLDER = `
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('held', flush=True)
sys.stdin.read()
`;

test(
  'a file on which another program has a lease is busy, and not waited for',
  needs('python3'),
  async (t) => {
    const file = path.join(createTemporaryDirectory(t), 'file');
    writeFileSync(file, 'content');
    const holder = spawn(programOf('python3'), ['-c', LEASE_HOLDER, file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(holder, 'close');
    await once(holder.stdout, 'data');
    await assert.rejects(openRegularFile(file), { code: 'EAGAIN' });
    holder.stdin.end();
    await ended;
    assert.equal((await readRegularFile(file)).toString(), 'content');
  },
);
