import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

import { startSetupBench } from '../support/setup-bench.ts';
import type { SetupBench } from '../support/setup-bench.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const PASSWORD = 'a long enough password 7';

function writePassword({ home }: SetupBench, password = PASSWORD): string {
  const file = path.join(home, 'password');
  writeFileSync(file, `${password}\n`);
  return file;
}

/** Everything that setup writes, with its content. */
function listFiles(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(path.join(folder, 'data')))
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(files.toSorted().map((file) => [file, readFileSync(file, 'latin1')]));
}

/** Pastes the curl line that setup has printed into a shell; returns the status. */
function paste({ home }: SetupBench, output: string): string {
  const line = /^curl (?:\\\n|.)+/m.exec(output)?.[0] ?? '';
  const script = `${line} -sS -o /dev/null -w '%{http_code}' 2>&1 || true`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', cwd: home });
}

const options = { ...needs('curl', 'openssl') };

test('setup makes a gateway that lets its client in, and repeats without a change', options, async (t) => {
  const machine = await startSetupBench(t);
  const { home, etc, gateway } = machine;
  const file = writePassword(machine);

  const before = listFiles(etc);
  const plan = await machine.penstock(['setup', '--client', 'scada', '--dry-run']);
  assert.equal(plan.status, 0, plan.notes);
  assert.equal(plan.output.match(/^to do/gm)?.length, 7);
  assert.deepEqual(listFiles(etc), before);

  const done = await machine.penstock(['setup', '--client', 'scada', '--password-file', file]);
  assert.equal(done.status, 0, done.notes);
  assert.equal(paste(machine, done.output), '200');
  assert.ok(!existsSync(path.join(gateway.dataDirectory, 'initial-admin-password')));
  const folder = path.join(home, 'scada');
  for (const secret of [
    path.join(etc, 'tls/server.key'),
    path.join(etc, 'ca/ca.key'),
    ...['scada.key', 'scada.p12', 'scada.p12.password'].map((name) => path.join(folder, name)),
  ]) {
    assert.equal(statSync(secret).mode & 0o777, 0o600, secret);
  }
  const pkcs12 = [
    'pkcs12',
    '-in',
    path.join(folder, 'scada.p12'),
    '-passin',
    `file:${path.join(folder, 'scada.p12.password')}`,
  ];
  assert.match(
    execFileSync(programOf('openssl'), [...pkcs12, '-nodes'], { encoding: 'utf8', stdio: 'pipe' }),
    /BEGIN PRIVATE KEY/,
  );
  for (const text of [done.output, done.notes]) assert.ok(!text.includes(PASSWORD));

  const after = listFiles(etc);
  const again = await machine.penstock(['setup', '--client', 'scada', '--json']);
  assert.equal(again.status, 0, again.notes);
  const { steps } = JSON.parse(again.output) as { readonly steps: readonly { readonly change: boolean }[] };
  assert.ok(steps.every(({ change }) => !change));
  assert.deepEqual(listFiles(etc), after);
});

test(
  'the certificate of a client goes into the store of a browser',
  needs('pk12util', 'certutil'),
  async (t) => {
    const machine = await startSetupBench(t);
    const file = writePassword(machine);
    assert.equal((await machine.penstock(['setup', '--client', 'scada', '--password-file', file])).status, 0);
    const folder = path.join(machine.home, 'scada');
    const store = path.join(machine.home, 'nssdb');
    mkdirSync(store);
    const useStore = (program: 'pk12util' | 'certutil', words: readonly string[]): string =>
      execFileSync(programOf(program), [...words, '-d', `sql:${store}`], { encoding: 'utf8', stdio: 'pipe' });
    useStore('certutil', ['-N', '--empty-password']);
    const secret = ['-w', path.join(folder, 'scada.p12.password'), '-K', ''];
    useStore('pk12util', ['-i', path.join(folder, 'scada.p12'), ...secret]);
    // "u": with its private key.
    assert.match(useStore('certutil', ['-L']), /^scada +u,u,u$/m);
  },
);

test('setup adds a name and a client to a gateway that runs', options, async (t) => {
  const machine = await startSetupBench(t);
  const file = writePassword(machine);
  assert.equal((await machine.penstock(['setup', '--client', 'scada', '--password-file', file])).status, 0);
  const more = await machine.penstock([
    'setup',
    '--name',
    'plant.example',
    '--name',
    '192.0.2.9',
    '--client',
    'historian',
    '--grant',
    'READ:line1-*',
  ]);
  assert.equal(more.status, 0, more.notes);
  const shown = await machine.penstock(['identity', 'list']);
  assert.match(shown.output, /^scada +none +rest\.assets$/m);
  assert.match(shown.output, /^historian +none +1$/m);
  const certificate = path.join(machine.etc, 'tls/server.crt');
  const text = execFileSync(
    programOf('openssl'),
    ['x509', '-in', certificate, '-noout', '-ext', 'subjectAltName'],
    {
      encoding: 'utf8',
    },
  );
  assert.match(text, /DNS:plant\.example/);
  assert.match(text, /IP Address:192\.0\.2\.9/);
  assert.equal(paste(machine, more.output), '200');
  const audit = await machine.penstock(['audit', 'list', '--json']);
  for (const event of [
    'IDENTITY_CHANGED',
    'IDENTITY_CREATED',
    'CONFIGURATION_CHANGED',
    'CERTIFICATES_CHANGED',
  ]) {
    assert.ok(audit.output.includes(event), event);
  }
});

