import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { chooseTlsFiles } from '../../../../daemon/security/certificate/tls-files.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const NOTHING_GIVEN = {
  certificateFile: null,
  privateKeyFile: null,
  clientCertificateAuthoritiesFile: null,
  certificateRevocationListFile: null,
};

test('without settings and installed files the daemon uses its own certificate and trusts no authority', async (t) => {
  assert.deepEqual(await chooseTlsFiles(NOTHING_GIVEN, '/data', createTemporaryDirectory(t)), {
    certificateFile: '/data/tls/server.crt',
    privateKeyFile: '/data/tls/server.key',
    isOwnCertificate: true,
    clientCertificateAuthoritiesFile: null,
    certificateRevocationListFile: null,
  });
});

test('installed files are used when the settings name none', async (t) => {
  const directory = createTemporaryDirectory(t);
  for (const name of ['server.crt', 'client-ca.pem']) writeFileSync(path.join(directory, name), '');
  assert.deepEqual(await chooseTlsFiles(NOTHING_GIVEN, '/data', directory), {
    certificateFile: path.join(directory, 'server.crt'),
    privateKeyFile: path.join(directory, 'server.key'),
    isOwnCertificate: false,
    clientCertificateAuthoritiesFile: path.join(directory, 'client-ca.pem'),
    certificateRevocationListFile: null,
  });
});

test('an installed revocation list belongs to the installed authorities', async (t) => {
  const directory = createTemporaryDirectory(t);
  for (const name of ['client-ca.pem', 'client-ca.crl']) writeFileSync(path.join(directory, name), '');
  const installed = await chooseTlsFiles(NOTHING_GIVEN, '/data', directory);
  assert.equal(installed.certificateRevocationListFile, path.join(directory, 'client-ca.crl'));
  const others = { ...NOTHING_GIVEN, clientCertificateAuthoritiesFile: '/x/ca.pem' };
  assert.equal((await chooseTlsFiles(others, '/data', directory)).certificateRevocationListFile, null);
});

test('files named by the settings are used even when they do not exist', async (t) => {
  const given = {
    certificateFile: '/x/a.crt',
    privateKeyFile: '/x/a.key',
    clientCertificateAuthoritiesFile: '/x/ca.pem',
    certificateRevocationListFile: '/x/crl.pem',
  };
  assert.deepEqual(await chooseTlsFiles(given, '/data', createTemporaryDirectory(t)), {
    ...given,
    isOwnCertificate: false,
  });
});
