import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';

import { runCommand, startCommand } from '../daemon/cli/command.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { encryptWithPassphrase } from '../../daemon/cli/backup/age-file.ts';
import { LeftOutList } from '../../daemon/cli/backup/left-out.ts';
import { writeTar } from '../../daemon/cli/backup/tar-writer.ts';
import { createRestClient } from '../../daemon/cli/client/rest-client.ts';
import { createAuthenticatorApp } from '../support/authenticator-app.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { WITH_MOUNTS, WITH_ROOT } from '../support/root.ts';
import { buildPackage } from '../support/package-builder.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { findProgram } from '../support/programs.ts';
import { answerOf } from '../support/answer-of.ts';
import { readHistory } from '../../daemon/interface/plant/history.ts';
import { beginSecondFactor } from '../../daemon/interface/security/second-factor.ts';
import { readOwnIdentity } from '../../daemon/interface/security/session.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

const CLI = findProgram('daemon/cli/main');
const PASSWORD = 'turbine-password';
const PASSPHRASE = 'a passphrase with ü';
const PROVISION = {
  rest: { jwtAuthenticationEnabled: true, sessionInactivityIntervalSeconds: 777 },
  identities: [
    { name: 'historian', permissions: ['rest.assets', 'rest.deploy', 'rest.admin'], password: PASSWORD },
  ],
  drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 9 }],
  assets: [
    {
      pid: 'heating',
      driver: 'plc',
      channels: [
        {
          name: 'flow',
          type: 'READ',
          valueType: 'INTEGER',
          address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
        },
      ],
    },
  ],
};

/** The folders of a machine of its own. */
interface Machine {
  readonly configuration: string;
  readonly data: string;
  readonly configFile: string;
}

function createMachine(t: Owner): Machine {
  const folder = createTemporaryDirectory(t);
  const configuration = path.join(folder, 'configuration');
  return {
    configuration,
    data: path.join(folder, 'data'),
    configFile: path.join(configuration, 'penstock.yaml'),
  };
}

function writePassphrase(t: Owner, passphrase = PASSPHRASE): string {
  const file = path.join(createTemporaryDirectory(t), 'passphrase');
  writeFileSync(file, `${passphrase}\n`);
  return file;
}

const describeBackup = (t: Owner, { data, configFile }: Machine, file: string): readonly string[] => [
  'backup',
  file,
  '--password-file',
  writePassphrase(t),
  '--config',
  configFile,
  '--socket',
  path.join(data, 'penstock.sock'),
];

const describeRestore = (t: Owner, { configFile }: Machine, file: string): readonly string[] => [
  'restore',
  file,
  '--config',
  configFile,
  '--password-file',
  writePassphrase(t),
];

const backUp = (t: Owner, machine: Machine, file: string) => runCommand(t, describeBackup(t, machine, file));

// Of two passphrases, the last one counts.
const restore = (t: Owner, machine: Machine, file: string, more: readonly string[] = []) =>
  runCommand(t, [...describeRestore(t, machine, file), ...more]);

/** A gateway with something of every kind, and a backup of it. */
async function startBackedUp(t: Owner) {
  const machine = createMachine(t);
  const gateway = await startGateway(t, {
    directory: machine.configuration,
    config: { dataDirectory: '../data', provision: PROVISION },
  });
  mkdirSync(path.join(machine.configuration, 'tls'));
  writeFileSync(path.join(machine.configuration, 'tls/other.key'), 'a key', { mode: 0o600 });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('historian', PASSWORD);
  const installed = await uploadPackage(
    client,
    buildPackage({ symbolicName: 'example.meters', bundles: [{ symbolicName: 'example.meter' }] }),
  );
  assert.equal(installed.state, 'COMPLETED');
  const issued = await client.send('POST', '/services/token/jwt/v1/issue');
  const { accessToken } = answerOf(obtainTokens, issued);
  const file = path.join(createTemporaryDirectory(t), 'gateway.age');
  const done = await backUp(t, machine, file);
  assert.equal(done.status, 0, done.errors);
  return { machine, gateway, accessToken, file };
}

