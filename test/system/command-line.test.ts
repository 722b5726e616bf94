import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { startPymodbusServer } from '../support/pymodbus-server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';
import { findProgram } from '../support/programs.ts';

const AT_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
const CLI = findProgram('daemon/cli/main');

interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly notes: string;
}

/** Runs `penstock` on the socket of a gateway; the input is typed text. */
async function penstock(gateway: RunningGateway, words: readonly string[], input = ''): Promise<Outcome> {
  const environment = {
    PATH: process.env['PATH'],
    PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock'),
  };
  const child = spawn(process.execPath, [CLI, ...words], { env: environment });
  let output = '';
  let notes = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  child.stdin.end(input);
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output, notes };
}

async function start(t: Owner): Promise<RunningGateway> {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const address = (offset: number, dataType: string) => ({
    unitId: 1,
    table: 'HOLDING_REGISTERS',
    offset,
    dataType,
  });
  return startGateway(t, {
    config: {
      provision: {
        drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
        assets: [
          {
            pid: 'pump',
            driver: 'line',
            channels: [
              { name: 'level', type: 'READ_WRITE', valueType: 'LONG', address: address(0, 'INT64') },
              { name: 'absent', type: 'READ', valueType: 'INTEGER', address: address(60_000, 'INT16') },
            ],
          },
        ],
      },
    },
  });
}

