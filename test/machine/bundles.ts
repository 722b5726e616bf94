import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { buildPackage } from '../support/package-builder.ts';
import type { BundleDescription } from '../support/package-builder.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { describeMissing, programOf } from '../support/tools.ts';
import { bootContainer, findObstacle } from './container.ts';
import type { Container } from './container.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

/** Tells what it sees of the machine, one line per question. */
const LOOK = `
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
export async function activate({ bundle, logger }) {
  const questions = {
    user: () => process.getuid(),
    data: () => { fs.appendFileSync(bundle.dataDirectory + '/starts', '.'); return fs.readFileSync(bundle.dataDirectory + '/starts', 'utf8'); },
    device: () => { const fd = fs.openSync('/dev/penstock-test', 'r+'); return fs.readSync(fd, Buffer.alloc(3)); },
    shell: () => execFileSync('/bin/sh', ['-c', SHELL], { stdio: ['ignore', 'pipe', 'pipe'] }).toString(),
    loopback: () => new Promise((resolve) => {
      const socket = net.connect(443, '127.0.0.1', () => { socket.destroy(); resolve('connected'); });
      socket.on('error', (error) => resolve(error.code));
    }),
  };
  for (const [question, ask] of Object.entries(questions)) {
    let answer;
    try { answer = await ask(); } catch (error) { answer = error.code ?? error.message; }
    logger.info(question, { answer: String(answer) });
  }
}
const SHELL = \`
  for pid in $(seq 1 2000); do test -e /proc/$pid || { kill -USR1 $pid 2>/dev/null && echo signalled:$pid; }; done
  ls /proc | grep -c '^[0-9]' | sed 's/^/processes:/'
  ls /run /var/lib | tr '\\\\n' ' '
  cat /etc/penstock/penstock.yaml /var/lib/penstock/penstock.db 2>&1 | grep -c . | sed 's/^/secrets:/'
  touch /etc/x /usr/x /tmp/x /var/tmp/x /dev/shm/x 2>/dev/null; ls /etc/x /usr/x /tmp/x /var/tmp/x 2>/dev/null
  grep -h -e CapBnd -e NoNewPrivs -e Seccomp: /proc/self/status | tr -d '\\\\n\\\\t '\`;
`;

const SPIN = 'export function activate() { setTimeout(() => { for (;;); }, 6000); }';

/** Takes resident memory beside the heap, a little at a time. */
const LEAK = `const kept = [];
export function activate() { setInterval(() => kept.push(Buffer.alloc(8e6, 1)), 200); }`;

/** Makes its data as hard to remove as an ordinary user can. */
const STUBBORN = `
import fs from 'node:fs';
export function activate({ bundle }) {
  const locked = bundle.dataDirectory + '/locked';
  if (fs.existsSync(locked)) return;
  fs.mkdirSync(locked + '/in', { recursive: true });
  fs.writeFileSync(locked + '/in/file', '');
  fs.chmodSync(locked, 0);
}`;

/** Writes until it may write no more, tells so, deletes everything, and writes again. */
const FILL = `
import fs from 'node:fs';
export function activate({ bundle, logger }) {
  let number = 0;
  setInterval(() => {
    try {
      fs.writeFileSync(bundle.dataDirectory + '/' + number, Buffer.alloc(4e6));
      number += 1;
      if (number === 1) logger.info('writes');
    } catch (error) {
      logger.info('refused', { answer: error.code });
      for (const file of fs.readdirSync(bundle.dataDirectory)) fs.rmSync(bundle.dataDirectory + '/' + file);
      number = 0;
    }
  }, 150);
}`;