const PATHS = [
  '/services/identity/v1/identities',
  '/services/configuration/v1',
  '/services/assets',
  '/services/assets/heating/_plan',
  '/services/deploy/v2',
];

/** What the gateway answers as administrator, and to the holder of a token. */
async function askEverything(machine: Machine, gateway: RunningGateway, accessToken: string) {
  const client = createRestClient({ socketPath: path.join(machine.data, 'penstock.sock') });
  const answers: Record<string, unknown> = {};
  for (const place of PATHS) {
    answers[place] = (await client.send('GET', place)).body;
  }
  const headers = { Authorization: `Bearer ${accessToken}` };
  const { status } = await send({ port: gateway.httpsPorts[0] ?? 0 }, 'GET', '/services/assets', { headers });
  return { answers, status };
}

/** Everything in the folders of a machine: content and mode by path. */
function listContent({ configuration, data }: Machine): Readonly<Record<string, string>> {
  const entries = [configuration, data].filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isSocket())
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return Object.fromEntries(
    entries.map((file) => {
      const stats = statSync(file);
      const content = stats.isDirectory() ? '' : readFileSync(file, 'latin1');
      return [file, `${(stats.mode & 0o7777).toString(8)} ${content}`];
    }),
  );
}

test('a gateway that is restored on another machine gives the same answers', async (t) => {
  const { machine, gateway, accessToken, file } = await startBackedUp(t);
  const before = await askEverything(machine, gateway, accessToken);
  assert.equal(before.status, 200);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!existsSync(path.join(machine.data, 'penstock.db.copy')));

  const other = createMachine(t);
  const restored = await restore(t, other, file);
  assert.equal(restored.status, 0, restored.errors);
  assert.equal(statSync(other.data).mode & 0o777, 0o700);
  assert.equal(statSync(path.join(other.configuration, 'tls/other.key')).mode & 0o777, 0o600);
  assert.ok(readdirSync(path.dirname(other.data)).every((name) => ['configuration', 'data'].includes(name)));
  const second = await startGateway(t, { directory: other.configuration, isConfigured: true });
  assert.deepEqual(await askEverything(other, second, accessToken), before);
});

test('backup names the files outside that settings of any kind name, and its event names the command', async (t) => {
  const folder = createTemporaryDirectory(t);
  const { certificate, privateKey } = await getClientCertificate('gateway');
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const files = {
    logsAuthority: file('logs-ca.pem', certificate),
    logsCertificate: file('logs.crt', certificate),
    logsKey: file('logs.key', privateKey),
    deviceAuthority: file('device-ca.pem', certificate),
    tokenKey: file('tokens.key', privateKey),
    tokenCertificate: file('tokens.crt', certificate),
    otherIssuer: file('other.crt', certificate),
  };
  const machine = createMachine(t);
  const gateway = await startGateway(t, {
    directory: machine.configuration,
    config: {
      dataDirectory: '../data',
      audit: {
        syslog: {
          host: 'localhost',
          port: 9,
          certificateAuthoritiesFile: files.logsAuthority,
          certificateFile: files.logsCertificate,
          privateKeyFile: files.logsKey,
        },
      },
      provision: {
        drivers: [
          {
            pid: 'plc',
            type: 'modbus',
            transport: 'tcp-tls',
            host: '127.0.0.1',
            certificateAuthoritiesFile: files.deviceAuthority,
          },
        ],
        tokenIssuingServices: [
          { pid: 'local', privateKeyFile: files.tokenKey, certificateFile: files.tokenCertificate },
        ],
        tokenVerificationServices: [
          { pid: 'local', trustedCertificates: [{ file: files.otherIssuer }], trustedIssuers: ['penstock'] },
        ],
      },
    },
  });
  const words = describeBackup(t, machine, path.join(createTemporaryDirectory(t), 'gateway.age'));
  const { output, errors } = await runCommand(t, [...words, '--json']);
  const { missing } = JSON.parse(output) as { readonly missing: readonly string[] };
  assert.deepEqual(missing.toSorted(), Object.values(files).toSorted());
  assert.ok(errors.includes(files.logsKey));
  await gateway.stop();
  const accesses = gateway.lines.filter(({ auditEvent }) => auditEvent === 'LOCAL_ACCESS');
  assert.deepEqual(
    accesses.map(({ detail }) => (detail as { readonly command?: unknown }).command),
    ['backup'],
  );
});

