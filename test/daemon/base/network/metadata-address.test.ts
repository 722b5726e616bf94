import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findRefusedHost, lookupDevice } from '../../../../daemon/base/network/checked-lookup.ts';
import { isMetadataAddress } from '../../../../daemon/base/network/metadata-address.ts';

test('a metadata address is known in every form', () => {
  const forms = [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::FFFF:A9FE:A9FE',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::169.254.169.254',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::169.254.169.254',
    'fd00:ec2::254',
    'FD00:0EC2:0:0:0:0:0:0254',
    'fe80::a9fe:a9fe%eth0',
    '168.63.129.16',
  ];
  for (const address of forms) assert.equal(isMetadataAddress(address), true, address);
});

test('other addresses are no metadata addresses, nor is a name', () => {
  const others = [
    '169.254.169.253',
    '169.254.1.1',
    'fe80::1',
    '127.0.0.1',
    '::1',
    '::',
    '192.0.2.7',
    '2001:db8::a9fe:a9fe',
    'metadata',
    '',
  ];
  for (const address of others) assert.equal(isMetadataAddress(address), false, address);
});

test('a metadata address in a form that only the system reads is refused by the lookup', async () => {
  for (const name of ['0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518']) {
    assert.equal(findRefusedHost(name), undefined);
    const error = await new Promise((resolve) => {
      lookupDevice(name, {}, (failure) => resolve(failure));
    });
    assert.equal((error as { code?: unknown }).code, 'ADDRESS_REFUSED', name);
  }
});

test('the lookup gives one address or all, as it is asked', async () => {
  const found = await new Promise((resolve) => {
    lookupDevice('127.1', { all: true }, (_error, addresses) => resolve(addresses));
  });
  assert.deepEqual(found, [{ address: '127.0.0.1', family: 4 }]);
  const one = await new Promise((resolve) => {
    lookupDevice('127.1', {}, (_error, address) => resolve(address));
  });
  assert.equal(one, '127.0.0.1');
});