/** Writes into a deleted file that it keeps open, which no directory shows. */
const HIDE = `
import fs from 'node:fs';
export function activate({ bundle }) {
  const open = [];
  const write = () => {
    const file = bundle.dataDirectory + '/hidden';
    const descriptor = fs.openSync(file, 'w');
    fs.rmSync(file);
    open.push(descriptor);
    fs.writeSync(descriptor, Buffer.alloc(60e6));
  };
  // After the time in which an installation would be taken back.
  setTimeout(() => setInterval(write, 20), 6000);
  process.on('uncaughtException', () => undefined);
}`;

/** Reports that the host "ignition" is online. */
const REPORT_HOST = `
import { connectAsync } from 'mqtt';
const client = await connectAsync('mqtt://127.0.0.1:1883');
const state = JSON.stringify({ online: true, timestamp: Date.now() });
await client.publishAsync('spBv1.0/STATE/ignition', state, { qos: 1, retain: true });
await client.endAsync();`;

/** A tag sheet with one channel. */
const SHEET = `name,type,valueType,address.table,address.offset,address.dataType
flow,READ,INTEGER,HOLDING_REGISTERS,0,UINT16
`;

async function installBundle(
  container: Container,
  name: string,
  bundle: Pick<BundleDescription, 'main' | 'permissions' | 'headers'>,
): Promise<string> {
  const bundles = [{ symbolicName: `org.example.${name}`, ...bundle }];
  await writeFile(
    path.join(container.shared, `${name}.dp`),
    buildPackage({ symbolicName: `test.${name}`, bundles }),
  );
  return container.shell(`penstock package install ${name}.dp`);
}

/** Returns what a bundle of `LOOK` told last, by question. */
async function readAnswers(container: Container, name: string): Promise<Readonly<Record<string, string>>> {
  const text = await container.shell('journalctl -u penstock.service -o cat --no-pager');
  const entries = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ event, bundle }) => event === 'bundle.logged' && bundle === `org.example.${name}`)
    .map(({ message, fields }) => [message, fields?.answer ?? '']);
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

interface LogLine {
  readonly event: string;
  readonly bundle?: string;
  readonly message: string;
  readonly fields?: { readonly answer?: string };
}

/** Sends a request to the launcher as a user; returns its first answer, or why there is none. */
function askLauncher(container: Container, user: string, request: readonly string[]): Promise<string> {
  const program = `
    const socket = require('node:net').connect('/run/penstock-launcher.sock');
    socket.on('error', (error) => { console.log(error.code); process.exit(); });
    socket.on('data', (text) => { console.log(String(text).split('\\n')[0]); process.exit(); });
    socket.on('close', () => process.exit());
    socket.write(${JSON.stringify(`${request.join('\n')}\nend\n`)});`;
  const run = `setpriv --reuid=${user} --regid=$(id -g ${user}) --clear-groups /usr/lib/penstock/bin/node`;
  return container.shell(`${run} -e '${program.replaceAll("'", String.raw`'\''`)}'`);
}

/** Returns the commands with which a page sets a sender up. */
async function readCommands(page: string): Promise<readonly string[]> {
  const text = await readFile(path.join(import.meta.dirname, '../../docs/how-to', page), 'utf8');
  const [, typed = ''] = /^## Set it up\n[^]*?```sh\n([^]*?)^```/m.exec(text) ?? [];
  return typed.split('\n').filter((command) => command.startsWith('penstock '));
}

