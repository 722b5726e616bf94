import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { send } from '../support/https-client.ts';
import { startSetupBench } from '../support/setup-bench.ts';
import type { SetupBench } from '../support/setup-bench.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const PASSWORD = 'a long enough password 7';

interface Listed {
  readonly name: string;
  readonly purpose: string;
  readonly serialNumber: string;
  readonly revokedAtMs?: number;
}

/** A gateway that is set up, with the commands on its authority. */
async function startAuthority(t: Owner) {
  const machine = await startSetupBench(t);
  const passwordFile = path.join(machine.home, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const folder = path.join(machine.etc, 'ca');
  const place = ['--authority', folder];
  const issue = (name: string) => ['certificate', 'issue', name, ...place, '--output', machine.home];
  return {
    ...machine,
    penstock: (words: readonly string[]) => machine.penstock(words),
    folder,
    passwordFile,
    issue,
    revoke: (...what: readonly string[]) => ['certificate', 'revoke', ...what, ...place],
    place,
    list: async (): Promise<readonly Listed[]> => {
      const { output } = await machine.penstock(['certificate', 'list', '--json', ...place]);
      return JSON.parse(output) as readonly Listed[];
    },
    installed: path.join(machine.etc, 'tls/client-ca.crl'),
  };
}

/** Serial numbers in a revocation list, as OpenSSL reads them. */
function readListed(file: string): readonly string[] {
  const text = execFileSync(programOf('openssl'), ['crl', '-in', file, '-noout', '-text'], {
    encoding: 'utf8',
  });
  return [...text.matchAll(/Serial Number: ([0-9A-F]+)/g)].map(([, serial = '']) => serial.toLowerCase());
}

function serialOf(file: string): string {
  const text = execFileSync(programOf('openssl'), ['x509', '-in', file, '-noout', '-serial'], {
    encoding: 'utf8',
  });
  return text.trim().replace('serial=', '').toLowerCase();
}

/** Status of a request with a certificate; 0: the handshake fails. */
async function knock({ clientPort: port }: SetupBench, folder: string, name: string): Promise<number> {
  const [certificate, privateKey] = ['crt', 'key'].map((end) =>
    readFileSync(path.join(folder, `${name}.${end}`), 'utf8'),
  );
  try {
    const target = { port, certificate: certificate ?? '', privateKey: privateKey ?? '' };
    return (await send(target, 'GET', '/services/session/v1/currentIdentity')).status;
  } catch {
    return 0;
  }
}

function revokedOf(records: readonly Listed[]): readonly string[] {
  return records
    .filter(({ revokedAtMs }) => revokedAtMs !== undefined)
    .map(({ serialNumber }) => serialNumber)
    .toSorted();
}

const options = needs('openssl');

test('four revocations at once are all in the list, and none of the four is let in', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home, folder, installed } = machine;
  const names = ['one1', 'two2', 'three3', 'four4'];
  const words = ['setup', '--password-file', machine.passwordFile];
  const done = await penstock([...words, ...names.flatMap((name) => ['--client', name])]);
  assert.equal(done.status, 0, done.notes);
  for (const name of names) assert.equal(await knock(machine, path.join(home, name), name), 200, name);
  const from = machine.gateway.lines.length;
  const outcomes = await Promise.all(names.map((name) => penstock(machine.revoke(name))));
  for (const { status, notes } of outcomes) assert.equal(status, 0, notes);
  const expected = names.map((name) => serialOf(path.join(home, name, `${name}.crt`))).toSorted();
  assert.deepEqual(revokedOf(await machine.list()), expected);
  for (const file of [path.join(folder, 'ca.crl'), installed]) {
    assert.deepEqual(readListed(file).toSorted(), expected, file);
  }
  await machine.gateway.line('listening', from);
  machine.gateway.process.kill('SIGHUP');
  await machine.gateway.line('reloaded', from);
  for (const name of names) assert.equal(await knock(machine, path.join(home, name), name), 0, name);
});

test('six certificates that are issued at once are all in the ledger', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home } = machine;
  assert.equal((await penstock(['certificate', 'init', ...machine.place])).status, 0);
  const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((name) => `client-${name}`);
  const outcomes = await Promise.all(names.map((name) => penstock(machine.issue(name))));
  for (const { status, notes } of outcomes) assert.equal(status, 0, notes);
  const serials = names.map((name) => serialOf(path.join(home, `${name}.crt`)));
  const listed = (await machine.list()).map(({ serialNumber }) => serialNumber);
  assert.deepEqual(listed.toSorted(), serials.toSorted());
});

