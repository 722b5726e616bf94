import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parsePermissions } from '../../../daemon/bundle/bundle-permissions.ts';

test('parsePermissions grants nothing for an empty header', () => {
  assert.deepEqual(parsePermissions(' '), { net: false, childProcess: false, devices: [] });
});

test('parsePermissions reads every permission', () => {
  assert.deepEqual(parsePermissions('net, device=/dev/serial/by-id/usb-1, child-process,device=/dev/ttyS0'), {
    net: true,
    childProcess: true,
    devices: ['/dev/serial/by-id/usb-1', '/dev/ttyS0'],
  });
});

for (const header of [
  'network',
  'net,',
  'NET',
  'net;child-process',
  'device=',
  'device=/etc/shadow',
  'device=/dev/../etc/shadow',
  'device=/dev/*',
  'device=/dev/',
  'device=/dev/shm/x',
  'device=/dev/fd/3',
  'device=dev/ttyS0',
  `device=/dev/${'a'.repeat(300)}`,
  'net,'.repeat(2000),
]) {
  test(`parsePermissions refuses ${header.slice(0, 40)}`, () => {
    assert.throws(() => parsePermissions(header), { code: 'BUNDLE_PERMISSIONS_INVALID' });
  });
}