test(
  'what the authority issues and revokes is in the audit log of a gateway that runs',
  options,
  async (t) => {
    const machine = await startSetupBench(t);
    const file = writePassword(machine);
    const done = await machine.penstock(['setup', '--client', 'scada', '--password-file', file]);
    assert.equal(done.status, 0, done.notes);
    const authority = ['--authority', path.join(machine.etc, 'ca')];
    assert.equal((await machine.penstock(['certificate', 'issue', 'historian', ...authority])).status, 0);
    assert.equal((await machine.penstock(['certificate', 'renew', 'historian', ...authority])).status, 0);
    assert.equal((await machine.penstock(['certificate', 'revoke', 'scada', ...authority])).status, 0);
    const { output } = await machine.penstock(['audit', 'list', '--json']);
    const events = JSON.parse(output) as readonly {
      readonly event: string;
      readonly detail?: Readonly<Record<string, unknown>>;
    }[];
    const found = events
      .filter(({ event }) => event.startsWith('CERTIFICATE_'))
      .map(({ event, detail = {} }) => [event, detail['purpose'], detail['serialNumber']])
      .toReversed();
    const listed = await machine.penstock(['certificate', 'list', ...authority, '--json']);
    const [server, scada, first, second] = (
      JSON.parse(listed.output) as readonly { readonly serialNumber: string }[]
    ).map(({ serialNumber }) => serialNumber);
    assert.deepEqual(
      [found[0]?.slice(0, 2), ...found.slice(1)],
      [
        ['CERTIFICATE_ISSUED', 'authority'],
        ['CERTIFICATE_ISSUED', 'server', server],
        ['CERTIFICATE_ISSUED', 'client', scada],
        ['CERTIFICATE_ISSUED', 'client', first],
        ['CERTIFICATE_ISSUED', 'client', second],
        ['CERTIFICATE_REVOKED', 'client', first],
        ['CERTIFICATE_REVOKED', 'client', scada],
      ],
    );
  },
);

test('a revoked client is kept out at once', options, async (t) => {
  const machine = await startSetupBench(t);
  const file = writePassword(machine);
  const done = await machine.penstock([
    'setup',
    '--client',
    'scada',
    '--client',
    'hmi',
    '--password-file',
    file,
  ]);
  assert.equal(paste(machine, done.output), '200');
  const from = machine.gateway.lines.length;
  const revoked = await machine.penstock([
    'certificate',
    'revoke',
    'scada',
    '--authority',
    path.join(machine.etc, 'ca'),
  ]);
  assert.equal(revoked.status, 0, revoked.notes);
  await machine.gateway.line('listening', from);
  assert.notEqual(paste(machine, done.output), '200');
});

test('setup refuses what it did not make, and replaces it when asked', options, async (t) => {
  const machine = await startSetupBench(t);
  const file = writePassword(machine);
  const tls = path.join(machine.etc, 'tls');
  mkdirSync(tls);
  const subject = [
    '-subj',
    '/CN=other',
    '-keyout',
    path.join(tls, 'server.key'),
    '-out',
    path.join(tls, 'server.crt'),
  ];
  execFileSync(
    programOf('openssl'),
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject],
    { stdio: 'ignore' },
  );
  const before = listFiles(machine.etc);
  const refused = await machine.penstock(['setup', '--client', 'scada', '--password-file', file]);
  assert.equal(refused.status, 1);
  assert.match(
    refused.notes,
    /nothing was changed: .*server\.crt was not created by setup; replace it with --replace/,
  );
  assert.deepEqual(listFiles(machine.etc), before);
  const replaced = await machine.penstock([
    'setup',
    '--client',
    'scada',
    '--password-file',
    file,
    '--replace',
  ]);
  assert.equal(replaced.status, 0, replaced.notes);
  assert.equal(paste(machine, replaced.output), '200');
});

test('setup issues nothing while the key of the authority is kept elsewhere', options, async (t) => {
  const machine = await startSetupBench(t);
  const file = writePassword(machine);
  assert.equal((await machine.penstock(['setup', '--client', 'scada', '--password-file', file])).status, 0);
  rmSync(path.join(machine.etc, 'ca/ca.key'));
  const before = listFiles(machine.etc);
  const refused = await machine.penstock(['setup', '--client', 'scada', '--client', 'hmi']);
  assert.equal(refused.status, 1);
  assert.match(refused.notes, /nothing was changed: .*ca\.key is not on this machine/);
  assert.deepEqual(listFiles(machine.etc), before);
  const identities = await machine.penstock(['identity', 'list', '--json']);
  assert.ok(!identities.output.includes('hmi'));
  assert.equal((await machine.penstock(['setup', '--client', 'scada'])).status, 0);
});