test('a restored gateway has the grants with their ends, the second factors, and refuses tokens that were revoked', async (t) => {
  const machine = createMachine(t);
  const until = '2099-12-01T18:00:00Z';
  const grants = [
    { assets: ['heating'], channels: ['flow'], operations: ['READ'], until, reason: 'permit 4711' },
    { assets: ['heating'], operations: ['READ'], until: '2001-01-01T00:00:00Z' },
  ];
  const identities = [
    { name: 'keeper', permissions: ['rest.admin'], password: PASSWORD },
    { name: 'operator', grants, password: PASSWORD },
  ];
  const gateway = await startGateway(t, {
    directory: machine.configuration,
    config: { dataDirectory: '../data', provision: { ...PROVISION, identities } },
  });
  const port = (each: RunningGateway): number => each.httpsPorts[0] ?? 0;
  const logIn = async (name: string, at: RunningGateway, code?: string) => {
    const client = new SessionClient({ port: port(at) });
    return { client, status: (await client.login(name, PASSWORD, code)).status };
  };
  const issue = async (client: SessionClient): Promise<string> => {
    const { json } = await client.send('POST', '/services/token/jwt/v1/issue');
    return answerOf(obtainTokens, { json }).accessToken;
  };
  const useToken = async (token: string, at: RunningGateway): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await send({ port: port(at) }, 'GET', '/services/assets', { headers })).status;
  };
  const { client: operator } = await logIn('operator', gateway);
  const revoked = await issue(operator);
  const { client: keeper } = await logIn('keeper', gateway);
  const revocation = { body: { userName: 'operator' } };
  const answer = await keeper.send('POST', '/services/token/jwt/v1/_revoke', revocation);
  assert.equal(answer.status, 204, answer.text);
  const { client: again } = await logIn('operator', gateway);
  const valid = await issue(again);
  const body = { currentPassword: PASSWORD };
  const begun = await again.send('POST', '/services/session/v1/secondFactor/begin', { body });
  const app = createAuthenticatorApp(answerOf(beginSecondFactor, begun).secret);
  const used = app();
  const confirmed = await again.send('POST', '/services/session/v1/secondFactor/confirm', {
    body: { secondFactorCode: used },
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.deepEqual([await useToken(revoked, gateway), await useToken(valid, gateway)], [401, 200]);
  const show = async (client: SessionClient) =>
    (await client.send('GET', '/services/identity/v1/identities')).json;
  const before = await show(keeper);
  assert.ok(JSON.stringify(before).includes(until));
  const file = path.join(createTemporaryDirectory(t), 'gateway.age');
  assert.equal((await backUp(t, machine, file)).status, 0);
  await gateway.stop();

  const other = createMachine(t);
  assert.equal((await restore(t, other, file)).status, 0);
  const second = await startGateway(t, { directory: other.configuration, isConfigured: true });
  assert.deepEqual(await show((await logIn('keeper', second)).client), before);
  assert.deepEqual([await useToken(revoked, second), await useToken(valid, second)], [401, 200]);
  assert.equal((await logIn('operator', second)).status, 401);
  assert.equal((await logIn('operator', second, used)).status, 401, 'the code was used before the backup');
  const { client, status } = await logIn('operator', second, app(1));
  assert.equal(status, 200);
  const { json: assets } = await client.send('GET', '/services/assets');
  assert.deepEqual((assets as readonly { readonly pid?: string }[]).length, 1);
  const current = await client.send('GET', '/services/session/v1/currentIdentity');
  assert.deepEqual(answerOf(readOwnIdentity, current).grants, grants);
});

