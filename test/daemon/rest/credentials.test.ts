import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';

import { toCredentials } from '../../../daemon/rest/credentials.ts';
import { createExchange } from './incoming-fixture.ts';

const cookie = 'JSESSIONID=abc';
const host = 'gateway.example:8443';

const sessionOf = (headers: IncomingHttpHeaders, isTls = true): string | undefined =>
  toCredentials(createExchange({ cookie, host, ...headers }, { isTls })).sessionId;

test('toCredentials takes everything that can prove who sent a request', () => {
  const headers = { cookie, authorization: 'Basic YTpi', 'x-xsrf-token': 'token' };
  const certificate = { commonNames: ['pump'], notAfterMs: 1 };
  assert.partialDeepStrictEqual(toCredentials(createExchange(headers, { certificate })), {
    remoteAddress: '192.0.2.7',
    authorization: 'Basic YTpi',
    sessionId: 'abc',
    xsrfToken: 'token',
    certificateCommonNames: ['pump'],
    isXsrfExempt: false,
    isOpenToLockedSessions: false,
  });
});

test('toCredentials keeps the session of the same origin', () => {
  assert.equal(sessionOf({}), 'abc');
  assert.equal(sessionOf({ origin: `https://${host}` }), 'abc');
  assert.equal(sessionOf({ origin: `http://${host}` }, false), 'abc');
  for (const site of ['same-origin', 'same-site', 'none'])
    assert.equal(sessionOf({ 'sec-fetch-site': site }), 'abc');
});

test('toCredentials drops the session of a foreign origin', () => {
  const foreign = [
    'https://evil.example',
    `http://${host}`,
    'https://gateway.example',
    'https://gateway.example:8444',
    `https://${host}.evil.example`,
    'null',
    '',
  ];
  for (const origin of foreign) assert.equal(sessionOf({ origin }), undefined, origin);
  assert.equal(sessionOf({ 'sec-fetch-site': 'cross-site' }), undefined);
  assert.equal(sessionOf({ origin: `https://${host}`, 'sec-fetch-site': 'cross-site' }), undefined);
});

test('toCredentials drops only the session of a foreign origin', () => {
  const credentials = toCredentials(createExchange({ cookie, authorization: 'Basic YTpi', origin: 'null' }));
  assert.equal(credentials.authorization, 'Basic YTpi');
});

test('toCredentials never takes a certificate from a header field', () => {
  const headers = {
    'client-cert': ':abc:',
    'x-ssl-client-cn': 'admin',
    'x-forwarded-client-cert': 'Subject="CN=admin"',
  };
  assert.equal(toCredentials(createExchange(headers)).certificateCommonNames, undefined);
});
