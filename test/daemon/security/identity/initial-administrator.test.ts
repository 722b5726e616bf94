import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { GATEWAY_ITSELF } from '../../../../daemon/security/identity/password/hash-source.ts';
import {
  ensureInitialAdministrator,
  removeInitialPassword,
} from '../../../../daemon/security/identity/initial-administrator.ts';
import { createIdentityFixture, PASSWORD } from './identity-fixture.ts';

function setUp(t: TestContext) {
  const fixture = createIdentityFixture();
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'administrator-'));
  t.after(() => rmSync(dataDirectory, { recursive: true }));
  const file = path.join(dataDirectory, 'initial-admin-password');
  return {
    ...fixture,
    dataDirectory,
    file,
    files: () => readdirSync(dataDirectory),
    start: () => ensureInitialAdministrator({ ...fixture, dataDirectory }),
    login: (password: string) =>
      fixture.authenticator.authenticatePassword({ name: 'admin', password, remoteAddress: '::1' }),
  };
}

const readPassword = (file: string) => readFileSync(file, 'utf8').trim();

test('the first start creates admin with a random password that has to be changed', async (t) => {
  const { start, login, file, logger } = setUp(t);
  await start();
  const password = readPassword(file);
  const administrator = await login(password);
  assert.deepEqual(administrator?.permissions, ['rest.admin']);
  assert.equal(administrator?.passwordChangeNeeded, true);
  assert.ok(Buffer.from(password, 'base64url').length * 8 >= 128);
  assert.ok(!JSON.stringify(logger.lines).includes(password));
});

test('the file with the password is accessible to its owner only', async (t) => {
  const { start, file, files } = setUp(t);
  await start();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(files(), ['initial-admin-password']);
});

test('two gateways have different passwords, and no usual password opens either', async (t) => {
  const [first, second] = [setUp(t), setUp(t)];
  await Promise.all([first.start(), second.start()]);
  assert.notEqual(readPassword(first.file), readPassword(second.file));
  const usual = ['admin', 'password', '', '12345678', 'penstock', 'changeme', 'root', 'admin123'];
  for (const password of usual) {
    assert.equal(await first.login(password), undefined, password);
    (await first.limiter.begin({ name: 'admin', remoteAddress: '::1' })).succeed();
    first.clock.advance(60_000);
  }
});

test('another start keeps identity and file', async (t) => {
  const { start, identities, file } = setUp(t);
  await start();
  const before = [identities.list(), readPassword(file)];
  await start();
  assert.deepEqual([identities.list(), readPassword(file)], before);
});

test('a gateway with identities gets no administrator', async (t) => {
  const { start, identities, addIdentity, files } = setUp(t);
  await addIdentity('scada');
  await start();
  assert.equal(identities.find('admin'), undefined);
  assert.deepEqual(files(), []);
});

test('a file without identity, as a crash leaves it, is replaced by one that works', async (t) => {
  const { start, file, login } = setUp(t);
  writeFileSync(file, 'never valid\n');
  await start();
  assert.equal(await login('never valid'), undefined);
  assert.ok(await login(readPassword(file)));
});

test('a file whose password was changed before a crash is deleted at the next start', async (t) => {
  const { start, identities, hasher, files } = setUp(t);
  await start();
  identities.setPassword('admin', await hasher.hash(PASSWORD, GATEWAY_ITSELF), { changeNeeded: false });
  await start();
  assert.deepEqual(files(), []);
});

test('a file whose identity is gone is deleted at the next start', async (t) => {
  const { start, identities, addIdentity, files } = setUp(t);
  await start();
  await addIdentity('scada');
  identities.remove('admin');
  await start();
  assert.deepEqual(files(), []);
});

test('no administrator is created when the file cannot be written', async (t) => {
  const { identities, hasher, logger, dataDirectory } = setUp(t);
  const missing = path.join(dataDirectory, 'missing');
  await assert.rejects(ensureInitialAdministrator({ identities, hasher, logger, dataDirectory: missing }));
  assert.deepEqual(identities.list(), []);
});

test('removeInitialPassword deletes the file for admin only, and may be repeated', async (t) => {
  const { start, dataDirectory, files } = setUp(t);
  await start();
  await removeInitialPassword(dataDirectory, 'scada');
  assert.equal(files().length, 1);
  await removeInitialPassword(dataDirectory, 'admin');
  await removeInitialPassword(dataDirectory, 'admin');
  assert.deepEqual(files(), []);
});