test('two setups at once make one authority and a certificate for each client', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home, folder } = machine;
  const words = ['setup', '--password-file', machine.passwordFile, '--client'];
  const outcomes = await Promise.all(['scada', 'historian'].map((name) => penstock([...words, name])));
  for (const { status, notes } of outcomes) assert.equal(status, 0, notes);
  const clients = (await machine.list()).filter(({ purpose }) => purpose === 'client');
  assert.deepEqual(clients.map(({ name }) => name).toSorted(), ['historian', 'scada']);
  for (const name of ['scada', 'historian']) {
    assert.equal(await knock(machine, path.join(home, name), name), 200, name);
  }
  const same = await Promise.all(['panel', 'panel'].map((name) => penstock([...words, name])));
  for (const { status, notes } of same) assert.equal(status, 0, notes);
  assert.equal((await machine.list()).filter(({ name }) => name === 'panel').length, 1);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('a revocation that is killed at any moment is completed by the same command', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home, folder } = machine;
  assert.equal((await penstock(['certificate', 'init', ...machine.place])).status, 0);
  for (const [index, event] of ['issued.json', 'ca.crl'].entries()) {
    const name = `client-${index}`;
    assert.equal((await penstock(machine.issue(name))).status, 0);
    const before = readFileSync(path.join(folder, event), 'utf8');
    const child = machine.startPenstock(machine.revoke(name));
    const ended = once(child, 'close');
    await waitForChange(path.join(folder, event), before, child);
    child.kill('SIGKILL');
    await ended;
    const again = await penstock(machine.revoke(name));
    assert.equal(again.status, 0, again.notes);
    const serial = serialOf(path.join(home, `${name}.crt`));
    assert.ok(readListed(path.join(folder, 'ca.crl')).includes(serial), `${name} after ${event}`);
    assert.deepEqual(readListed(path.join(folder, 'ca.crl')).toSorted(), revokedOf(await machine.list()));
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

/** Waits until the content of a file is another one, or the process has ended. */
async function waitForChange(
  file: string,
  before: string,
  child: { readonly exitCode: number | null },
): Promise<void> {
  while (child.exitCode === null && readFileSync(file, 'utf8') === before) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a certificate that the ledger lacks is revoked by its file', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home, folder, installed } = machine;
  const words = ['setup', '--password-file', machine.passwordFile, '--client', 'scada'];
  assert.equal((await penstock(words)).status, 0);
  const certificate = path.join(home, 'scada/scada.crt');
  const ledger = path.join(folder, 'issued.json');
  writeFileSync(ledger, JSON.stringify({ revocationListNumber: 1, certificates: [] }));
  assert.equal((await penstock(machine.revoke('scada'))).status, 1);
  const revoked = await penstock(machine.revoke('--certificate', certificate));
  assert.equal(revoked.status, 0, revoked.notes);
  for (const file of [path.join(folder, 'ca.crl'), installed]) {
    assert.deepEqual(readListed(file), [serialOf(certificate)]);
  }
  assert.deepEqual(
    (await machine.list()).map(({ name, purpose }) => [name, purpose]),
    [['scada', 'client']],
  );

  const foreign = path.join(home, 'foreign.crt');
  const subject = ['-subj', '/CN=scada', '-keyout', '/dev/null', '-out', foreign];
  execFileSync(
    programOf('openssl'),
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject],
    { stdio: 'ignore' },
  );
  const refused = await penstock(machine.revoke('--certificate', foreign));
  assert.equal(refused.status, 1);
  assert.match(refused.notes, /was not issued by the authority/);
  assert.equal((await penstock(machine.revoke())).status, 2);
  assert.equal((await penstock(machine.revoke('scada', '--certificate', certificate))).status, 2);
});

test('an older revocation list that is put back is replaced by the next change', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home, folder } = machine;
  assert.equal((await penstock(['certificate', 'init', ...machine.place])).status, 0);
  const list = path.join(folder, 'ca.crl');
  const older = readFileSync(list);
  assert.equal((await penstock(machine.issue('scada'))).status, 0);
  assert.equal((await penstock(machine.revoke('scada'))).status, 0);
  const expected = [serialOf(path.join(home, 'scada.crt'))];
  for (const words of [machine.issue('panel'), ['certificate', 'crl', ...machine.place]]) {
    writeFileSync(list, older);
    assert.equal((await penstock(words)).status, 0);
    assert.deepEqual(readListed(list), expected);
  }
  rmSync(list);
  assert.equal((await penstock(['certificate', 'crl', ...machine.place])).status, 0);
  assert.deepEqual(readListed(list), expected);
});

test('a list of another authority in the same file stays when ours is replaced', options, async (t) => {
  const machine = await startAuthority(t);
  const { penstock, home, folder, installed } = machine;
  const words = ['setup', '--password-file', machine.passwordFile, '--client', 'scada'];
  assert.equal((await penstock(words)).status, 0);
  const other = path.join(home, 'other');
  assert.equal((await penstock(['certificate', 'init', 'Other', '--authority', other])).status, 0);
  const authorities = path.join(machine.etc, 'tls/client-ca.pem');
  for (const [file, added] of [
    [authorities, 'ca.crt'],
    [installed, 'ca.crl'],
  ] as const) {
    writeFileSync(file, `${readFileSync(path.join(other, added), 'utf8')}${readFileSync(file, 'utf8')}`);
  }
  const before = readFileSync(authorities, 'utf8');
  const revoked = await penstock(machine.revoke('scada'));
  assert.equal(revoked.status, 0, revoked.notes);
  const [list, added] = [folder, other].map((place) => readFileSync(path.join(place, 'ca.crl'), 'utf8'));
  assert.equal(readFileSync(installed, 'utf8'), `${added}${list}`);
  writeFileSync(installed, added ?? '');
  const repeated = await penstock(['setup']);
  assert.equal(repeated.status, 0, repeated.notes);
  assert.equal(readFileSync(installed, 'utf8'), `${added}${list}`);
  assert.equal(readFileSync(authorities, 'utf8'), before);
});
