import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { certificate } from '../../../daemon/cli/certificate/certificate.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { programOf } from '../../support/tools.ts';
import { needs } from '../../support/tests-that-need.ts';

function createBench(t: Owner) {
  const directory = createTemporaryDirectory(t);
  const authority = path.join(directory, 'ca');
  const output = path.join(directory, 'out');
  let printed = '';
  const terminal = {
    print: (text: string) => void (printed += text),
    note: () => undefined,
    stopSignal: new AbortController().signal,
  };
  return {
    authority,
    output,
    run: async (...words: readonly string[]): Promise<string> => {
      printed = '';
      const place = ['issue', 'renew', 'server'].includes(words[0] ?? '') ? ['--output', output] : [];
      await certificate.run([...words, '--authority', authority, ...place], terminal);
      return printed;
    },
    /** The verdict of OpenSSL on a certificate under the authority and its revocation list. */
    verify: (file: string): string => {
      const list = ['-CAfile', path.join(authority, 'ca.crt'), '-CRLfile', path.join(authority, 'ca.crl')];
      try {
        return execFileSync(programOf('openssl'), ['verify', '-crl_check', ...list, file], {
          encoding: 'utf8',
          stdio: 'pipe',
        });
      } catch (error) {
        return String((error as { readonly stderr?: unknown }).stderr);
      }
    },
  };
}

test(
  'certificate issues certificates that OpenSSL accepts, and keys that only their owner can read',
  needs('openssl'),
  async (t) => {
    const { run, output, authority, verify } = createBench(t);
    await run('init', 'Test authority');
    await run('issue', 'scada');
    assert.match(verify(path.join(output, 'scada.crt')), /: OK/);
    for (const key of [path.join(output, 'scada.key'), path.join(authority, 'ca.key')]) {
      assert.equal(statSync(key).mode & 0o777, 0o600);
    }
  },
);

test(
  'certificate renew issues a new certificate and revokes the previous one',
  needs('openssl'),
  async (t) => {
    const { run, output, verify } = createBench(t);
    await run('init');
    await run('issue', 'scada');
    const previous = path.join(output, 'previous.crt');
    copyFileSync(path.join(output, 'scada.crt'), previous);
    await run('renew', 'scada');
    assert.match(verify(path.join(output, 'scada.crt')), /: OK/);
    assert.match(verify(previous), /revoked/);
    const records = JSON.parse(await run('list', '--json')) as readonly { readonly revokedAtMs?: number }[];
    assert.deepEqual(
      records.map(({ revokedAtMs }) => revokedAtMs !== undefined),
      [true, false],
    );
  },
);

test(
  'certificate revoke revokes by name and by serial number, and reports when there is nothing to revoke',
  needs('openssl'),
  async (t) => {
    const { run, output, verify } = createBench(t);
    await run('init');
    await run('issue', 'scada');
    await run('issue', 'historian');
    await run('revoke', 'historian');
    assert.match(verify(path.join(output, 'historian.crt')), /revoked/);
    assert.match(verify(path.join(output, 'scada.crt')), /: OK/);
    const records = JSON.parse(await run('list', '--json')) as readonly { readonly serialNumber: string }[];
    await run('revoke', records[0]?.serialNumber ?? '');
    assert.match(verify(path.join(output, 'scada.crt')), /revoked/);
    assert.match(await run('revoke', 'scada'), /^scada +client/m);
    await assert.rejects(run('revoke', 'sacda'), { code: 'CERTIFICATE_UNKNOWN' });
  },
);

test('certificate server issues for host names and addresses', needs('openssl'), async (t) => {
  const { run, output } = createBench(t);
  await run('init');
  await run('server', 'gateway.example', '192.0.2.1');
  const text = execFileSync(programOf('openssl'), [
    'x509',
    '-in',
    path.join(output, 'server.crt'),
    '-noout',
    '-ext',
    'subjectAltName',
  ]);
  assert.match(text.toString(), /DNS:gateway.example, IP Address:192.0.2.1/);
});

test('certificate never replaces an authority, and reports a missing authority or name', async (t) => {
  const { run, authority } = createBench(t);
  await assert.rejects(run('issue', 'scada'), { code: 'AUTHORITY_MISSING' });
  await run('init');
  const before = readFileSync(path.join(authority, 'ca.crt'), 'utf8');
  await assert.rejects(run('init'), { code: 'AUTHORITY_EXISTS' });
  assert.equal(readFileSync(path.join(authority, 'ca.crt'), 'utf8'), before);
  await assert.rejects(run('issue'), { name: 'UsageError' });
  await assert.rejects(run('issue', 'scada', '--days', '0'), { name: 'UsageError' });
  await assert.rejects(run('issue', 'x'.repeat(65)), { name: 'UsageError' });
});

test('certificate names the error in a damaged ledger and issues nothing', async (t) => {
  const { run, authority, output } = createBench(t);
  await run('init');
  writeFileSync(path.join(authority, 'issued.json'), '{"certificates": []}');
  await assert.rejects(run('issue', 'scada'), { code: 'LEDGER_INVALID', message: /revocationListNumber/ });
  assert.equal(existsSync(path.join(output, 'scada.crt')), false);
});

test('an identity name with a slash cannot write outside the folder', async (t) => {
  const { run, output } = createBench(t);
  await run('init');
  const printed = await run('issue', '../../etc/evil');
  assert.equal(printed.split('\n')[0], path.join(output, '.._.._etc_evil.crt'));
});