test('restore replaces a gateway that is there when it is told to, and not otherwise', async (t) => {
  const { machine, gateway, file } = await startBackedUp(t);
  const running = await restore(t, machine, file, ['--replace']);
  assert.equal(running.status, 1);
  assert.match(running.errors, /the gateway is running/);
  await gateway.stop();
  writeFileSync(path.join(machine.configuration, 'tls/later.txt'), 'made after the backup');
  const before = listContent(machine);
  const refused = await restore(t, machine, file);
  assert.equal(refused.status, 1);
  assert.match(refused.errors, /overwrite it with --replace/);
  assert.deepEqual(listContent(machine), before);
  const replaced = await restore(t, machine, file, ['--replace', '--json']);
  assert.equal(replaced.status, 0, replaced.errors);
  assert.deepEqual((JSON.parse(replaced.output) as { folders: unknown }).folders, [
    machine.configuration,
    machine.data,
  ]);
  assert.ok(!existsSync(path.join(machine.configuration, 'tls/later.txt')));
});

test('a backup that cannot be used changes nothing', async (t) => {
  const { file } = await startBackedUp(t);
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed.writeUInt8(changed.readUInt8(whole.length - 100) ^ 1, whole.length - 100);
  const other = createMachine(t);
  mkdirSync(other.configuration);
  writeFileSync(other.configFile, 'dataDirectory: ../data\n');
  const before = listContent(other);
  const bad = path.join(path.dirname(file), 'bad.age');
  for (const [content, pattern] of [
    [whole.subarray(0, whole.length - 1), /damaged or cut off/],
    [changed, /damaged or cut off/],
    [whole.subarray(0, 60), /no encrypted file, or damaged/],
    [Buffer.from('a note'), /no encrypted file/],
  ] as const) {
    writeFileSync(bad, content);
    const outcome = await restore(t, other, bad);
    assert.equal(outcome.status, 1);
    assert.match(outcome.errors, pattern);
  }
  const wrong = ['--password-file', writePassphrase(t, 'another one')];
  const outcome = await restore(t, other, file, wrong);
  assert.match(outcome.errors, /the passphrase is wrong/);
  assert.equal((await restore(t, other, '/nonexistent')).status, 1);
  assert.deepEqual(listContent(other), before);
  assert.deepEqual(readdirSync(path.dirname(other.data)), ['configuration']);
});

test(
  'recorded samples, which are written each second, are not in a backup, and it says so',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const machine = createMachine(t);
    const recorders = [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'heating' }] }];
    const drivers = [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: device.port }];
    const provision = { ...PROVISION, drivers, recorders };
    await startGateway(t, {
      directory: machine.configuration,
      config: { dataDirectory: '../data', provision },
    });
    const journal = path.join(machine.data, 'recording/journal');
    while (!existsSync(journal) || readdirSync(journal).length === 0) await wait(20);
    const file = path.join(createTemporaryDirectory(t), 'gateway.age');
    const done = await backUp(t, machine, file);
    assert.equal(done.status, 0, done.errors);
    assert.match(done.errors, /^not in the backup, include them with --history: recorded samples$/m);
    const other = createMachine(t);
    assert.equal((await restore(t, other, file)).status, 0);
    assert.ok(!existsSync(path.join(other.data, 'recording')));
  },
);

/** A gateway that records a channel ten times a second. */
async function startRecording(t: Owner, machine: Machine, recording: object = {}): Promise<RunningGateway> {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const recorders = [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'heating' }] }];
  const drivers = [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: device.port }];
  const provision = { ...PROVISION, drivers, recorders, recording };
  return startGateway(t, {
    directory: machine.configuration,
    config: { dataDirectory: '../data', provision },
  });
}

async function readRecorded({ data }: Machine) {
  const client = createRestClient({ socketPath: path.join(data, 'penstock.sock') });
  const parameters = { asset: 'heating', from: '0', limit: '100000' };
  const { body } = await client.exchange(readHistory, { parameters });
  const { samples = [], gaps } = body;
  return { times: samples.map(({ timestamp }) => timestamp), reasons: gaps.map(({ reason }) => reason) };
}

/** Waits until more samples were recorded, and returns all. */
async function recordMore(machine: Machine, count: number) {
  const before = await readRecorded(machine);
  for (;;) {
    const now = await readRecorded(machine);
    if (now.times.length >= before.times.length + count) return now;
    await wait(50);
  }
}

