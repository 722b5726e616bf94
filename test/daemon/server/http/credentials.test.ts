import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toCredentials } from '../../../../daemon/server/http/credentials.ts';
import { createContext } from './request-fixture.ts';

const cookie = 'JSESSIONID=abc';

test('toCredentials reads every kind of credentials of a request', () => {
  const headers = { cookie, authorization: 'Basic YTpi', 'x-xsrf-token': 'token' };
  const certificate = { commonNames: ['pump'], notAfterMs: 1 };
  assert.partialDeepStrictEqual(toCredentials(createContext(headers, { certificate })), {
    remoteAddress: '192.0.2.7',
    authorization: 'Basic YTpi',
    sessionId: 'abc',
    xsrfToken: 'token',
    certificateCommonNames: ['pump'],
    isXsrfExempt: false,
    isOpenToLockedSessions: false,
  });
});

test('toCredentials drops only the session from a request of another host', () => {
  const context = createContext({ cookie, authorization: 'Basic YTpi' }, { isFromOtherHost: true });
  const { sessionId, authorization } = toCredentials(context);
  assert.deepEqual([sessionId, authorization], [undefined, 'Basic YTpi']);
});

test('toCredentials never takes a certificate from a header field', () => {
  const headers = {
    'client-cert': ':abc:',
    'x-ssl-client-cn': 'admin',
    'x-forwarded-client-cert': 'Subject="CN=admin"',
  };
  assert.equal(toCredentials(createContext(headers)).certificateCommonNames, undefined);
});
