import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { ensureServerCertificate } from '../../../../daemon/security/certificate/server-certificate.ts';
import { loadTlsMaterial } from '../../../../daemon/security/certificate/tls-material.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

function createPaths(t: TestContext) {
  const directory = path.join(createTemporaryDirectory(t), 'state', 'tls');
  return {
    directory,
    certificateFile: path.join(directory, 'server.crt'),
    privateKeyFile: path.join(directory, 'server.key'),
  };
}

const permissionsOf = (file: string): number => statSync(file).mode & 0o777;

test('ensureServerCertificate creates a pair that loads', async (t) => {
  const paths = createPaths(t);
  assert.equal(await ensureServerCertificate(paths), true);
  const material = await loadTlsMaterial({
    ...paths,
    isOwnCertificate: true,
    clientCertificateAuthoritiesFile: null,
    certificateRevocationListFile: null,
  });
  assert.ok(material.expiresAtMs > Date.now());
});

test('ensureServerCertificate grants access to the owner only when the umask is 000', async (t) => {
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const paths = createPaths(t);
  await ensureServerCertificate(paths);
  assert.equal(permissionsOf(path.dirname(paths.directory)), 0o700);
  assert.equal(permissionsOf(paths.directory), 0o700);
  assert.equal(permissionsOf(paths.certificateFile), 0o600);
  assert.equal(permissionsOf(paths.privateKeyFile), 0o600);
  assert.deepEqual(readdirSync(paths.directory), ['server.crt', 'server.key']);
});

test('ensureServerCertificate leaves an existing certificate unchanged', async (t) => {
  const paths = createPaths(t);
  await ensureServerCertificate(paths);
  const before = [readFileSync(paths.certificateFile, 'utf8'), readFileSync(paths.privateKeyFile, 'utf8')];
  assert.equal(await ensureServerCertificate(paths), false);
  assert.deepEqual(
    [readFileSync(paths.certificateFile, 'utf8'), readFileSync(paths.privateKeyFile, 'utf8')],
    before,
  );
});

test('ensureServerCertificate creates both again after a crash between key and certificate', async (t) => {
  const paths = createPaths(t);
  await ensureServerCertificate(paths);
  rmSync(paths.certificateFile);
  const key = readFileSync(paths.privateKeyFile, 'utf8');
  assert.equal(await ensureServerCertificate(paths), true);
  assert.notEqual(readFileSync(paths.privateKeyFile, 'utf8'), key);
});