test(
  'a backup with --history has the recorded samples, and recording goes on after them',
  needs('libmodbus'),
  async (t) => {
    const machine = createMachine(t);
    const first = await startRecording(t, machine);
    await recordMore(machine, 10);
    // What was recorded before is in the database, and what comes now in the journal.
    await first.stop();
    const again = await startGateway(t, { directory: machine.configuration, isConfigured: true });
    const { times } = await recordMore(machine, 10);
    const file = path.join(createTemporaryDirectory(t), 'gateway.age');
    const done = await runCommand(t, [...describeBackup(t, machine, file), '--history']);
    assert.equal(done.status, 0, done.errors);
    assert.doesNotMatch(done.errors, /recorded samples/);
    assert.ok(!existsSync(path.join(machine.data, 'recording/copy')));
    const after = await recordMore(machine, 1);
    await again.stop();

    const other = createMachine(t);
    const restored = await restore(t, other, file);
    assert.equal(restored.status, 0, restored.errors);
    await startGateway(t, { directory: other.configuration, isConfigured: true });
    const { times: found, reasons } = await recordMore(other, 10);
    assert.deepEqual(reasons, ['STOPPED', 'STOPPED']);
    const known = found.filter((time) => time <= (times.at(-1) ?? 0));
    assert.deepEqual(known, times);
    assert.equal(new Set(found).size, found.length);
    assert.ok((found.at(-1) ?? 0) > (after.times.at(-1) ?? 0));

    // Without the samples, nothing is left of them.
    const bare = path.join(path.dirname(file), 'bare.age');
    assert.equal((await backUp(t, other, bare)).status, 0);
    const third = createMachine(t);
    assert.equal((await restore(t, third, bare)).status, 0);
    await startGateway(t, { directory: third.configuration, isConfigured: true });
    const begun = await recordMore(third, 1);
    assert.ok((begun.times[0] ?? 0) > (found.at(-1) ?? 0));
    assert.deepEqual(begun.reasons, []);
  },
);

test(
  'a backup with --history is refused before it takes the reserve of the disk',
  needs('libmodbus'),
  async (t) => {
    const machine = createMachine(t);
    await startRecording(t, machine, { reservedBytes: 2 ** 40 });
    const file = path.join(createTemporaryDirectory(t), 'gateway.age');
    const refused = await runCommand(t, [...describeBackup(t, machine, file), '--history']);
    assert.equal(refused.status, 1, refused.errors);
    assert.match(refused.errors, /recorded samples were not copied: .* MiB are reserved/);
    assert.ok(!existsSync(file));
    assert.ok(!existsSync(path.join(machine.data, 'recording/copy')));
    assert.equal((await backUp(t, machine, file)).status, 0);
  },
);

test('backup gives up when something changes each time', async (t) => {
  const { machine, file } = await startBackedUp(t);
  const before = readFileSync(file);
  const command = startCommand(t, describeBackup(t, machine, file));
  const changing = path.join(machine.configuration, 'changing.txt');
  let isOver = false;
  const ended = command.ended.finally(() => (isOver = true));
  const change = (): void => {
    if (isOver) return;
    writeFileSync(changing, 'again');
    setImmediate(change);
  };
  change();
  assert.equal(await ended, 1);
  assert.match(command.errors(), /was changed during each attempt/);
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
});

test('backup and restore tell what was left out of the data of bundles, and a file that changes all the time is there', async (t) => {
  const { machine, file } = await startBackedUp(t);
  const stored = path.join(machine.data, 'packages/data/example.other');
  mkdirSync(stored, { recursive: true });
  execFileSync('mkfifo', [path.join(stored, 'pipe')]);
  const log = path.join(stored, 'log');
  writeFileSync(log, 'a line\n');
  const command = startCommand(t, [...describeBackup(t, machine, file), '--json']);
  let isOver = false;
  const ended = command.ended.finally(() => (isOver = true));
  const change = (): void => {
    if (isOver) return;
    appendFileSync(log, 'a line\n');
    setImmediate(change);
  };
  change();
  assert.equal(await ended, 0, command.errors());
  const name = 'data/packages/data/example.other/pipe';
  const { leftOut } = JSON.parse(command.output()) as { readonly leftOut: { readonly entries: unknown } };
  assert.deepEqual(leftOut.entries, [{ name, reason: 'PIPE' }]);
  assert.match(command.errors(), /^left out: data\/packages\/data\/example\.other\/pipe: a pipe$/m);

  const other = createMachine(t);
  const restored = await restore(t, other, file, ['--json']);
  assert.equal(restored.status, 0, restored.errors);
  assert.deepEqual((JSON.parse(restored.output) as { leftOut: unknown }).leftOut, leftOut);
  assert.match(restored.errors, /^left out: .*pipe: a pipe$/m);
  const written = readFileSync(path.join(other.data, 'packages/data/example.other/log'), 'utf8');
  assert.ok('a line\n'.repeat(written.length).startsWith(written));
});

