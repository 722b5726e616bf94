import assert from 'node:assert/strict';
import { test } from 'node:test';

import { networkOf } from '../../../../daemon/base/network/network-address.ts';

test('networkOf distinguishes IPv4 addresses, however they are written', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.notEqual(networkOf('192.0.2.1'), networkOf('192.0.2.2'));
});

test('networkOf treats the addresses of one /64 as one', () => {
  const network = networkOf('2001:db8:0:7::1');
  for (const other of [
    '2001:DB8::7:0:0:0:2',
    '2001:0db8:0000:0007:ffff::',
    '2001:db8:0:7:1:2:3:4',
    '2001:db8:0:7::1%eth0',
    '2001:db8:0:7::192.0.2.1',
  ]) {
    assert.equal(networkOf(other), network, other);
  }
  assert.notEqual(networkOf('2001:db8:0:8::1'), network);
});

test('networkOf accepts short forms', () => {
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('fe80::'), 'fe80:0:0:0::/64');
});

test('networkOf returns text without white space for anything else', () => {
  for (const text of ['', 'not an address', '1.2.3', '::ffff:999.1.1.1', ':::']) {
    assert.equal(networkOf(text), 'unknown', text);
  }
});
