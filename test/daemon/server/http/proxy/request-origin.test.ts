import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';

import { isFromOtherHost, readOriginClaims } from '../../../../../daemon/server/http/proxy/request-origin.ts';
import { createTrustedProxies } from '../../../../../daemon/server/http/proxy/trusted-proxies.ts';
import { createRequest } from '../request-fixture.ts';

const host = 'gateway.example:8443';

const isForeign = (headers: IncomingHttpHeaders, peer = '192.0.2.7'): boolean => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const incoming = createRequest({ host, ...headers }, socket);
  return isFromOtherHost(readOriginClaims(incoming, createTrustedProxies(['10.0.0.0/8'])));
};

test('a request without Origin and Sec-Fetch-Site is not from another host', () => {
  assert.equal(isForeign({}), false);
  assert.equal(isForeign({ host: undefined }), false);
});

test('an Origin that names the own host is accepted, whatever its port, scheme and spelling', () => {
  assert.equal(isForeign({ origin: `https://${host}` }), false);
  assert.equal(isForeign({ origin: 'https://Gateway.example:8443' }), false);
  assert.equal(isForeign({ origin: 'https://gateway.example' }), false);
  assert.equal(isForeign({ origin: 'https://gateway.example:8444' }), false);
  assert.equal(isForeign({ origin: 'http://gateway.example' }), false);
  assert.equal(isForeign({ origin: 'https://gateway.example:443', host: 'GATEWAY.example' }), false);
  assert.equal(isForeign({ origin: 'https://[2001:db8::1]', host: '[2001:DB8:0::1]:4443' }), false);
  assert.equal(isForeign({ origin: 'https://192.0.2.1', host: '192.0.2.1:4443' }), false);
});

test('an Origin that names another host, or none, is from another host', () => {
  const foreign = [
    'https://evil.example',
    'https://evil.example:8443',
    'https://www.gateway.example:8443',
    'https://example:8443',
    `https://${host}.evil.example`,
    `https://${host}/`,
    `https://evil@${host}`,
    `https://${host}, https://evil.example`,
    `ftp://${host}`,
    'chrome-extension://abcdef',
    'null',
    '',
  ];
  for (const origin of foreign) {
    assert.equal(isForeign({ origin }), true, origin);
    assert.equal(isForeign({ origin, 'sec-fetch-site': 'same-site' }), true, origin);
  }
  assert.equal(isForeign({ origin: `https://${host}`, host: undefined }), true);
  assert.equal(isForeign({ origin: `https://evil@${host}`, host: `evil@${host}` }), true);
  assert.equal(isForeign({ origin: 'https://[2001:db8::2]', host: '[2001:db8::1]' }), true);
});

test('Sec-Fetch-Site of another site takes precedence over Origin', () => {
  for (const site of ['cross-site', 'same-origin, cross-site', 'other']) {
    assert.equal(isForeign({ 'sec-fetch-site': site }), true, site);
    assert.equal(isForeign({ 'sec-fetch-site': site, origin: `https://${host}` }), true, site);
  }
  for (const site of ['same-origin', 'none', '']) {
    assert.equal(isForeign({ 'sec-fetch-site': site }), false, site);
    assert.equal(isForeign({ 'sec-fetch-site': site, origin: `https://${host}` }), false, site);
    assert.equal(isForeign({ 'sec-fetch-site': site, origin: 'https://evil.example' }), true, site);
  }
});

test('a request of the same site is from the own host only when Origin names it', () => {
  const site = { 'sec-fetch-site': 'same-site' };
  assert.equal(isForeign({ ...site, origin: 'https://gateway.example' }), false);
  assert.equal(isForeign({ ...site, origin: 'https://panel.gateway.example:8443' }), true);
  assert.equal(isForeign(site), true);
});

test('a page that hides its own origin is recognised by Sec-Fetch-Site', () => {
  assert.equal(isForeign({ origin: 'null', 'sec-fetch-site': 'same-origin' }), false);
  assert.equal(isForeign({ origin: 'null', 'sec-fetch-site': 'none' }), true);
});

test('X-Forwarded-Host counts only from a trusted proxy', () => {
  const headers = { origin: 'https://public.example', 'x-forwarded-host': 'public.example, inner.example' };
  assert.equal(isForeign(headers, '10.0.0.1'), false);
  assert.equal(isForeign(headers, '::ffff:10.0.0.1'), false);
  assert.equal(isForeign(headers, '192.0.2.7'), true);
  assert.equal(isForeign({ ...headers, origin: `https://${host}` }, '10.0.0.1'), true);
  assert.equal(isForeign({ origin: `https://${host}` }, '10.0.0.1'), false, 'a proxy that keeps Host');
});
