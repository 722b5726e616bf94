import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listPermissions, parsePermissions } from '../../../../daemon/software/bundle/bundle-permissions.ts';

const NONE = {
  net: false,
  childProcess: false,
  authentication: false,
  credentials: false,
  anyIdentity: false,
  devices: [],
};

test('parsePermissions grants nothing for an empty header', () => {
  assert.deepEqual(parsePermissions({ permissions: ' ' }), NONE);
});

test('parsePermissions reads every permission', () => {
  const permissions =
    'net, device=/dev/serial/by-id/usb-1, child-process,device=/dev/ttyS0, authentication, credentials';
  assert.deepEqual(parsePermissions({ permissions, identities: 'any' }), {
    net: true,
    childProcess: true,
    authentication: true,
    credentials: true,
    anyIdentity: true,
    devices: ['/dev/serial/by-id/usb-1', '/dev/ttyS0'],
  });
});

for (const permissions of [
  'network',
  'net,',
  'NET',
  'net;child-process',
  'authentication=any',
  'identities=any',
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
  test(`parsePermissions refuses ${permissions.slice(0, 40)}`, () => {
    assert.throws(() => parsePermissions({ permissions }), { code: 'BUNDLE_PERMISSIONS_INVALID' });
  });
}

for (const identities of ['', 'all', 'ANY', 'any, admin', '*']) {
  test(`parsePermissions refuses the identities "${identities}"`, () => {
    assert.throws(() => parsePermissions({ permissions: '', identities }), {
      code: 'BUNDLE_PERMISSIONS_INVALID',
      detail: /^Penstock-Identities: /,
    });
  });
}

test('listPermissions puts the permissions with the widest effect before any number of devices', () => {
  assert.deepEqual(
    listPermissions(
      'device=/dev/ttyS0, net,device=/dev/ttyS1, credentials, child-process, authentication, net',
    ),
    ['child-process', 'credentials', 'authentication', 'net', 'device=/dev/ttyS0', 'device=/dev/ttyS1'],
  );
  assert.deepEqual(listPermissions(''), []);
});
