import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LinkEnded } from '../../../../bundles/mqtt/broker/broker-link.ts';
import { remedyOf } from '../../../../bundles/mqtt/broker/remedy.ts';

const endBy = (code: unknown): LinkEnded =>
  new LinkEnded('ended', { cause: Object.assign(new Error('cause'), { code }) });

test('each cause of an end has a remedy of its own', () => {
  for (const [code, expected] of [
    [0x86, /"user" and "password"/],
    [5, /"user" and "password"/],
    [0x84, /"protocolVersion"/],
    [0x8e, /"clientId"/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /"certificateAuthorities"/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /"certificateAuthorities"/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /"serverName"/],
    ['CERT_HAS_EXPIRED', /renew/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /"certificate" and "key"/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /mqtt:\/\//],
    ['ECONNREFUSED', /host and port/],
    ['ENOTFOUND', /host name/],
    ['EHOSTUNREACH', /network/],
  ] as const) {
    assert.match(remedyOf(endBy(code)).en, expected, String(code));
  }
});

test('an end without a cause, and a broker that is silent, have a remedy as well', () => {
  assert.match(remedyOf(new LinkEnded('closed')).en, /log of the broker/);
  assert.match(remedyOf(new LinkEnded('silent', { isSilent: true })).en, /firewalls/);
});
