import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';

import { findForwardedAddress } from '../../../daemon/http/forwarded-address.ts';
import { createTrustedProxies } from '../../../daemon/http/trusted-proxies.ts';
import { createRequest } from './request-fixture.ts';

function addressOf(trusted: readonly string[], peer: string | undefined, forwarded?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return findForwardedAddress(createRequest(headers, socket), createTrustedProxies(trusted));
}

test('forwarded fields are ignored while no proxy is trusted', () => {
  assert.equal(addressOf([], '192.0.2.7', '198.51.100.1'), '192.0.2.7');
});

test('forwarded fields are ignored when the peer is not a trusted proxy', () => {
  assert.equal(addressOf(['10.0.0.0/8'], '192.0.2.7', '198.51.100.1'), '192.0.2.7');
});

test('the address before a trusted proxy is the client', () => {
  assert.equal(addressOf(['10.0.0.1'], '10.0.0.1', '198.51.100.1'), '198.51.100.1');
  assert.equal(addressOf(['10.0.0.0/8'], '10.9.9.9', '198.51.100.1'), '198.51.100.1');
  assert.equal(addressOf(['2001:db8::/32'], '2001:db8::5', '2001:db9::1'), '2001:db9::1');
});

test('addresses that the client itself put into the field are ignored', () => {
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '127.0.0.1, 198.51.100.1'), '198.51.100.1');
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2'), '198.51.100.1');
});

test('a chain that consists only of trusted proxies yields its first address', () => {
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3');
});

test('an invalid address ends the chain at the last valid one', () => {
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', 'unknown'), '10.0.0.1');
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '198.51.100.1, evil, 10.0.0.2'), '10.0.0.2');
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', ''), '10.0.0.1');
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1'), '10.0.0.1');
});

test('an IPv4 address that is mapped to IPv6 is the IPv4 address', () => {
  assert.equal(addressOf([], '::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(addressOf(['10.0.0.1'], '::ffff:10.0.0.1', '::ffff:198.51.100.1'), '198.51.100.1');
});

test('an address with a zone and a closed connection cause no error', () => {
  assert.equal(addressOf(['10.0.0.0/8'], 'fe80::1%eth0', '198.51.100.1'), 'fe80::1%eth0');
  assert.equal(addressOf(['10.0.0.0/8'], undefined, '198.51.100.1'), '');
});
