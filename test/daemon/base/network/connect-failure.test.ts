import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeConnectFailure } from '../../../../daemon/base/network/connect-failure.ts';

const HOST = 'plc.example';

function failure(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}

test('a failure is shown with its remedy and its code', () => {
  assert.equal(
    describeConnectFailure(failure('ENOTFOUND'), HOST),
    'unknown host name plc.example; check the name and the DNS server, or use an address (ENOTFOUND)',
  );
  assert.match(
    describeConnectFailure(failure('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), HOST),
    /^its certificate is not trusted/,
  );
});

test('a failure without a remedy is shown by its code, and one without a code by its text', () => {
  assert.equal(describeConnectFailure(failure('EMFILE'), HOST), 'EMFILE');
  assert.equal(describeConnectFailure(new Error('it ended early'), HOST), 'it ended early');
  const names = "Host: a. is not cert's CN: b";
  assert.equal(
    describeConnectFailure(failure('ERR_TLS_CERT_ALTNAME_INVALID', names), HOST),
    `${names} (ERR_TLS_CERT_ALTNAME_INVALID)`,
  );
});

test('of a name with several addresses every failure is shown once', () => {
  const causes = [failure('ECONNREFUSED'), failure('ECONNREFUSED'), failure('ENETUNREACH')];
  const text = describeConnectFailure(new AggregateError(causes), HOST);
  assert.equal(text.match(/ECONNREFUSED/g)?.length, 1);
  assert.match(text, /ENETUNREACH/);
});