test('a backup of a later release is refused', async (t) => {
  const content = Buffer.from(
    JSON.stringify({ format: 1, release: '9999.0.0', timeMs: 0, host: 'a', daemon: { uid: 0, gid: 0 } }),
  );
  const own = { mode: 0o600, uid: 0, gid: 0, mtimeSeconds: 0, target: '' };
  const entry = { ...own, name: 'manifest.json', type: 'FILE', sizeBytes: content.length } as const;
  const file = path.join(createTemporaryDirectory(t), 'later.age');
  writeFileSync(
    file,
    await buffer(encryptWithPassphrase(writeTar([{ entry, content }], new LeftOutList()), PASSPHRASE)),
  );
  const outcome = await restore(t, createMachine(t), file);
  assert.equal(outcome.status, 1);
  assert.match(outcome.errors, /made by release 9999\.0\.0/);
});

test(
  'files of the daemon belong to the daemon of the other machine, also those of an administrator who set it up',
  WITH_ROOT,
  async (t) => {
    const content = Buffer.from(
      JSON.stringify({ format: 1, release: '0.0.1', timeMs: 0, host: 'a', daemon: { uid: 5001, gid: 5002 } }),
    );
    const machine = createMachine(t);
    mkdirSync(machine.data);
    chownSync(machine.data, 6001, 6002);
    const database = path.join(createTemporaryDirectory(t), 'penstock.db');
    openStore(database, []).close();
    const root = { uid: 0, gid: 0, mode: 0o755, mtimeSeconds: 0, target: '', sizeBytes: 0 };
    const daemon = { ...root, uid: 5001, gid: 5002 };
    const items = [
      { entry: { ...root, name: 'manifest.json', type: 'FILE' }, content },
      { entry: { ...root, name: 'configuration', gid: 5002, type: 'DIRECTORY' } },
      {
        entry: { ...root, name: 'configuration/penstock.yaml', type: 'FILE' },
        content: Buffer.from('dataDirectory: ../data\n'),
      },
      { entry: { ...daemon, name: 'configuration/server.key', type: 'FILE' }, content: Buffer.from('key') },
      { entry: { ...daemon, name: 'data', type: 'DIRECTORY' } },
      { entry: { ...daemon, name: 'data/penstock.db', type: 'FILE' }, content: readFileSync(database) },
    ] as const;
    const whole = items.map((item) =>
      'content' in item
        ? { entry: { ...item.entry, sizeBytes: item.content.length }, content: item.content }
        : item,
    );
    const file = path.join(createTemporaryDirectory(t), 'other.age');
    writeFileSync(file, await buffer(encryptWithPassphrase(writeTar(whole, new LeftOutList()), PASSPHRASE)));
    const outcome = await restore(t, machine, file);
    assert.equal(outcome.status, 0, outcome.errors);
    const ownerOf = (name: string): readonly number[] => {
      const { uid, gid } = statSync(path.join(path.dirname(machine.data), name));
      return [uid, gid];
    };
    assert.deepEqual(ownerOf('configuration'), [0, 6002]);
    assert.deepEqual(ownerOf('configuration/penstock.yaml'), [0, 0]);
    assert.deepEqual(ownerOf('configuration/server.key'), [6001, 6002]);
    assert.deepEqual(ownerOf('data/penstock.db'), [6001, 6002]);
  },
);