test('bad input to setup is named, and nothing is changed', options, async (t) => {
  const machine = await startSetupBench(t);
  const file = writePassword(machine, 'short');
  const empty = path.join(machine.home, 'empty');
  writeFileSync(empty, '\n');
  const before = listFiles(machine.etc);
  const cases: readonly (readonly [words: readonly string[], status: number, message: RegExp])[] = [
    [['--client', 'a/b'], 2, /--client "a\/b": expected 3 to 64 letters/],
    [['--client', 'a'], 2, /--client "a": expected 3 to 64 letters/],
    [['--client', 'hmi', '--client', 'hmi'], 2, /--client hmi is given twice/],
    [['--client', 'hmi', '--grant', 'line1'], 2, /--grant "line1": expected a grant such as READ:line1-\*/],
    [['--name', 'not a name'], 2, /--name "not a name": expected a host name or an IP address/],
    [['--password-file', '/nowhere'], 1, /\/nowhere/],
    [['--password-file', empty], 1, /is empty; expected a password/],
    [['--password-file', file], 1, /at least 8 characters/],
    [['--client', 'scada', '--password-file'], 2, /--password-file/],
    [['--socket', '/nowhere'], 3, /no response from \/nowhere/],
  ];
  for (const [words, status, message] of cases) {
    const outcome = await machine.penstock(['setup', ...words]);
    assert.equal(outcome.status, status, outcome.notes);
    assert.match(outcome.notes, message);
    assert.deepEqual(listFiles(machine.etc), before);
  }
});

test('a setup that is killed at any step is completed by the same command', options, async (t) => {
  const machine = await startSetupBench(t);
  const words = ['setup', '--client', 'scada', '--password-file', writePassword(machine)];
  // Each run completes one step, and is killed when it begins the next one.
  for (let isKilled = true; isKilled;) {
    const child = machine.startPenstock(words);
    const ended = once(child, 'close');
    isKilled = await seen(child, /^2\/\d+ /m);
    if (isKilled) child.kill('SIGKILL');
    await ended;
  }
  const done = await machine.penstock(words);
  assert.equal(done.status, 0, done.notes);
  assert.equal(paste(machine, done.output), '200');
});

test(
  'setup asks at a terminal, and Ctrl-C at any question changes nothing',
  { ...options, ...needs('python3', 'curl', 'openssl') },
  async (t) => {
    const machine = await startSetupBench(t);
    const before = listFiles(machine.etc);
    const dialogue: readonly (readonly [question: RegExp, answer: string])[] = [
      [/Additional names or addresses.*: $/, 'plant.example'],
      [/Names of clients.*: $/, 'scada hmi'],
      [/New password of admin: $/, PASSWORD],
      [/Again: $/, PASSWORD],
      [/Continue\? \[y\/N\] $/, 'y'],
    ];
    for (let stop = 0; stop < dialogue.length; stop += 1) {
      const child = machine.startAtTerminal(['setup']);
      const ended = once(child, 'close') as Promise<[number | null]>;
      await answer(child, dialogue.slice(0, stop));
      assert.ok(await seen(child, dialogue[stop]?.[0] ?? /./));
      child.stdin?.write('\u0003');
      const [status] = await ended;
      assert.equal(status, 1, `at question ${stop + 1}`);
      assert.deepEqual(listFiles(machine.etc), before);
    }
    const child = machine.startAtTerminal(['setup']);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(child, 'close') as Promise<[number | null]>;
    await answer(child, dialogue);
    assert.deepEqual(await ended, [0, null], output);
    assert.ok(!output.includes(PASSWORD));
    const questions = readDocumentedQuestions();
    assert.equal(questions.length, 4);
    const places = questions.map((question) => output.indexOf(question));
    assert.ok(!places.includes(-1), String(questions));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.equal(paste(machine, output.replaceAll('\r\n', '\n')), '200');
  },
);

/** Returns the questions that the page lists, in its order. */
function readDocumentedQuestions(): readonly string[] {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/tutorial/first-hour.md'), 'utf8');
  return [...page.matchAll(/^\d\. `([^`]+)`/gm)].map(([, question = '']) => question);
}

/** Answers each question when it is asked. */
async function answer(child: ChildProcess, dialogue: readonly (readonly [RegExp, string])[]): Promise<void> {
  for (const [question, text] of dialogue) {
    assert.ok(await seen(child, question), `${question} was not asked`);
    child.stdin?.write(`${text}\r`);
  }
}

/** Resolves when the output of a command has something new that fits; false when it ends before. */
async function seen(child: ChildProcess, pattern: RegExp): Promise<boolean> {
  let text = '';
  return new Promise((resolve) => {
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    const end = (isSeen: boolean): void => {
      for (const stream of streams) stream.off('data', look);
      child.off('close', close);
      resolve(isSeen);
    };
    const look = (chunk: Buffer): void => {
      text += chunk.toString();
      if (pattern.test(stripVTControlCharacters(text))) end(true);
    };
    const close = (): void => end(false);
    for (const stream of streams) stream.on('data', look);
    child.once('close', close);
  });
}
