import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { ConnectFailed } from '../../../drivers/opcua/opcua-errors.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { CertificateFiles } from '../../support/certificate-files.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const SECURE = { securityMode: 'SIGN_AND_ENCRYPT' };
const USER = { userName: 'operator', password: 'correct horse' };
const root = createTemporaryDirectory({ after });
const dataDirectory = path.join(root, 'gateway');
let server: OpcuaServer;

before(async () => {
  server = await startOpcuaServer({
    directory: path.join(root, 'server'),
    securityModes: ['None', 'Sign', 'SignAndEncrypt'],
    securityPolicies: ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'],
  });
});
after(() => server[Symbol.asyncDispose]());

/** Connects, reads a value and disconnects; returns the value, or the failure of the connection. */
async function connectOnce(
  settings: Readonly<Record<string, unknown>>,
  directory = dataDirectory,
): Promise<unknown> {
  const driver = createOpcuaDriver(
    { endpointUrl: server.endpointUrl, ...settings },
    { dataDirectory: directory },
  );
  try {
    await driver.connect(new AbortController().signal, () => undefined);
    const prepared = driver.prepareRead([createOpcuaChannel('string', 'STRING')]);
    const [reading] = await prepared.read(new AbortController().signal);
    return reading?.value;
  } catch (error) {
    assert.ok(error instanceof ConnectFailed, String(error));
    return error;
  } finally {
    await driver.disconnect();
  }
}

async function failOnce(settings: Readonly<Record<string, unknown>>): Promise<ConnectFailed> {
  const failure = await connectOnce(settings);
  assert.ok(failure instanceof ConnectFailed, 'it connects');
  return failure;
}

/** Has the gateway trust a certificate, as an administrator does. */
function trust(certificate: X509Certificate, directory = dataDirectory): void {
  mkdirSync(path.join(directory, 'trusted'), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(directory, 'trusted', 'server.der'), certificate.raw);
}

test('a server is not trusted for having come first; it is once its certificate is moved', async () => {
  const failure = await failOnce(SECURE);
  assert.equal(failure.code, 'OPCUA_SERVER_CERTIFICATE');
  assert.match(failure.detail, /BadCertificateUntrusted/);
  const rejected = readdirSync(path.join(dataDirectory, 'rejected'));
  assert.equal(rejected.length, 1);
  const [name = ''] = rejected;
  assert.ok(failure.detail.includes(name));
  await failOnce(SECURE);
  assert.deepEqual(readdirSync(path.join(dataDirectory, 'rejected')), rejected);
  renameSync(path.join(dataDirectory, 'rejected', name), path.join(dataDirectory, 'trusted', name));
  assert.equal(await connectOnce(SECURE), 'Kessel');
});

test('the own key is created once, for the owner alone, with a certificate that names the gateway', async () => {
  const own = path.join(dataDirectory, 'own');
  const files = ['certificate.pem', 'private-key.pem'];
  assert.deepEqual(readdirSync(own).toSorted(), files);
  assert.equal(statSync(own).mode & 0o777, 0o700);
  const digests = (): readonly string[] =>
    files.map((file) => {
      assert.equal(statSync(path.join(own, file)).mode & 0o777, 0o600);
      return createHash('sha256')
        .update(readFileSync(path.join(own, file)))
        .digest('hex');
    });
  const former = digests();
  trust(server.certificate);
  assert.equal(await connectOnce(SECURE), 'Kessel');
  assert.deepEqual(digests(), former);
  const certificate = new X509Certificate(readFileSync(path.join(own, 'certificate.pem')));
  assert.match(certificate.subject, /^CN=Penstock@/);
  assert.match(certificate.subjectAltName ?? '', /URI:urn:[^,]+:penstock/);
});

test('two connections that begin together create one key', async () => {
  const directory = path.join(root, 'together');
  const values = await Promise.all([1, 2, 3].map(() => connectOnce({ securityMode: 'NONE' }, directory)));
  assert.deepEqual(values, ['Kessel', 'Kessel', 'Kessel']);
  assert.equal(readdirSync(path.join(directory, 'own')).length, 2);
});

test('nothing is kept outside of the data directory', async (t) => {
  const home = createTemporaryDirectory(t);
  const former = process.env['HOME'];
  process.env['HOME'] = home;
  t.after(() => {
    process.env['HOME'] = former;
  });
  await connectOnce(SECURE, path.join(home, 'data'));
  assert.deepEqual(readdirSync(home), ['data']);
  assert.equal(existsSync(path.join(home, '.config')), false);
});

