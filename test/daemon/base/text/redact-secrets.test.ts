import assert from 'node:assert/strict';
import { test } from 'node:test';

import { redactSecrets } from '../../../../daemon/base/text/redact-secrets.ts';

for (const [what, text, expected] of [
  [
    'user information of a URL',
    'connect mqtts://edge:hunter22@broker:8883 failed',
    'connect mqtts://[redacted]@broker:8883 failed',
  ],
  ['a query parameter', 'GET https://a/b.dp?sig=AbC123&x=1', 'GET https://a/b.dp?sig=[redacted]&x=1'],
  [
    'a JSON Web Token',
    'token eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.abc-_1 expired',
    'token [redacted] expired',
  ],
  ['an Authorization field', '"Authorization: Bearer abcdefgh1234"', '"Authorization: Bearer [redacted]"'],
  ['a session cookie', 'Cookie: JSESSIONID=0a1b2c3d; x=1', 'Cookie: JSESSIONID=[redacted]; x=1'],
  [
    'a private key',
    'a -----BEGIN EC PRIVATE KEY-----\\nMHc\\n-----END EC PRIVATE KEY----- b',
    'a [redacted] b',
  ],
  [
    'nothing',
    'https://gateway:4443/services?channels=key,token 2026-11-29',
    'https://gateway:4443/services?channels=key,token 2026-11-29',
  ],
] as const) {
  test(`${what} is redacted`, () => assert.equal(redactSecrets(text, []), expected));
}

test('a known secret is redacted as it is, in JSON and in a URL; a short one would be part of words', () => {
  const secret = 'tr"icky\\pass word';
  const text = `${secret} ${JSON.stringify({ secret })} ${encodeURIComponent(secret)} volt`;
  assert.equal(redactSecrets(text, [secret, 'volt']), '[redacted] {"secret":"[redacted]"} [redacted] volt');
});

test('of two known secrets, the longer one goes first', () => {
  assert.equal(redactSecrets('secret-one-two', ['secret-one', 'secret-one-two']), '[redacted]');
});