test('backup says what is wrong and leaves the file as it was', async (t) => {
  const machine = createMachine(t);
  mkdirSync(machine.configuration);
  writeFileSync(machine.configFile, 'dataDirectory: ../data\n');
  mkdirSync(machine.data);
  chmodSync(machine.data, 0o700);
  const file = path.join(path.dirname(machine.data), 'gateway.age');
  writeFileSync(file, 'an earlier one');
  const down = await backUp(t, machine, file);
  assert.equal(down.status, 3, down.errors);
  assert.equal(readFileSync(file, 'utf8'), 'an earlier one');
  const inside = await backUp(t, machine, path.join(machine.data, 'gateway.age'));
  assert.equal(inside.status, 2, inside.errors);
  assert.equal((await runCommand(t, ['backup'])).status, 2);
  assert.equal((await runCommand(t, ['restore', 'a', '--resume'])).status, 2);
});

test('a backup or restore that is interrupted leaves nothing behind', async (t) => {
  const { machine, gateway, file } = await startBackedUp(t);
  const another = path.join(path.dirname(file), 'another.age');
  const started = startCommand(t, describeBackup(t, machine, another));
  await awaitFile(`${another}.tmp`, started.ended);
  started.process.kill('SIGINT');
  assert.equal(await started.ended, 1);
  assert.match(started.errors(), /nothing was written/);
  assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
  assert.ok(!existsSync(path.join(machine.data, 'penstock.db.copy')));
  await gateway.stop();

  const other = createMachine(t);
  const waiting = `${other.configuration}.restoring`;
  const restoring = startCommand(t, describeRestore(t, other, file));
  await awaitFile(waiting, restoring.ended);
  restoring.process.kill('SIGINT');
  await restoring.ended;
  // It may have come too late; then everything is there.
  const names = readdirSync(path.dirname(other.data));
  assert.deepEqual(names, existsSync(other.configFile) ? ['configuration', 'data'] : []);
});

test('a restore that is killed leaves the gateway as it was, and the next one does it all', async (t) => {
  const { machine, gateway, file } = await startBackedUp(t);
  await gateway.stop();
  writeFileSync(path.join(machine.configuration, 'tls/later.txt'), 'made after the backup');
  const before = listContent(machine);
  const parameters = ['restore', file, '--replace', '--config', machine.configFile];
  const killed = startCommand(t, [...parameters, '--password-file', writePassphrase(t)]);
  await awaitFile(`${machine.configuration}.restoring`, killed.ended);
  killed.process.kill('SIGKILL');
  await killed.ended;
  const isDecided = existsSync(`${machine.configuration}.restore`);
  if (!isDecided) assert.deepEqual(listContent(machine), before);
  const resumed = await runCommand(t, ['restore', '--resume', '--config', machine.configFile]);
  assert.equal(resumed.status, 0, resumed.errors);
  assert.equal(existsSync(path.join(machine.configuration, 'tls/later.txt')), !isDecided);
  const again = await restore(t, machine, file, ['--replace']);
  assert.equal(again.status, 0, again.errors);
  assert.deepEqual(readdirSync(path.dirname(machine.data)).toSorted(), ['configuration', 'data']);
});

test('a restore onto a full disk changes nothing', WITH_MOUNTS, async (t) => {
  const { file } = await startBackedUp(t);
  const folder = createTemporaryDirectory(t);
  const configuration = path.join(folder, 'small/configuration');
  mkdirSync(path.join(folder, 'small'));
  const script = `mount -t tmpfs -o size=64k none ${folder}/small && ${[process.execPath, CLI, 'restore', file].join(' ')} \
    --config ${configuration}/penstock.yaml --password-file ${writePassphrase(t)}; echo $?; ls -A ${folder}/small`;
  const run = spawnSync('unshare', ['--mount', 'sh', '-c', script], { encoding: 'utf8' });
  assert.equal(run.stdout, '1\n', run.stderr);
  assert.match(run.stderr, /the disk is full/);
});

/** Waits until there is a file, or the command has ended. */
async function awaitFile(file: string, ended: Promise<unknown>): Promise<void> {
  const changes = watch(path.dirname(file), { persistent: false });
  const isOver = ended.then(() => true);
  const hasChanged = (): Promise<boolean> => once(changes, 'change').then(() => false);
  try {
    for (;;) if (existsSync(file) || (await Promise.race([hasChanged(), isOver]))) return;
  } finally {
    changes.close();
  }
}