for (const securityPolicy of ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss']) {
  for (const securityMode of ['SIGN', 'SIGN_AND_ENCRYPT']) {
    test(`a session with ${securityMode} and ${securityPolicy} brings values`, async () => {
      trust(server.certificate);
      assert.equal(await connectOnce({ securityMode, securityPolicy }), 'Kessel');
    });
  }
}

test('a certificate that does not name the host is refused, unless the settings name another', async () => {
  trust(server.certificate);
  const failure = await failOnce({ ...SECURE, serverName: 'boiler.example' });
  assert.match(failure.detail, /BadCertificateHostNameInvalid/);
  assert.match(failure.detail, /boiler\.example/);
  assert.equal(await connectOnce({ ...SECURE, serverName: 'localhost' }), 'Kessel');
});

test('a server that does not offer the protection is refused, and its offer is named', async (t) => {
  const weak = await startOpcuaServer({ directory: createTemporaryDirectory(t) });
  t.after(() => weak[Symbol.asyncDispose]());
  const failure = await failOnce({ ...SECURE, endpointUrl: weak.endpointUrl });
  assert.equal(failure.code, 'OPCUA_NO_ENDPOINT');
  assert.match(failure.detail, /it offers NONE: set securityMode and securityPolicy to one of these$/);
  assert.equal(await weak.countSessions(), 0);
});

test('a user is let in by password, and not with a wrong one; no log holds either', async (t) => {
  const closed = await startOpcuaServer({
    directory: createTemporaryDirectory(t),
    securityModes: ['None', 'Sign', 'SignAndEncrypt'],
    securityPolicies: ['None', 'Basic256Sha256'],
    users: { [USER.userName]: USER.password },
  });
  t.after(() => closed[Symbol.asyncDispose]());
  trust(closed.certificate);
  const settings = { ...SECURE, ...USER, endpointUrl: closed.endpointUrl };
  assert.equal(await connectOnce(settings), 'Kessel');
  assert.equal(await connectOnce({ ...settings, securityMode: 'SIGN' }), 'Kessel');
  const logger = createMemoryLogger();
  const wrong = await failOnce({ ...settings, password: 'wrong horse' });
  assert.equal(wrong.code, 'OPCUA_BAD_USER_ACCESS_DENIED');
  const anonymous = await failOnce({ ...SECURE, endpointUrl: closed.endpointUrl });
  assert.doesNotMatch(wrong.detail + anonymous.detail + JSON.stringify(logger.lines), /horse/);
});

test('a user is let in by certificate, and not by one that the server does not know or whose key is another', async (t) => {
  const directory = createTemporaryDirectory(t);
  const certificates = new CertificateFiles(directory);
  const make = (name: string, key: 'rsa:2048' | 'P-256') => {
    const [userCertificateFile, userPrivateKeyFile] = [`${name}.crt`, `${name}.key`].map((file) =>
      path.join(directory, file),
    );
    certificates.makeSelfSigned(name, { key });
    return { userCertificateFile, userPrivateKeyFile };
  };
  const known = make('operator', 'rsa:2048');
  const stranger = make('stranger', 'rsa:2048');
  const curved = make('curved', 'P-256');
  const closed = await startOpcuaServer({
    directory: path.join(directory, 'server'),
    securityModes: ['Sign', 'SignAndEncrypt'],
    securityPolicies: ['Basic256Sha256', 'Aes256_Sha256_RsaPss'],
    users: {},
    userCertificates: [readFileSync(known.userCertificateFile ?? '', 'utf8')],
  });
  t.after(() => closed[Symbol.asyncDispose]());
  trust(closed.certificate);
  const settings = { ...SECURE, endpointUrl: closed.endpointUrl };
  assert.equal(await connectOnce({ ...settings, ...known }), 'Kessel');
  assert.equal(await connectOnce({ ...settings, ...known, securityMode: 'SIGN' }), 'Kessel');
  const refused = await failOnce({ ...settings, ...stranger });
  assert.match(refused.code, /^OPCUA_BAD_(IDENTITY_TOKEN_REJECTED|USER_ACCESS_DENIED)$/);
  const unusable = [
    [{ ...known, userPrivateKeyFile: stranger.userPrivateKeyFile }, /do not match/],
    [curved, /must be an RSA key/],
    [{ ...known, userPrivateKeyFile: '/nonexistent' }, /key of the user cannot be used: no such file/],
    [{ ...known, userCertificateFile: known.userPrivateKeyFile }, /certificate of the user cannot be used/],
  ] as const;
  for (const [files, message] of unusable) {
    const failure = await failOnce({ ...settings, ...files });
    assert.equal(failure.code, 'OPCUA_USER_CERTIFICATE');
    assert.match(failure.detail, message);
  }
});
