import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';

import { isFromOtherOrigin, readOriginClaims } from '../../../daemon/http/request-origin.ts';
import { createTrustedProxies } from '../../../daemon/http/trusted-proxies.ts';
import { createIncoming } from './incoming-fixture.ts';

const host = 'gateway.example:8443';

const isForeign = (headers: IncomingHttpHeaders, isTls = true, peer = '192.0.2.7'): boolean => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const incoming = createIncoming({ host, ...headers }, socket);
  return isFromOtherOrigin(readOriginClaims(incoming, isTls, createTrustedProxies(['10.0.0.0/8'])));
};

test('what no browser sends is of no other origin', () => {
  assert.equal(isForeign({}), false);
  assert.equal(isForeign({ host: undefined }), false);
});

test('the own origin is none other, however it is spelled', () => {
  assert.equal(isForeign({ origin: `https://${host}` }), false);
  assert.equal(isForeign({ origin: 'https://Gateway.example:8443' }), false);
  assert.equal(isForeign({ origin: 'https://gateway.example', host: 'gateway.example:443' }), false);
  assert.equal(isForeign({ origin: 'https://gateway.example:443', host: 'GATEWAY.example' }), false);
  assert.equal(isForeign({ origin: 'https://[2001:db8::1]', host: '[2001:DB8:0::1]:443' }), false);
  assert.equal(isForeign({ origin: 'http://gateway.example', host: 'gateway.example:80' }, false), false);
  // A proxy has ended the TLS connection.
  assert.equal(isForeign({ origin: `https://${host}` }, false), false);
});

test('another scheme, host or port, and no origin at all, are another origin', () => {
  const foreign = [
    'https://evil.example',
    `http://${host}`,
    'https://gateway.example',
    'https://gateway.example:8444',
    `https://${host}.evil.example`,
    `https://${host}/`,
    `https://evil@${host}`,
    `https://${host}, https://evil.example`,
    `ftp://${host}`,
    'chrome-extension://abcdef',
    'null',
    '',
  ];
  for (const origin of foreign) assert.equal(isForeign({ origin }), true, origin);
  assert.equal(isForeign({ origin: `https://${host}`, host: undefined }), true);
  assert.equal(isForeign({ origin: `https://evil@${host}`, host: `evil@${host}` }), true);
});

test('Sec-Fetch-Site of another site, or another origin of the same one, decides whatever Origin says', () => {
  for (const site of ['cross-site', 'same-site', 'same-origin, cross-site', 'other', '']) {
    const expected = site !== '';
    assert.equal(isForeign({ 'sec-fetch-site': site }), expected, site);
    assert.equal(isForeign({ 'sec-fetch-site': site, origin: `https://${host}` }), expected, site);
  }
  for (const site of ['same-origin', 'none']) {
    assert.equal(isForeign({ 'sec-fetch-site': site }), false, site);
    assert.equal(isForeign({ 'sec-fetch-site': site, origin: 'https://evil.example' }), true, site);
  }
});

test('a page of the own origin that hides it is told by Sec-Fetch-Site', () => {
  assert.equal(isForeign({ origin: 'null', 'sec-fetch-site': 'same-origin' }), false);
  assert.equal(isForeign({ origin: 'null', 'sec-fetch-site': 'none' }), true);
});

test('X-Forwarded-Host counts only from a trusted proxy', () => {
  const headers = { origin: 'https://public.example', 'x-forwarded-host': 'public.example, inner.example' };
  assert.equal(isForeign(headers, false, '10.0.0.1'), false);
  assert.equal(isForeign(headers, false, '::ffff:10.0.0.1'), false);
  assert.equal(isForeign(headers, false, '192.0.2.7'), true);
  assert.equal(isForeign({ ...headers, origin: `https://${host}` }, false, '10.0.0.1'), true);
  assert.equal(isForeign({ origin: `https://${host}` }, false, '10.0.0.1'), false, 'a proxy that keeps Host');
});
