import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { describeBindFailure } from '../../../../daemon/base/network/bind-failure.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const ANY_PORT = { host: '127.0.0.1', port: 0 };

/** Opens a port in another process. */
async function occupy(t: Owner): Promise<{ readonly port: number; readonly pid: number | undefined }> {
  const program = `const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(port.toString()), pid: child.pid };
}

test('a port in use is shown with name and number of the process that has it', async (t) => {
  const { port, pid } = await occupy(t);
  const server = createServer();
  const error = once(server, 'error');
  server.listen(port, '127.0.0.1');
  const [cause] = (await error) as [unknown];
  assert.deepEqual(describeBindFailure({ host: '127.0.0.1', port }, cause), {
    code: 'PORT_IN_USE',
    text: `port ${port} is in use by ${path.basename(process.execPath)} (process ${pid ?? 0})`,
  });
});

test('a port that is refused for want of a right, and that another process has, is in use', async (t) => {
  const { port } = await occupy(t);
  assert.equal(describeBindFailure({ ...ANY_PORT, port }, { code: 'EACCES' }).code, 'PORT_IN_USE');
});

test('a port that nobody has, and that is refused for want of a right, is forbidden', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  assert.equal(describeBindFailure({ ...ANY_PORT, port }, { code: 'EACCES' }).code, 'PORT_FORBIDDEN');
});

test('an address that the machine does not have is named', async () => {
  const server = createServer();
  const error = once(server, 'error');
  server.listen(8443, '192.0.2.7');
  const [cause] = (await error) as [unknown];
  assert.deepEqual(describeBindFailure({ host: '192.0.2.7', port: 8443 }, cause), {
    code: 'PORT_UNAVAILABLE',
    text: 'cannot open port 8443: 192.0.2.7 is not an address of this machine',
  });
});
