import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import { Conflict, NotFound } from '../../../../daemon/base/errors.ts';
import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import type { DriverContext } from '../../../../daemon/channel/driver.ts';
import { isTrusting } from '../../../../daemon/channel/trusting-driver.ts';
import type { TrustingDriver } from '../../../../daemon/channel/trusting-driver.ts';
import { makeServerCertificate } from '../../../support/asyncua-certificate.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../../support/asyncua-server.ts';
import { HOSTILE_ANSWERS, serveHostile } from '../../../support/hostile-opcua-sockets.ts';
import { createOpcuaDriver } from '../../../support/opcua-driver-under-test.ts';
import { openssl } from '../../../support/openssl.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';

const POLICIES = ['Basic256Sha256_SignAndEncrypt'];
const DAYS_MS = 86_400_000;
const dataDirectory = createTemporaryDirectory({ after });
const trusted = path.join(dataDirectory, 'trusted');
let server: AsyncuaServer;

suite('with a server on asyncua', needs('asyncua', 'openssl'), () => {
  before(async () => {
    server = await startAsyncuaServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test('the certificate that a server presents is described, and nothing is trusted by looking', async (t) => {
    const { driver, certificate } = await start(t);
    const presented = await driver.findCertificate(noDeadline());
    const { subject, issuer, fingerprint, trustedAs, isNeeded, problems, alternativeNames } = presented;
    assert.deepEqual(
      { subject, issuer, trustedAs, isNeeded, problems, alternativeNames },
      {
        subject: 'O=Example, CN=PLC 7',
        issuer: 'O=Example, CN=PLC 7',
        trustedAs: undefined,
        isNeeded: true,
        problems: [],
        alternativeNames: ['IP Address:127.0.0.1', 'URI:urn:penstock:test:server'],
      },
    );
    assert.equal(fingerprint, toFingerprint(certificate.fingerprint256));
    assert.equal(presented.validUntilMs, certificate.validToDate.getTime());
    assert.deepEqual(readdirSync(trusted), []);
    await assert.rejects(connect(driver), { code: 'OPCUA_SERVER_CERTIFICATE' });
  });

  test('the certificate with the fingerprint is trusted, and that alone; the server is connected then', async (t) => {
    const { driver, certificate } = await start(t);
    await assert.rejects(connect(driver), { code: 'OPCUA_SERVER_CERTIFICATE' });
    const outcome = await driver.trust(toFingerprint(certificate.fingerprint256), noDeadline());
    assert.equal(outcome.trustedAs, 'CERTIFICATE');
    const [name = '', ...others] = readdirSync(trusted);
    assert.deepEqual(others, []);
    assert.match(name, /^PLC-7-[\da-f]{16}\.pem$/);
    assert.equal(readFileSync(path.join(trusted, name), 'utf8'), certificate.toString());
    assert.equal(statSync(path.join(trusted, name)).mode & 0o777, 0o600);
    assert.equal(readdirSync(path.join(dataDirectory, 'rejected')).includes(name), false);
    await connect(driver);
    assert.equal((await driver.findCertificate(noDeadline())).trustedAs, 'CERTIFICATE');
    // Once more changes nothing.
    await driver.trust(toFingerprint(certificate.fingerprint256), noDeadline());
    assert.deepEqual(readdirSync(trusted), [name]);
    const removed = await driver.distrust(toFingerprint(certificate.fingerprint256));
    assert.equal(removed.subject, 'O=Example, CN=PLC 7');
    assert.deepEqual(readdirSync(trusted), []);
    await driver.disconnect();
    await assert.rejects(connect(driver), { code: 'OPCUA_SERVER_CERTIFICATE' });
  });

  test('a certificate that the server changed between the look and the trust is refused', async (t) => {
    const { driver, directory } = await start(t);
    const { fingerprint } = await driver.findCertificate(noDeadline());
    const changed = makeServerCertificate(directory);
    await server.reset({ directory, policies: POLICIES });
    await assert.rejects(driver.trust(fingerprint, noDeadline()), (error) => {
      assert.ok(error instanceof Conflict);
      assert.equal(error.code, 'OPCUA_CERTIFICATE_CHANGED');
      assert.ok(error.detail.includes(toFingerprint(changed.fingerprint256)));
      return true;
    });
    assert.deepEqual(readdirSync(trusted), []);
  });

  test('a certificate that has expired is shown as such, and is not trusted', async (t) => {
    const later = { ...systemClock, epochMs: () => Date.now() + 3 * DAYS_MS };
    const { driver } = await start(t, { context: { clock: later } });
    const { fingerprint, problems } = await driver.findCertificate(noDeadline());
    assert.deepEqual(
      problems.map(({ status, isCurable }) => [status, isCurable]),
      [['BadCertificateTimeInvalid', false]],
    );
    await assert.rejects(driver.trust(fingerprint, noDeadline()), { code: 'OPCUA_CERTIFICATE_UNUSABLE' });
    assert.deepEqual(readdirSync(trusted), []);
  });

  test('a certificate for another host is shown as such; a setting makes it the right one', async (t) => {
    const { driver } = await start(t, { settings: { serverName: 'boiler.example' } });
    const { fingerprint, problems } = await driver.findCertificate(noDeadline());
    assert.deepEqual(
      problems.map(({ status, isCurable }) => [status, isCurable]),
      [['BadCertificateHostNameInvalid', true]],
    );
    await driver.trust(fingerprint, noDeadline());
    t.after(() => driver.distrust(fingerprint));
    await assert.rejects(connect(driver), /BadCertificateHostNameInvalid/);
    const named = createDriver(t, server, { serverName: '127.0.0.1' });
    await connect(named);
  });

  test('trust in one certificate is no trust in its issuer', async (t) => {
    const directory = createTemporaryDirectory(t);
    makeIssuedCertificate(directory);
    await server.reset({ directory, policies: POLICIES });
    const driver = createDriver(t, server);
    const { fingerprint, issuer } = await driver.findCertificate(noDeadline());
    assert.equal(issuer, 'CN=Plant authority');
    await driver.trust(fingerprint, noDeadline());
    t.after(() => driver.distrust(fingerprint));
    await connect(driver);
    await driver.disconnect();
    makeIssuedCertificate(directory, { isAuthorityKept: true });
    await server.reset({ directory, policies: POLICIES });
    assert.equal((await driver.findCertificate(noDeadline())).trustedAs, undefined);
    await assert.rejects(connect(driver), { code: 'OPCUA_SERVER_CERTIFICATE' });
  });

  test('a file with several certificates is left to the administrator, and an unknown one is not found', async (t) => {
    const { driver, certificate } = await start(t);
    const fingerprint = toFingerprint(certificate.fingerprint256);
    await assert.rejects(driver.distrust(fingerprint), NotFound);
    const other = makeServerCertificate(createTemporaryDirectory(t), 'other');
    const file = path.join(trusted, 'bundle.pem');
    writeFileSync(file, `${certificate.toString()}${other.toString()}`);
    t.after(() => driver.distrust(fingerprint).catch(() => undefined));
    await assert.rejects(driver.distrust(fingerprint), { code: 'OPCUA_TRUST_FILE_SHARED' });
    assert.equal((await driver.findCertificate(noDeadline())).trustedAs, 'CERTIFICATE');
    writeFileSync(file, certificate.toString());
  });
});

for (const [what, answer] of Object.entries(HOSTILE_ANSWERS)) {
  test(`there is no certificate, and no more than an error, of a server that ${what}`, async (t) => {
    const port = await serveHostile(t, answer);
    const driver = createDriver(t, { port }, { connectTimeoutMs: 500 });
    await assert.rejects(driver.findCertificate(noDeadline()), ConnectionError);
    await assert.rejects(driver.trust('0'.repeat(64), noDeadline()), ConnectionError);
  });
}

interface Started {
  readonly driver: TrustingDriver;
  /** Has the certificate of the server. */
  readonly directory: string;
  readonly certificate: ReturnType<typeof makeServerCertificate>;
}

interface StartOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly context?: Partial<DriverContext>;
}

async function start(t: TestContext, { settings, context }: StartOptions = {}): Promise<Started> {
  const directory = createTemporaryDirectory(t);
  const certificate = makeServerCertificate(directory);
  await server.reset({ directory, policies: POLICIES });
  return { driver: createDriver(t, server, settings, context), directory, certificate };
}

function createDriver(
  t: TestContext,
  { port }: { readonly port: number },
  settings: Readonly<Record<string, unknown>> = {},
  context: Partial<DriverContext> = {},
): TrustingDriver {
  const endpointUrl = `opc.tcp://127.0.0.1:${port}`;
  const driver = createOpcuaDriver(
    { endpointUrl, securityMode: 'SIGN_AND_ENCRYPT', ...settings },
    { dataDirectory, ...context },
  );
  t.after(() => driver.disconnect());
  assert.ok(isTrusting(driver));
  return driver;
}

/** Makes the certificate of a server that an authority issued, with a new key. */
function makeIssuedCertificate(directory: string, { isAuthorityKept = false } = {}): void {
  const key = ['-nodes', '-newkey', 'rsa:2048'];
  if (!isAuthorityKept) {
    const files = ['-keyout', 'root.key', '-out', 'root.crt'];
    openssl(['req', '-x509', ...key, '-days', '2', '-subj', '/CN=Plant authority', ...files], directory);
  }
  openssl(['req', ...key, '-subj', '/CN=PLC 8', '-keyout', 'server.key', '-out', 'server.csr'], directory);
  const names = 'subjectAltName=IP:127.0.0.1,URI:urn:penstock:test:server\n';
  writeFileSync(path.join(directory, 'server.ext'), names);
  const signing = ['-CA', 'root.crt', '-CAkey', 'root.key', '-CAcreateserial'];
  const files = ['-in', 'server.csr', '-extfile', 'server.ext', '-out', 'server.crt'];
  openssl(['x509', '-req', '-days', '2', ...signing, ...files], directory);
}

function connect(driver: TrustingDriver): Promise<void> {
  return driver.connect(noDeadline(), () => undefined);
}

function toFingerprint(text: string): string {
  return text.replaceAll(':', '').toLowerCase();
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
