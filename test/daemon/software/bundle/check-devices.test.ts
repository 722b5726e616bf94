import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { checkDevices } from '../../../../daemon/software/bundle/check-devices.ts';
import { createBundle, createSupervisor } from '../../../support/bundle-program.ts';
import { WITH_ROOT } from '../../../support/root.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const refused = (device: string, kind: RegExp) => ({
  code: 'BUNDLE_DEVICE_UNSUITABLE',
  detail: new RegExp(`^Penstock-Permissions: ${device} is ${kind.source}, not a character device$`),
});

test('checkDevices takes character devices, links to them, and devices that are not there', async (t) => {
  const directory = createTemporaryDirectory(t);
  const link = path.join(directory, 'by-id');
  symlinkSync('/dev/null', link);
  const dangling = path.join(directory, 'unplugged');
  symlinkSync('/dev/penstock-none', dangling);
  await checkDevices(['/dev/null', link, dangling, '/dev/penstock-none', '/dev/null/below']);
});

test('checkDevices names what is no character device, and what it is', async (t) => {
  const directory = createTemporaryDirectory(t);
  const at = (name: string): string => path.join(directory, name);
  writeFileSync(at('file'), '');
  mkdirSync(at('directory'));
  assert.equal(spawnSync('mkfifo', [at('fifo')]).status, 0);
  const server = net.createServer().listen(at('socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  symlinkSync(at('file'), at('link'));
  for (const [name, kind] of [
    ['file', /a regular file/],
    ['directory', /a directory/],
    ['fifo', /a FIFO/],
    ['socket', /a socket/],
    ['link', /a regular file/],
  ] as const) {
    await assert.rejects(checkDevices(['/dev/null', at(name)]), refused(at(name), kind));
  }
});

test('checkDevices refuses a block device', WITH_ROOT, async (t) => {
  const device = path.join(createTemporaryDirectory(t), 'disk');
  // Number 7, 250 is a loop device that is not attached to anything.
  if (spawnSync('mknod', [device, 'b', '7', '250']).status !== 0) return t.skip('no device can be made here');
  await assert.rejects(checkDevices([device]), refused(device, /a block device/));
});

test('a bundle whose device is a directory is not started, and not tried again', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t);
  const bundle = createBundle(t, {
    source: 'export function activate() {}',
    permissions: 'device=/dev/pts',
  });
  await assert.rejects(supervisor.start(bundle), refused('/dev/pts', /a directory/));
  const failed = await awaitStatus(({ state }) => state === 'FAILED');
  assert.equal(failed.restartAtMs, undefined);
  assert.match(failed.cause ?? '', /\/dev\/pts is a directory/);
});

test('a bundle whose device is not there is started', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, {
    source: 'export function activate() {}',
    permissions: 'device=/dev/penstock-none',
  });
  await supervisor.start(bundle);
  assert.equal(supervisor.stateOf(bundle.id), 'ACTIVE');
});
