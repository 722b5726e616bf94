import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';

import { findForwardedAddress } from '../../../../../daemon/server/http/proxy/forwarded.ts';
import { createTrustedProxies } from '../../../../../daemon/server/http/proxy/trusted-proxies.ts';
import { createRequest } from '../request-fixture.ts';

function addressOf(
  trusted: readonly string[],
  peer: string | undefined,
  forwardedFor?: string,
  forwarded?: string,
): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const headers = {
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
    ...(forwarded === undefined ? {} : { forwarded }),
  };
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

test('Forwarded names the client as X-Forwarded-For does, which counts first', () => {
  const of = (forwarded: string): string => addressOf(['10.0.0.0/8'], '10.0.0.1', undefined, forwarded);
  assert.equal(of('for=198.51.100.1'), '198.51.100.1');
  assert.equal(of('For="198.51.100.1:4711";proto=https'), '198.51.100.1');
  assert.equal(of('proto=https;for="[2001:DB8:cafe::17]:4711";by=10.0.0.1'), '2001:db8:cafe::17');
  assert.equal(of('for="[2001:db8::17]"'), '2001:db8::17');
  assert.equal(of('for=192.0.2.43, for="198.51.100.1" ,for=10.0.0.2'), '198.51.100.1');
  assert.equal(of('for="[::ffff:198.51.100.1]"'), '198.51.100.1');
  assert.equal(of('for="198.51.100.\\1"'), '198.51.100.1');
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '198.51.100.1', 'for=192.0.2.9'), '198.51.100.1');
  assert.equal(addressOf(['10.0.0.0/8'], '192.0.2.7', undefined, 'for=198.51.100.1'), '192.0.2.7');
});

test('an unknown or hidden client, and a malformed field, leave the last proxy that is known', () => {
  const of = (forwarded: string): string => addressOf(['10.0.0.0/8'], '10.0.0.1', undefined, forwarded);
  assert.equal(of('for=unknown'), '10.0.0.1');
  assert.equal(of('for=_hidden:_port, for=10.0.0.2'), '10.0.0.2');
  assert.equal(of('for=198.51.100.1, proto=https'), '10.0.0.1');
  for (const malformed of [
    'for=',
    'for="198.51.100.1',
    'for=198.51.100.1 for=a',
    '="a"',
    'for=a"b"',
    '\u0000',
  ]) {
    assert.equal(of(malformed), '10.0.0.1', malformed);
  }
  // No comma within quotes separates elements.
  assert.equal(of('for=198.51.100.1;ext="a, for=192.0.2.9"'), '198.51.100.1');
});

test('an address with a port in X-Forwarded-For is the address', () => {
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '198.51.100.1:4711'), '198.51.100.1');
  assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', '[2001:db8::17]:4711'), '2001:db8::17');
});