test('the command line over the local socket', needs('libmodbus'), async (t) => {
  const gateway = await start(t);

  await t.test('the socket in the data directory is for its owner alone', () => {
    assert.equal(statSync(path.join(gateway.dataDirectory, 'penstock.sock')).mode & 0o777, 0o600);
  });

  await t.test('status shows the assets', async () => {
    const { status, output } = await penstock(gateway, ['status']);
    assert.equal(status, 0);
    assert.match(output, /^pump +line +127\.0\.0\.1:\d+ +DISCONNECTED/m);
  });

  await t.test('a value of 64 bits keeps every digit on its way in and out', async () => {
    const written = await penstock(gateway, ['asset', 'write', 'pump', 'level=9007199254740993']);
    assert.equal(written.status, 0, written.notes);
    const shown = await penstock(gateway, ['asset', 'read', 'pump', 'level']);
    assert.match(shown.output, /^level +9007199254740993 /m);
    const json = await penstock(gateway, ['asset', 'read', 'pump', 'level', '--json']);
    assert.match(json.output, /"value": 9007199254740993,/);
  });

  await t.test('a channel that fails ends with exit status 5 and its reason', async () => {
    const { status, output, notes } = await penstock(gateway, ['asset', 'read', 'pump']);
    assert.equal(status, 5);
    assert.match(output, /absent .*ILLEGAL DATA ADDRESS/i);
    assert.match(notes, /1 of 2 channels failed/);
  });

  await t.test('status names a channel that fails although its device answers, with the reason', async () => {
    const { status, output } = await penstock(gateway, ['status']);
    assert.equal(status, 0);
    assert.match(output, /^ASSET +FAILING CHANNEL +SINCE +REASON$/m);
    assert.match(output, /^pump +absent .*ILLEGAL DATA ADDRESS$/m);
  });

  await t.test('an identity is created, changed, given another password and deleted', async () => {
    const create = [
      'identity',
      'create',
      'scada',
      '--permission',
      'rest.assets',
      '--password',
      '--change-needed',
    ];
    assert.equal((await penstock(gateway, create, 'a long password 1\n')).status, 0);
    const update = [
      'identity',
      'update',
      'scada',
      '--permission',
      'rest.assets',
      '--permission',
      'rest.events',
    ];
    await penstock(gateway, update);
    const { output } = await penstock(gateway, ['identity', 'list']);
    assert.match(output, /^scada +set +needed +rest\.assets rest\.events$/m);
    const reset = await penstock(gateway, ['identity', 'reset-password', 'scada'], 'another password 2\n');
    assert.equal(reset.status, 0, reset.notes);
    const factor = (...words: readonly string[]) =>
      penstock(gateway, ['identity', 'second-factor', 'scada', ...words]);
    assert.match((await factor('--require')).output, /^NAME .*FACTOR .*\nscada .* required /);
    assert.doesNotMatch((await factor('--optional', '--reset')).output, /FACTOR|required/);
    assert.equal((await factor()).status, 2);
    assert.equal((await factor('--require', '--optional')).status, 2);
    assert.equal((await penstock(gateway, ['identity', 'delete', 'scada'])).status, 0);
    const gone = await penstock(gateway, ['identity', 'show', 'scada']);
    assert.equal(gone.status, 1);
    assert.match(gone.notes, /unknown identity/);
  });

  await t.test('an identity is given rights on channels, which are shown and taken again', async () => {
    const identity = (...words: readonly string[]) => penstock(gateway, ['identity', ...words]);
    const created = await identity(
      'create',
      'operator',
      '--grant',
      'READ:line1-*',
      '--grant',
      'read:pump/level',
    );
    assert.equal(created.status, 0, created.notes);
    const place = ['--asset', 'pump', '--channel', 'l*', '--operation', 'READ', '--operation', 'write'];
    const time = ['--until', '2001-01-01T00:00:00Z', '--reason', 'permit 4711'];
    const given = await identity('grant', 'operator', ...place, ...time);
    assert.equal(given.status, 0, given.notes);
    assert.match(given.notes, /has already expired/);
    const { output } = await identity('show', 'operator');
    assert.match(output, /^operator +none +3$/m);
    assert.match(output, /^1 +READ +line1-\* +all/m);
    assert.match(output, /^3 +READ,WRITE +pump +l\* +2001-01-01T00:00:00Z \(expired\) +permit 4711$/m);
    const refused = await identity('grant', 'operator', '--asset', 'pump/level');
    assert.equal(refused.status, 2);
    assert.match(refused.notes, /--asset: expected a pattern/);
    for (const words of [['4'], ['0'], ['first'], []]) {
      assert.equal((await identity('revoke', 'operator', ...words)).status, 2, words.join(' '));
    }
    assert.doesNotMatch((await identity('revoke', 'operator', '--ended')).output, /permit/);
    assert.match((await identity('revoke', 'operator', '1')).output, /^1 +READ +pump +level$/m);
    assert.equal(
      (await identity('revoke', 'operator', '--all', '--json')).output.includes('"grants": []'),
      true,
    );
    assert.equal((await identity('grant', 'operator')).status, 2);
    await identity('delete', 'operator');
  });

  await t.test(
    'the password of the last administrator can be set again without the previous one',
    async () => {
      const { status, notes } = await penstock(
        gateway,
        ['identity', 'reset-password', 'admin'],
        'rescued password 3\n',
      );
      assert.equal(status, 0, notes);
    },
  );

  await t.test('audit lists the actions of the command line', async () => {
    const { status, output } = await penstock(gateway, ['audit', 'list', '--event', 'IDENTITY_REMOVED']);
    assert.equal(status, 0);
    assert.match(output, /IDENTITY_REMOVED +SUCCESS +\(local\) +local +local/);
  });

  await t.test('audit list gives ids, by which the next page is asked for', async () => {
    const first = await penstock(gateway, ['audit', 'list', '--limit', '1']);
    const [, id = ''] = /^(\d+) /m.exec(first.output) ?? [];
    const next = await penstock(gateway, ['audit', 'list', '--limit', '1', '--before', id]);
    assert.match(next.output, new RegExp(`^${Number(id) - 1} `, 'm'));
  });

  await t.test('config snapshots shows who made each of them', async () => {
    await penstock(gateway, ['config', 'set', 'rest.sessionInactivityIntervalSeconds', '902', '--yes']);
    const { output } = await penstock(gateway, ['config', 'snapshots']);
    assert.match(output, /^SNAPSHOT +MADE +BY *\n\d+ +\S+ \S+ +\(local\)/);
  });

  await t.test('audit list shows old and new values on request', async () => {
    await penstock(gateway, ['config', 'set', 'rest.sessionInactivityIntervalSeconds', '901', '--yes']);
    const listed = ['audit', 'list', '--event', 'CONFIGURATION_CHANGED', '--limit', '1'];
    const { output } = await penstock(gateway, [...listed, '--values']);
    assert.match(output, /^ {4}rest\/sessionInactivityIntervalSeconds: 902 -> 901$/m);
    const plain = await penstock(gateway, listed);
    assert.ok(!plain.output.includes('901'), plain.output);
  });

  await t.test('doctor names each problem and its remedy, and ends with 1 only then', async () => {
    await penstock(gateway, ['asset', 'read', 'pump', 'level']);
    // Of its channels one has a register that the device does not have.
    const found = await penstock(gateway, ['doctor', '--config', gateway.configFile]);
    assert.equal(found.status, 1, found.output);
    const wrong = found.output.split('\n').filter((line) => line.includes(' WRONG '));
    assert.equal(wrong.length, 1, found.output);
    assert.match(String(wrong), /^asset pump +WRONG +channel absent: .* penstock channel set pump absent/);
    await penstock(gateway, ['channel', 'set', 'pump', 'absent', '--isEnabled', 'false', '--yes']);
    const good = await penstock(gateway, ['doctor', '--config', gateway.configFile]);
    assert.equal(good.status, 0, good.output);
    assert.match(good.output, /^asset pump +GOOD/m);
    const bad = await penstock(gateway, ['doctor', '--config', '/nonexistent/penstock.yaml']);
    assert.equal(bad.status, 1);
    assert.match(bad.output, /^configuration +WRONG .*penstockd --check-config/m);
  });

  await t.test('events prints events until it is stopped', async () => {
    const socket = path.join(gateway.dataDirectory, 'penstock.sock');
    const child = spawn(process.execPath, [CLI, 'events', '--socket', socket], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child.stderr, 'data');
    const printed = once(child.stdout, 'data') as Promise<[Buffer]>;
    await penstock(gateway, ['config', 'set', 'banners.preLogin.message', 'hello']);
    assert.match(
      String((await printed)[0]),
      /^\d{4}-\d\d-\d\d [\d:]{8} {2}CONFIGURATION_CHANGED {2}snapshot \d+$/m,
    );
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  await t.test('wrong usage is told apart from failure', async () => {
    for (const words of [
      ['asset'],
      ['asset', 'write', 'pump'],
      ['asset', 'write', 'pump', 'level'],
      ['asset', 'show', 'pump', 'extra'],
      ['identity', 'create', 'x', '--nonsense'],
      ['status', '--url', 'ftp://x'],
      ['status', '--cert', 'x'],
    ]) {
      const { status, notes } = await penstock(gateway, words);
      assert.equal(status, 2, words.join(' '));
      assert.match(notes, /Usage/);
    }
    assert.equal((await penstock(gateway, ['asset', 'show', 'nothing'])).status, 1);
  });

  await t.test('every use is in the audit log', async () => {
    await gateway.stop();
    const uses = gateway.lines.filter(({ event, method }) => event === 'audit' && method === 'local');
    const events = new Set(uses.map(({ auditEvent }) => auditEvent));
    for (const name of ['LOCAL_ACCESS', 'CHANNEL_WRITE', 'IDENTITY_CREATED', 'IDENTITY_REMOVED']) {
      assert.ok(events.has(name), name);
    }
  });
});

test('a change that cuts clients off is shown and asks first; without a terminal it needs --yes', async (t) => {
  const rest = { basicAuthenticationEnabled: true };
  const gateway = await startGateway(t, { config: { provision: { rest } } });
  const file = path.join(createTemporaryDirectory(t), 'rest.yaml');
  writeFileSync(file, '{ allowedPorts: [4443] }');
  const change = ['config', 'replace', file, 'rest'];
  const getRest = async (): Promise<unknown> =>
    JSON.parse((await penstock(gateway, ['config', 'get', 'rest', '--json'])).output);

  const refused = await penstock(gateway, change);
  assert.equal(refused.status, 1);
  assert.match(
    refused.notes,
    /^clients lose access: HTTP Basic authentication\nclients lose access: every port except 4443\n/m,
  );
  assert.match(refused.notes, /nothing was changed; repeat with --yes/);
  assert.deepEqual(await getRest(), rest);

  assert.equal((await penstock(gateway, [...change, '--confirm-within', '60'])).status, 0);
  assert.deepEqual(await getRest(), { allowedPorts: [4443] });
  assert.equal((await penstock(gateway, ['config', 'confirm', '1'])).status, 1);
  assert.equal((await penstock(gateway, ['config', 'confirm'])).status, 0);

  writeFileSync(file, '{ allowedPorts: [443] }');
  assert.equal((await penstock(gateway, [...change, '--yes'])).status, 0);
  assert.deepEqual(await getRest(), { allowedPorts: [443] });
});

/** Runs `penstock` at a terminal, and gives this answer to the question. */
async function answerAtTerminal(
  words: readonly string[],
  answer: string,
): Promise<{ readonly status: number; readonly output: string }> {
  const child = spawn(programOf('python3'), ['-c', AT_TERMINAL, process.execPath, CLI, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm' },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const wasAsked = output.includes('[y/N]');
    output += chunk.toString();
    if (!wasAsked && output.includes('[y/N]')) child.stdin.write(`${answer}\r`);
  });
  const [status] = (await once(child, 'exit')) as [number];
  return { status, output };
}

test('at a terminal a change that cuts clients off waits for an answer', needs('python3'), async (t) => {
  const gateway = await startGateway(t, {
    config: { provision: { rest: { basicAuthenticationEnabled: true } } },
  });
  const file = path.join(createTemporaryDirectory(t), 'rest.yaml');
  writeFileSync(file, '{}');
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  for (const [answer, expected] of [
    ['n', 1],
    ['', 1],
    ['y', 0],
  ] as const) {
    const words = ['config', 'replace', file, 'rest', '--socket', socket];
    const { status, output } = await answerAtTerminal(words, answer);
    assert.match(output, /clients lose access: HTTP Basic authentication/);
    assert.equal(status, expected, output);
  }
});

test(
  'at a terminal a change that restarts a connection waits for an answer, in colour unless that is unwanted',
  needs('python3'),
  async (t) => {
    const driver = { pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 1 };
    const gateway = await startGateway(t, { config: { provision: { drivers: [driver] } } });
    const socket = path.join(gateway.dataDirectory, 'penstock.sock');
    const words = ['driver', 'set', 'plc', '--port', '2', '--socket', socket];
    const refused = await answerAtTerminal(words, 'n');
    assert.equal(refused.status, 1);
    assert.ok(refused.output.includes('\u001B[33mrestarts the connection plc\u001B[0m'), refused.output);
    const made = await answerAtTerminal([...words, '--no-colour'], 'y');
    assert.equal(made.status, 0, made.output);
    assert.match(made.output, /^restarted the connection plc\r?$/m);
  },
);

test('a command is one event of the audit log that names it, and none when it only asks for a state', async (t) => {
  const gateway = await startGateway(t);
  const file = path.join(createTemporaryDirectory(t), 'banners.yaml');
  writeFileSync(file, '{ preLogin: { enabled: true, message: hello } }');
  const authority = path.join(path.dirname(file), 'ca');
  const commands = [
    ['status'],
    ['config', 'get'],
    ['config', 'replace', file, 'banners'],
    ['identity', 'create', 'scada'],
    ['identity', 'list'],
    ['driver', 'list'],
    ['audit', 'verify'],
    ['completion', 'words', '--', 'identity', 'show', ''],
    ['completion', 'words', '--', 'driver', 'show', ''],
    ['asset', 'read', 'nothing'],
    ['certificate', 'init', '--authority', authority],
    ['certificate', 'issue', 'scada', '--authority', authority, '--output', path.dirname(file)],
  ];
  for (const words of commands) await penstock(gateway, words);
  await gateway.stop();
  const events = gateway.lines
    .filter(({ event, method }) => event === 'audit' && method === 'local')
    .map(({ auditEvent, outcome, detail }) =>
      [auditEvent, outcome, (detail as { command?: string } | undefined)?.command].join(' '),
    );
  assert.deepEqual(events, [
    'CONFIGURATION_CHANGED SUCCESS config replace',
    'IDENTITY_CREATED SUCCESS identity create',
    'LOCAL_ACCESS SUCCESS audit verify',
    'LOCAL_ACCESS FAILURE asset read',
    'CERTIFICATE_ISSUED SUCCESS certificate init',
    'CERTIFICATE_ISSUED SUCCESS certificate issue',
  ]);
});

test(
  'over the network the command line needs credentials, and names the missing ones',
  needs('libmodbus'),
  async (t) => {
    const gateway = await startGateway(t);
    const url = `https://localhost:${gateway.httpsPorts[0]}`;
    const untrusted = await penstock(gateway, ['status', '--url', url]);
    assert.equal(untrusted.status, 3);
    assert.match(untrusted.notes, /--ca/);
    const ca = path.join(gateway.dataDirectory, 'tls', 'server.crt');
    const nobody = await penstock(gateway, ['status', '--url', url, '--ca', ca]);
    assert.equal(nobody.status, 4, nobody.notes);
  },
);

test('without a gateway the command line names the socket that it tried', async (t) => {
  const gateway = { dataDirectory: createTemporaryDirectory(t) } as RunningGateway;
  const { status, notes } = await penstock(gateway, ['status']);
  assert.equal(status, 3);
  assert.match(notes, /penstock\.sock.*systemctl status penstock/);
});

test('status and doctor name an address that alone is silent', needs('pymodbus'), async (t) => {
  const device = await startPymodbusServer('tcp', 'ignoring');
  t.after(() => device.close());
  const channels = [37, 500].map((offset) => ({
    name: `register${offset}`,
    type: 'READ',
    valueType: 'INTEGER',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
  }));
  const line = { pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port, responseTimeoutMs: 200 };
  const gateway = await startGateway(t, {
    config: { provision: { drivers: [line], assets: [{ pid: 'pump', driver: 'line', channels }] } },
  });
  for (let round = 0; round < 3; round += 1) await penstock(gateway, ['asset', 'read', 'pump']);
  const { output } = await penstock(gateway, ['status']);
  assert.match(output, /^pump +unit 1 HOLDING_REGISTERS 37 +2\d{3}-/m);
  assert.ok(
    output.split('\n').every(({ length }) => length <= 80),
    output,
  );
  const found = await penstock(gateway, ['doctor', '--config', gateway.configFile]);
  assert.equal(found.status, 1);
  assert.match(found.output, /^asset pump +WRONG +unit 1 HOLDING_REGISTERS 37 does not respond/m);
});

test(
  'doctor and a dry run warn of several drivers for one device, and end with 0 all the same',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' };
    const channels = [{ name: 'level', type: 'READ', valueType: 'INTEGER', address }];
    const gateway = await startGateway(t, {
      config: {
        provision: {
          drivers: ['first', 'second'].map((pid) => ({
            pid,
            type: 'modbus',
            host: '127.0.0.1',
            port: device.port,
          })),
          assets: ['first', 'second'].map((pid) => ({ pid: `pump-${pid}`, driver: pid, channels })),
        },
      },
    });
    for (const pid of ['pump-first', 'pump-second']) await penstock(gateway, ['asset', 'read', pid]);
    const warning = `the drivers first, second all use 127.0.0.1:${device.port}`;
    const found = await penstock(gateway, ['doctor', '--config', gateway.configFile]);
    assert.equal(found.status, 0, found.output);
    assert.match(found.output, new RegExp(`^devices +WARNING +${warning}`, 'm'));
    const file = path.join(gateway.directory, 'third.json');
    writeFileSync(file, JSON.stringify({ type: 'modbus', host: '127.0.0.1', port: device.port }));
    const dryRun = await penstock(gateway, ['config', 'replace', file, 'drivers', 'third', '--dry-run']);
    assert.equal(dryRun.status, 0, dryRun.notes);
    assert.match(dryRun.output, /the drivers first, second, third all use 127\.0\.0\.1:/);
  },
);
