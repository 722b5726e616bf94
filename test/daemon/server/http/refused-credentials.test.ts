import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createNotAuthenticated } from '../../../../daemon/server/http/refused-credentials.ts';
import { restSettingsSchema } from '../../../../daemon/settings/rest-settings.ts';
import { createRoute, openApplication } from './application-fixture.ts';

const DEFAULTS = restSettingsSchema.parse({});
const ENABLED = restSettingsSchema.parse({
  basicAuthenticationEnabled: true,
  jwtAuthenticationEnabled: true,
  statelessCertificateAuthenticationEnabled: true,
});
const DISABLED = restSettingsSchema.parse({ sessionBasedAuthenticationEnabled: false });

const CASES = [
  [{ authorization: 'Basic YTpi' }, 'BASIC_DISABLED'],
  [{ authorization: 'basic not base64' }, 'BASIC_DISABLED'],
  [{ authorization: 'Bearer a.b.c' }, 'TOKENS_DISABLED'],
  [{ sessionId: 'abc' }, 'SESSIONS_DISABLED'],
  [{ sessionId: 'abc', certificateCommonNames: ['pump'] }, 'SESSIONS_DISABLED'],
  [{ certificateCommonNames: ['pump'] }, 'STATELESS_CERTIFICATES_DISABLED'],
] as const;

test('createNotAuthenticated names the kind of credentials that is disabled', () => {
  for (const [sent, code] of CASES) assert.equal(createNotAuthenticated(sent, DISABLED).code, code);
});

test('createNotAuthenticated names no kind if that of the request is enabled, or if there are no credentials', () => {
  for (const [sent] of CASES) assert.equal(createNotAuthenticated(sent, ENABLED).code, 'NOT_AUTHENTICATED');
  for (const sent of [{}, { authorization: 'Digest a' }]) {
    assert.equal(createNotAuthenticated(sent, DISABLED).code, 'NOT_AUTHENTICATED');
  }
});

test('createNotAuthenticated names BASIC while password authentication is disabled', () => {
  const rest = { ...ENABLED, passwordAuthenticationEnabled: false };
  assert.equal(createNotAuthenticated({ authorization: 'Basic YTpi' }, rest).code, 'BASIC_DISABLED');
});

test('a session that has ended is not explained by the certificate that the browser adds', () => {
  const sent = { sessionId: 'abc', certificateCommonNames: ['pump'] };
  assert.equal(createNotAuthenticated(sent, DEFAULTS).code, 'NOT_AUTHENTICATED');
});

test('a 401 says that BASIC is disabled, and has its code', async (t) => {
  const { send } = await openApplication(t, [createRoute({ access: 'ANY_IDENTITY' })]);
  const { status, json, headers } = await send('GET', '/thing', { headers: { Authorization: 'Basic YTpi' } });
  assert.equal(status, 401);
  assert.deepEqual(json, { message: 'no valid credentials: BASIC authentication is disabled' });
  assert.equal(headers['penstock-error'], 'BASIC_DISABLED');
});
