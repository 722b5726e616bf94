import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

import { startSetupBench } from '../support/setup-bench.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const PASSWORD = 'a long enough password 7';

interface Listed {
  readonly name: string;
  readonly serialNumber: string;
  readonly revokedAtMs?: number;
}

async function startWithClient(t: Owner) {
  const machine = await startSetupBench(t);
  writeFileSync(path.join(machine.home, 'password'), `${PASSWORD}\n`);
  const words = ['setup', '--client', 'scada', '--password-file', path.join(machine.home, 'password')];
  const done = await machine.penstock(words);
  assert.equal(done.status, 0, done.notes);
  const folder = path.join(machine.home, 'scada');
  const place = ['--authority', path.join(machine.etc, 'ca')];
  return {
    folder,
    place,
    penstock: (each: readonly string[]) => machine.penstock(each),
    setUp: () => machine.penstock(['setup', '--client', 'scada']),
    valid: async (): Promise<readonly string[]> => {
      const { output } = await machine.penstock(['certificate', 'list', '--json', ...place]);
      return (JSON.parse(output) as readonly Listed[])
        .filter(({ name, revokedAtMs }) => name === 'scada' && revokedAtMs === undefined)
        .map(({ serialNumber }) => serialNumber);
    },
    /** Serial numbers in the PEM file, and in the PKCS #12 file under the password beside it. */
    serials: () => [
      readSerial(folder, ['-in', 'scada.crt']),
      readSerial(folder, ['-in', readPkcs12(folder)]),
    ],
    paste: (output: string): string => {
      const line = /^curl (?:\\\n|.)+/m.exec(output)?.[0] ?? '';
      const script = `${line} -sS -o /dev/null -w '%{http_code}' 2>&1 || true`;
      return execFileSync('sh', ['-c', script], { encoding: 'utf8', cwd: machine.home });
    },
  };
}

function readSerial(folder: string, source: readonly string[]): string {
  const words = ['x509', '-noout', '-serial', ...source];
  return execFileSync(programOf('openssl'), words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    .trim()
    .replace('serial=', '')
    .toLowerCase();
}

function readPkcs12(folder: string): string {
  const words = ['pkcs12', '-in', 'scada.p12', '-passin', 'file:scada.p12.password', '-nokeys', '-clcerts'];
  const pem = execFileSync(programOf('openssl'), words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  writeFileSync(path.join(folder, 'in-pkcs12.pem'), pem);
  return 'in-pkcs12.pem';
}

const options = needs('curl', 'openssl');

test('certificate renew replaces the PKCS #12 file that setup has written, too', options, async (t) => {
  const { folder, place, penstock, serials, setUp, valid } = await startWithClient(t);
  const renewed = await penstock(['certificate', 'renew', 'scada', ...place, '--output', folder]);
  assert.equal(renewed.status, 0, renewed.notes);
  const [serial = ''] = await valid();
  assert.deepEqual(serials(), [serial, serial]);
  // Another one whose password is not here.
  rmSync(path.join(folder, 'scada.p12.password'));
  const again = await penstock(['certificate', 'renew', 'scada', ...place, '--output', folder]);
  assert.equal(again.status, 0, again.notes);
  assert.ok(!existsSync(path.join(folder, 'scada.p12')));
  const done = await setUp();
  assert.equal(done.status, 0, done.notes);
  assert.doesNotMatch(done.output, /scada\.p12/);
  assert.equal((await valid()).length, 1);
});

test('setup replaces a PKCS #12 file of another certificate than the one beside it', options, async (t) => {
  const { folder, serials, penstock, place, setUp, valid } = await startWithClient(t);
  const old = readFileSync(path.join(folder, 'scada.p12'));
  const renewed = await penstock(['certificate', 'renew', 'scada', ...place, '--output', folder]);
  assert.equal(renewed.status, 0, renewed.notes);
  writeFileSync(path.join(folder, 'scada.p12'), old);
  const done = await setUp();
  assert.equal(done.status, 0, done.notes);
  const [serial = ''] = await valid();
  assert.deepEqual(serials(), [serial, serial]);
});

test('setup issues no second certificate once the key of a client was taken away', options, async (t) => {
  const { folder, setUp, valid } = await startWithClient(t);
  const before = await valid();
  rmSync(path.join(folder, 'scada.key'));
  for (const remove of [() => undefined, () => rmSync(folder, { recursive: true })]) {
    remove();
    const done = await setUp();
    assert.equal(done.status, 0, done.notes);
    assert.match(
      done.output.replaceAll(/\s+/g, ' '),
      /kept certificate of scada .* is valid until 20\d\d-\d\d-\d\d, but its key is not here; replace it with "penstock certificate renew scada --output /,
    );
    assert.doesNotMatch(done.output, /^curl/m);
    assert.deepEqual(await valid(), before);
  }
});

test('setup issues a new certificate to a client whose certificate was revoked', options, async (t) => {
  const { place, penstock, setUp, valid, paste } = await startWithClient(t);
  assert.equal((await penstock(['certificate', 'revoke', 'scada', ...place])).status, 0);
  const done = await setUp();
  assert.equal(done.status, 0, done.notes);
  assert.match(done.output.replaceAll(/\s+/g, ' '), /done certificate of scada .* revoked/);
  assert.equal((await valid()).length, 1);
  assert.equal(paste(done.output), '200');
});

test(
  'setup asks again for passwords that differ or are refused',
  { ...options, ...needs('python3', 'curl', 'openssl') },
  async (t) => {
    const machine = await startSetupBench(t);
    const child = machine.startAtTerminal(['setup', '--client', 'scada']);
    const ended = once(child, 'close') as Promise<[number | null]>;
    let output = '';
    const steps: (readonly [question: RegExp, answer: string])[] = [
      [/Additional names or addresses.*: $/, ''],
      [/New password of admin: $/, PASSWORD],
      [/Again: $/, `${PASSWORD}8`],
      [/the entries do not match[^]*New password of admin: $/, 'short'],
      [/Again: $/, 'short'],
      [/Continue\? \[y\/N\] $/, 'y'],
      [/at least 8 characters[^]*New password of admin: $/, PASSWORD],
      [/Again: $/, PASSWORD],
    ];
    child.stdout?.on('data', (chunk: Buffer) => {
      output += stripVTControlCharacters(chunk.toString());
      const [next] = steps;
      if (next === undefined || !next[0].test(output)) return;
      steps.shift();
      output = '';
      child.stdin?.write(`${next[1]}\r`);
    });
    assert.deepEqual(await ended, [0, null], output);
    assert.deepEqual(steps, []);
  },
);

test('identity commands read a new password from a file, and refuse --password-file for it', async (t) => {
  const { penstock, folder } = await startWithClient(t);
  const file = path.join(folder, 'new');
  writeFileSync(file, 'another good phrase 9\n');
  const refused = await penstock(['identity', 'reset-password', 'admin', '--password-file', file]);
  assert.equal(refused.status, 2);
  assert.match(refused.notes, /--password-file requires --user; use --new-password-file for the new/);
  const done = await penstock(['identity', 'reset-password', 'admin', '--new-password-file', file]);
  assert.equal(done.status, 0, done.notes);
  const made = await penstock(['identity', 'create', 'operator', '--new-password-file', file]);
  assert.match(made.output, /^operator +set/m);
});