test('bundles are walled off from the gateway and from each other', options, async (t) => {
  const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
  const container = await bootContainer(t);
  await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
  await container.shell(`
    ${APT} install ./penstock.deb
    mknod /dev/penstock-test c 1 5; chgrp dialout /dev/penstock-test; chmod 660 /dev/penstock-test
    mknod /dev/penstock-private c 1 5; chmod 600 /dev/penstock-private
    mknod /dev/penstock-block b 7 9 || true`);
  const mainPid = async (): Promise<string> =>
    (await container.shell('systemctl show -P MainPID penstock.service')).trim();
  const awaitBundles = (condition: string): Promise<string> =>
    container.shell(`for try in $(seq 600); do
      penstock bundle list --json >list; if ${condition}; then cat list; exit 0; fi; sleep 0.2
    done; cat list; journalctl -u penstock.service -o cat --no-pager -n 20; exit 1`);

  await t.test('a bundle without permissions runs as a user of its own and reaches nothing', async () => {
    await installBundle(container, 'plain', { main: LOOK });
    const { user = '', device, shell, loopback } = await readAnswers(container, 'plain');
    const daemon = (await container.shell('id -u penstock')).trim();
    assert.ok(Number(user) >= 61_184 && Number(user) <= 65_519, user);
    assert.notEqual(user, daemon);
    assert.deepEqual(
      { device, shell, loopback },
      { device: 'ERR_ACCESS_DENIED', shell: 'ERR_ACCESS_DENIED', loopback: 'EACCES' },
    );
  });

  await t.test('a bundle with every permission is still walled off by the kernel', async () => {
    const permissions = 'net, child-process, device=/dev/penstock-test';
    await installBundle(container, 'allowed', { main: LOOK, permissions });
    const daemon = await mainPid();
    const { user, device, shell = '', loopback } = await readAnswers(container, 'allowed');
    assert.notEqual(user, (await readAnswers(container, 'plain'))['user']);
    assert.deepEqual({ device, loopback }, { device: '3', loopback: 'connected' });
    // All but its own processes, which are the only ones that it sees.
    assert.doesNotMatch(shell, /signalled/);
    assert.match(shell, /^processes:[1-6]$/m);
    assert.match(shell, /^\/run: penstock-bundle systemd {2}\/var\/lib: penstock-bundles private /m);
    assert.match(shell, / secrets:[12]$/m);
    assert.doesNotMatch(shell, /\/(?:etc|usr|tmp)\/x/);
    assert.match(shell, /CapBnd:0{16}NoNewPrivs:1Seccomp:2/);
    assert.equal(await mainPid(), daemon);
    assert.equal(
      (await container.run('grep -q 00000000:23F1 /proc/net/tcp || ss -ltn | grep 9229')).status,
      1,
    );
  });

  await t.test('the network of a bundle without "net" is not that of the gateway', async () => {
    const output = await container.shell(`
      for name in plain allowed; do
        readlink /proc/$(systemctl show -P MainPID penstock-bundle@org.example.$name.service)/ns/net
      done; readlink /proc/${await mainPid()}/ns/net`);
    const [plain, allowed, daemon] = output.trim().split('\n');
    assert.notEqual(plain, daemon);
    assert.equal(allowed, daemon);
  });

  // Weights are compared among the groups of one slice only.
  await t.test('a bundle gives way to the gateway where processor and storage are short', async () => {
    const show = 'systemctl show -P Slice -P CPUWeight -P IOWeight --value';
    const [bundle, daemon] = (
      await container.shell(`
        ${show} penstock-bundle@org.example.plain.service | paste -sd' '
        ${show} penstock.service | paste -sd' '`)
    )
      .trim()
      .split('\n');
    assert.deepEqual([bundle, daemon], ['system.slice 1 1', 'system.slice 100 100']);
  });

  await t.test('the daemon is killed: its bundles end with it, and come back with their data', async () => {
    const before = await container.shell(
      'systemctl show -P MainPID penstock-bundle@org.example.plain.service',
    );
    await container.shell(`kill -9 ${await mainPid()}
      for try in $(seq 100); do test -e /proc/${before.trim()} || exit 0; sleep 0.1; done; exit 1`);
    await awaitBundles('test "$(grep -c ACTIVE list)" = 2');
    assert.equal((await readAnswers(container, 'plain'))['data'], '..');
  });

  await t.test('the service is stopped: no bundle, launcher or user of a bundle is left', async () => {
    await container.shell('systemctl stop penstock.socket penstock.service');
    const left = await container.shell(
      "systemctl list-units --no-legend --plain 'penstock-bundle@*' 'penstock-launcher@*'; ps -eo args= | grep '[b]undle/runner' || true",
    );
    assert.equal(left, '');
    await container.shell('systemctl start penstock.socket penstock.service');
    await awaitBundles('test "$(grep -c ACTIVE list)" = 2');
  });

  await t.test('a bundle that spins or leaks is ended, with the reason', async () => {
    await installBundle(container, 'spin', { main: SPIN });
    await installBundle(container, 'leak', { main: LEAK });
    await awaitBundles('grep -q "did not respond" list || grep -q "more memory" list');
    const journal = (): Promise<string> =>
      container.shell('journalctl -u penstock.service -o cat --no-pager | grep bundle.exited || true');
    for (let tries = 0; tries < 60 && !/UNRESPONSIVE/.test(await journal()); tries += 1) {
      await container.shell('sleep 1');
    }
    assert.match(await journal(), /org\.example\.spin".*BUNDLE_UNRESPONSIVE/);
    assert.match(await journal(), /org\.example\.leak".*BUNDLE_MEMORY_EXCEEDED/);
    await container.shell('penstock package remove test.spin; penstock package remove test.leak');
  });

  await t.test('a bundle that fills its storage is told so, and may go on after it has deleted', async () => {
    await installBundle(container, 'fill', { main: FILL });
    const told = "journalctl -u penstock.service -o cat --no-pager | grep org.example.fill | grep '";
    await container.shell(`
      for try in $(seq 300); do
        ${told}"answer":"EFBIG"' >/dev/null && ${told}storageFree' >/dev/null && exit 0; sleep 0.2
      done; ${told}"' | tail; exit 1`);
    await installBundle(container, 'hide', { main: HIDE });
    // One that is measured in the middle of its writes can write no more, instead of being stopped.
    const filled = told.replace('org.example.fill', 'org.example.hide');
    await awaitBundles(`grep -q "stores more than" list || ${filled}storageFilled' >/dev/null`);
    await container.shell('penstock package remove test.fill; penstock package remove test.hide');
  });

  await t.test('what a bundle has stored is removed with it, however it was locked', async () => {
    await installBundle(container, 'stubborn', { main: STUBBORN });
    await container.shell(`test -d /var/lib/private/penstock-bundles/org.example.stubborn/locked
      penstock package remove test.stubborn`);
    const left = await container.shell(
      'ls -d /var/lib/private/penstock-bundles/*stubborn* /var/lib/penstock-bundles/*stubborn* /run/systemd/system/*stubborn* 2>/dev/null || true',
    );
    assert.equal(left, '');
  });

  await t.test('a bundle has the memory that its manifest requests, and no other gets more', async () => {
    const headers = { 'Penstock-Memory': '256' };
    await installBundle(container, 'roomy', { main: LOOK, headers });
    const output = await container.shell(`for name in roomy plain; do
      systemctl show -P MemoryMax penstock-bundle@org.example.$name.service; done`);
    assert.deepEqual(
      output.trim().split('\n'),
      [256, 192].map((mib) => String(mib * 2 ** 20)),
    );
    await container.shell('penstock package remove test.roomy');
  });

  const withoutBroker = describeMissing(['mosquitto']);
  const needsBroker = withoutBroker === undefined ? {} : { skip: withoutBroker };
  const startBroker = (): void => {
    const [program, ...parameters] = [...container.entrance, programOf('mosquitto'), '-p', '1883'];
    const broker = spawn(program, parameters, { stdio: 'ignore' });
    t.after(async () => {
      broker.kill('SIGTERM');
      if (broker.exitCode === null) await once(broker, 'exit');
    });
  };

  await t.test('the commands of docs/how-to/mqtt.md bring samples to a broker', needsBroker, async () => {
    const commands = await readCommands('mqtt.md');
    assert.equal(commands.length, 4, commands.join('\n'));
    startBroker();
    await writeFile(path.join(container.shared, 'heating.csv'), SHEET);
    // Nothing listens there: a failure is a sample, too.
    await container.shell(`
      penstock driver add plc --type modbus --host 127.0.0.1 --port 1 --yes
      penstock asset add heating --driver plc --sheet heating.csv --yes
      ${commands.join('\n').replace('192.0.2.9', '127.0.0.1').replace('60000', '1000')}`);
    const arrived = '"acknowledged": *[1-9]';
    const list = await awaitBundles(`grep -q '${arrived}' list`);
    assert.match(list, /"name": ?"penstock-mqtt"/);
    await container.shell('penstock package remove penstock-mqtt');
  });

  await t.test('the commands of docs/how-to/sparkplug.md make an edge node', needsBroker, async () => {
    const commands = await readCommands('sparkplug.md');
    assert.equal(commands.length, 5, commands.join('\n'));
    // The password is typed, and the host of the page reports that it is online.
    const typed = commands
      .map((command) => (command.includes('=-') ? `printf 'secret\\n' | ${command}` : command))
      .join('\n')
      .replace('192.0.2.9', '127.0.0.1');
    await container.shell(typed);
    await awaitBundles(`grep -q 'waits for host' list`);
    const [program, ...parameters] = [...container.entrance, process.execPath];
    await promisify(execFile)(program, [...parameters, '--input-type=module', '-e', REPORT_HOST], {
      cwd: import.meta.dirname,
    });
    const list = await awaitBundles(`grep -q 'born"' list && grep -q '"births": *[1-9]' list`);
    assert.match(list, /"devices": ?1\b/);
    await container.shell('penstock package remove penstock-sparkplug');
  });

  await t.test('the launcher serves the gateway alone, and starts nothing but its bundles', async () => {
    const base = [
      'user 0123456789ab',
      'content /var/lib/penstock',
      'link /run/penstock/bundles/0123456789ab.sock',
    ];
    const ask = (...request: readonly string[]) => askLauncher(container, 'penstock', request);
    assert.match(await askLauncher(container, 'nobody', ['start a', ...base]), /EACCES/);
    for (const request of [
      ['start ssh', 'user root', ...base.slice(1)],
      ['start ../ssh', ...base],
      ['start a.service', 'content /tmp;reboot', ...base],
      ['start a\nEnvironment=X', ...base],
      ['start a', ...base, 'ExecStart=/bin/sh'],
      ['start a', ...base, 'device /etc/shadow'],
      ['stop penstock.service', ...base],
    ]) {
      assert.match(await ask(...request), /^refused the request is not understood/, request.join('|'));
    }
    const place = (content: string): readonly string[] => [
      base[0] ?? '',
      `content ${content}`,
      base[2] ?? '',
    ];
    assert.match(await ask('start a', ...place('/root')), /refused \/root does not belong to the gateway/);
    assert.match(await ask('start a', ...place('/lib')), /refused \/lib is not the path of a directory/);
    assert.match(await ask('start a', ...place('/var/lib/penstock/../..')), /refused .* is not the path/);
    const device = (file: string): Promise<string> => ask('start a', ...base, `device ${file}`);
    assert.match(await device('/dev/penstock-private'), /refused .* belongs to the group root/);
    assert.match(await device('/dev/../etc/shadow'), /refused .* leaves \/dev/);
    assert.match(await device('/dev/penstock-block'), /refused .* is not a character device|belongs to/);
    const units = await container.shell(
      "systemctl list-units --all --no-legend --plain 'penstock-bundle@a*'",
    );
    assert.equal(units, '');
  });

  await t.test('the sandbox of bundles scores better than that of the daemon', async () => {
    const unit = 'penstock-bundle@org.example.plain.service';
    const text = await container.shell(`systemd-analyze security ${unit} --no-pager | tail -1`);
    assert.ok(Number(/level for \S+: ([\d.]+)/.exec(text)?.[1]) <= 1.5, text);
  });
});
