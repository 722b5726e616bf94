import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadLibrary } from '../../../../drivers/opcua/session/opcua-library.ts';
import { configSchema } from '../../../../drivers/opcua/opcua-config.ts';
import { loadOwnCertificate } from '../../../../drivers/opcua/trust/own-certificate.ts';
import { loadUserIdentity } from '../../../../drivers/opcua/session/open-session.ts';
import { CertificateFiles } from '../../../support/certificate-files.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { makeUnreadableKey } from '../../../support/weak-keys.ts';

const library = await loadLibrary();

test('a weak key of the gateway is refused, and left as it is', async (t) => {
  const made = new CertificateFiles(createTemporaryDirectory(t));
  for (const [key, reason] of [
    ['rsa:1024', /1024 bits/],
    ['rsa:2048:3', /exponent/],
  ] as const) {
    made.makeSelfSigned('own', { key });
    renameSync(made.file('own.crt'), path.join(made.directory, 'certificate.pem'));
    renameSync(made.file('own.key'), path.join(made.directory, 'private-key.pem'));
    const refused = { code: 'OPCUA_OWN_CERTIFICATE', message: reason };
    await assert.rejects(loadOwnCertificate(made.directory, library, Date.now()), refused);
  }
});

test('an own certificate whose key cannot be read is refused, and left as it is', async (t) => {
  const made = new CertificateFiles(createTemporaryDirectory(t));
  made.makeSelfSigned('own', { publicKey: makeUnreadableKey() });
  renameSync(made.file('own.crt'), path.join(made.directory, 'certificate.pem'));
  renameSync(made.file('own.key'), path.join(made.directory, 'private-key.pem'));
  const refused = { code: 'OPCUA_OWN_CERTIFICATE' };
  await assert.rejects(loadOwnCertificate(made.directory, library, Date.now()), refused);
});

test('a new certificate is valid from a day before, for servers whose clocks lag behind', async (t) => {
  const nowMs = Date.UTC(2026, 0, 2, 12);
  const { certificate } = await loadOwnCertificate(createTemporaryDirectory(t), library, nowMs);
  assert.equal(certificate.validFromDate.toISOString(), '2026-01-01T12:00:00.000Z');
  assert.equal(certificate.validToDate.getTime(), nowMs + 3650 * 86_400_000);
});

test('a weak key of a user is refused', async (t) => {
  const made = new CertificateFiles(createTemporaryDirectory(t));
  made.makeSelfSigned('user', { key: 'rsa:2048:3' });
  const config = configSchema.parse({
    endpointUrl: 'opc.tcp://192.0.2.7:4840',
    userCertificateFile: made.file('user.crt'),
    userPrivateKeyFile: made.file('user.key'),
  });
  const refused = { code: 'OPCUA_USER_CERTIFICATE', message: /exponent/ };
  await assert.rejects(loadUserIdentity(config, library), refused);
});

test('a certificate of a user whose key cannot be read is refused', async (t) => {
  const made = new CertificateFiles(createTemporaryDirectory(t));
  made.makeSelfSigned('user', { key: 'rsa:2048', publicKey: makeUnreadableKey() });
  const config = configSchema.parse({
    endpointUrl: 'opc.tcp://192.0.2.7:4840',
    userCertificateFile: made.file('user.crt'),
    userPrivateKeyFile: made.file('user.key'),
  });
  await assert.rejects(loadUserIdentity(config, library), { code: 'OPCUA_USER_CERTIFICATE' });
});
