import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../../support/gateway.ts';
import { getWithCurl, openssl } from '../../support/openssl.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { runCommand } from './command.ts';
import { programOf } from '../../support/tools.ts';
import { needs } from '../../support/tests-that-need.ts';

const PASSWORD = 'a password with spaces';

/** Creates an authority in the folder `ca`, and issues there what the arguments ask for. */
async function issue(t: Owner, password: string, ...words: readonly string[]) {
  const folder = createTemporaryDirectory(t);
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, `${password}\n`);
  const authority = ['--authority', path.join(folder, 'ca')];
  await runCommand(t, ['certificate', 'init', 'Plant authority', ...authority]);
  const form = ['--format', 'pkcs12', '--password-file', passwordFile, '--output', folder];
  const outcome = await runCommand(t, ['certificate', ...words, ...authority, ...form]);
  return { ...outcome, folder, passwordFile };
}

test(
  'certificate issue --format pkcs12 writes a file that OpenSSL reads, for its owner only',
  needs('openssl'),
  async (t) => {
    const { status, output, folder, passwordFile } = await issue(t, PASSWORD, 'issue', 'scada');
    const file = path.join(folder, 'scada.p12');
    assert.deepEqual([status, output], [0, `${file}\n`]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(existsSync(path.join(folder, 'scada.key')), false);
    const text = openssl(
      ['pkcs12', '-info', '-in', file, '-passin', `file:${passwordFile}`, '-nodes'],
      folder,
    );
    assert.match(text, /friendlyName: scada\n[^]*BEGIN PRIVATE KEY/);
    assert.deepEqual(text.match(/^subject=.*$/gm), ['subject=CN = scada', 'subject=CN = Plant authority']);
  },
);

test(
  'a PKCS #12 file is encrypted with AES-256, PBKDF2 and SHA-256, and another password does not open it',
  needs('openssl'),
  async (t) => {
    const { folder, passwordFile } = await issue(t, PASSWORD, 'issue', 'scada');
    const look = (from: string) =>
      spawnSync(
        programOf('openssl'),
        ['pkcs12', '-info', '-noout', '-in', 'scada.p12', '-passin', `file:${from}`],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
    assert.match(look(passwordFile).stderr, /^MAC: sha256,/m);
    assert.match(
      look(passwordFile).stderr,
      /^Shrouded Keybag: PBES2, PBKDF2, AES-256-CBC, .*hmacWithSHA256$/m,
    );
    writeFileSync(path.join(folder, 'wrong'), 'a wrong password\n');
    assert.match(look('wrong').stderr, /invalid password/);
  },
);

test('Java reads a PKCS #12 file as one key with its chain', needs('keytool'), async (t) => {
  const { folder, passwordFile } = await issue(t, PASSWORD, 'issue', 'scada');
  const store = ['-storetype', 'PKCS12', '-keystore', path.join(folder, 'scada.p12')];
  const text = execFileSync(
    programOf('keytool'),
    ['-list', '-v', ...store, '-storepass:file', passwordFile],
    {
      encoding: 'utf8',
    },
  );
  assert.match(text, /Alias name: scada\n[^]*Entry type: PrivateKeyEntry\nCertificate chain length: 2\n/);
});

test('Node.js and curl prove an identity with a PKCS #12 file', needs('curl'), async (t) => {
  const { folder } = await issue(t, PASSWORD, 'issue', 'scada');
  const gateway = await startGateway(t, {
    config: {
      tls: { clientCertificateAuthoritiesFile: path.join(folder, 'ca/ca.crt') },
      provision: {
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
        rest: { statelessCertificateAuthenticationEnabled: true },
      },
    },
  });
  const [port] = gateway.clientAuthPorts;
  const url = `https://127.0.0.1:${port}/services/assets`;
  const pfx = readFileSync(path.join(folder, 'scada.p12'));
  const outgoing = request(url, { pfx, passphrase: PASSWORD, rejectUnauthorized: false, agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.resume();
  assert.equal(answer.statusCode, 200);
  writeFileSync(path.join(folder, 'curl.conf'), `cert = "scada.p12:${PASSWORD}"\n`);
  const { status } = await getWithCurl(url, ['--config', 'curl.conf', '--cert-type', 'P12'], folder);
  assert.equal(status, 200);
});

test('certificate refuses a password that programs read in different ways, before it issues anything', async (t) => {
  const { status, errors, folder } = await issue(t, 'größer', 'issue', 'scada');
  assert.equal(status, 1);
  assert.match(errors, /printable ASCII characters/);
  const { output } = await runCommand(t, [
    'certificate',
    'list',
    '--json',
    '--authority',
    path.join(folder, 'ca'),
  ]);
  assert.deepEqual(JSON.parse(output), []);
});

test('certificate refuses any other format, and a password for a format without one', async (t) => {
  assert.equal((await runCommand(t, ['certificate', 'issue', 'scada', '--format', 'jks'])).status, 2);
  assert.equal((await runCommand(t, ['certificate', 'issue', 'scada', '--password-file', 'x'])).status, 2);
});
