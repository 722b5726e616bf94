import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { getServerCertificate } from '../../support/certificate-authority.ts';
import { examine } from '../../support/doctor.ts';
import { findFreePorts } from '../../support/free-ports.ts';
import { startSetupBench } from '../../support/setup-bench.ts';
import type { SetupBench } from '../../support/setup-bench.ts';

const PASSWORD = 'Quiet-Harbour-41';

/** A gateway after `penstock setup`, with a client. */
async function setUp(t: TestContext): Promise<SetupBench> {
  const bench = await startSetupBench(t);
  const passwordFile = path.join(bench.home, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  await run(bench, ['setup', '--client', 'scada', '--yes', '--password-file', passwordFile]);
  return bench;
}

async function run(bench: SetupBench, words: readonly string[]): Promise<void> {
  const { status, output, notes } = await bench.penstock(words);
  assert.equal(status, 0, `${output}${notes}`);
}

/** Puts a server certificate where the gateway looks, and has it served. */
async function serve(bench: SetupBench, replace: (tls: string) => Promise<void>): Promise<void> {
  await replace(path.join(bench.etc, 'tls'));
  const from = bench.gateway.lines.length;
  bench.gateway.process.kill('SIGHUP');
  await bench.gateway.line('reloaded', from);
}

test('doctor finds nothing wrong after setup, and names what is taken away from its client', async (t) => {
  const bench = await setUp(t);
  const well = await examine(bench.gateway);
  assert.deepEqual({ status: well.status, wrong: well.wrong }, { status: 0, wrong: [] });

  const option = 'rest.statelessCertificateAuthenticationEnabled';
  await run(bench, ['config', 'set', option, 'false', '--yes']);
  const off = await examine(bench.gateway);
  assert.equal(off.status, 1);
  assert.deepEqual(off.wrong, [
    'authentication: certificates are only accepted for session logins: requests of scada get 401',
  ]);
  assert.match(off.findings.at(-1)?.advice ?? '', /^penstock setup, or: penstock config set /);
  await run(bench, ['config', 'set', option, 'true', '--yes']);

  await run(bench, ['identity', 'delete', 'scada']);
  const deleted = await examine(bench.gateway);
  assert.equal(deleted.status, 1);
  assert.equal(deleted.wrong.length, 1, String(deleted.wrong));
  assert.match(
    deleted.wrong[0] ?? '',
    /^identity scada: it does not exist, and its certificate is valid until/,
  );
});

test('doctor names a served certificate of another authority, and one for other names', async (t) => {
  const bench = await setUp(t);
  await serve(bench, async (tls) => {
    const { certificate, privateKey } = await getServerCertificate();
    writeFileSync(path.join(tls, 'server.key'), privateKey, { mode: 0o600 });
    writeFileSync(path.join(tls, 'server.crt'), certificate);
  });
  const foreign = await examine(bench.gateway);
  assert.equal(foreign.status, 1);
  assert.equal(foreign.wrong.length, 1, String(foreign.wrong));
  assert.match(foreign.wrong[0] ?? '', /^certificate: .*server\.crt was issued by Penstock test authority/);
  assert.equal(foreign.findings.at(-1)?.advice, 'penstock setup --replace');

  await serve(bench, async (tls) => {
    const authority = path.join(bench.etc, 'ca');
    const output = path.join(bench.home, 'other');
    const names = ['other.example', '192.0.2.99'];
    await run(bench, ['certificate', 'server', ...names, '--authority', authority, '--output', output]);
    cpSync(path.join(output, 'server.key'), path.join(tls, 'server.key'));
    cpSync(path.join(output, 'server.crt'), path.join(tls, 'server.crt'));
  });
  const renamed = await examine(bench.gateway);
  assert.equal(renamed.status, 1);
  assert.equal(renamed.wrong.length, 1, String(renamed.wrong));
  assert.match(renamed.wrong[0] ?? '', /^certificate: .*server\.crt is not for the address 127\.0\.0\.1/);
  assert.equal(renamed.findings.at(-1)?.advice, 'penstock setup');

  // Without it the gateway serves its own, which clients of the authority do not trust either.
  rmSync(path.join(bench.etc, 'tls', 'server.crt'));
  assert.match((await examine(bench.gateway)).wrong.join('\n'), /not by the authority in /);
});

test('doctor names a revoked certificate that the list of the daemon does not name', async (t) => {
  const bench = await setUp(t);
  const list = path.join(bench.etc, 'tls', 'client-ca.crl');
  const before = readFileSync(list);
  const authority = ['--authority', path.join(bench.etc, 'ca')];
  await run(bench, ['certificate', 'revoke', 'scada', ...authority]);
  assert.deepEqual((await examine(bench.gateway)).wrong, []);
  writeFileSync(list, before);
  const { status, wrong, findings } = await examine(bench.gateway);
  assert.equal(status, 1);
  assert.deepEqual(wrong, [
    `revocations: the certificate of scada is revoked, and still accepted: ${list} does not name it`,
  ]);
  assert.match(findings.at(-1)?.advice ?? '', /^penstock certificate crl/);
});

test('doctor names BASIC over a port without TLS', async (t) => {
  const bench = await startSetupBench(t);
  const [port = 0] = await findFreePorts(1);
  await run(bench, ['config', 'set', 'rest.basicAuthenticationEnabled', 'true', '--yes']);
  assert.deepEqual((await examine(bench.gateway)).wrong, []);
  // Beyond the loopback; where the machine has no other address, a port of all of them.
  await bench.gateway.reload({
    tls: {},
    http: { host: '0.0.0.0', ports: [port], httpsPorts: [], httpsClientAuthPorts: [] },
  });
  const { status, wrong } = await examine(bench.gateway);
  assert.equal(status, 1);
  assert.ok(
    wrong.some((text) => text.startsWith(`authentication: BASIC is enabled, and port ${port} has no TLS`)),
    String(wrong),
  );
  const proxied = {
    host: '0.0.0.0',
    ports: [port],
    httpsPorts: [],
    httpsClientAuthPorts: [],
    trustedProxies: ['192.0.2.1'],
  };
  await bench.gateway.reload({ tls: {}, http: proxied });
  assert.deepEqual(
    (await examine(bench.gateway)).wrong.filter((text) => text.startsWith('authentication')),
    [],
  );
});
