import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { getCertificateAuthority, getServerCertificate } from '../support/certificate-authority.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { findProgram } from '../support/programs.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../docs/examples/penstock-pull/penstock-pull');
const ADDRESS = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' };
const CHANNELS = [{ name: 'level', type: 'READ', valueType: 'INTEGER', address: ADDRESS }];

/** A repository with two keys that can sign; the gateway trusts the first one. */
class Repository {
  readonly bare: string;
  readonly allowedSigners: string;
  readonly #work: string;
  readonly #keys: string;

  constructor(directory: string) {
    this.bare = path.join(directory, 'gateways.git');
    this.#work = path.join(directory, 'checkout');
    this.#keys = path.join(directory, 'keys');
    mkdirSync(this.#keys);
    for (const name of ['known', 'unknown']) {
      const words = ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path.join(this.#keys, name)];
      execFileSync(programOf('ssh-keygen'), words);
    }
    const known = readFileSync(path.join(this.#keys, 'known.pub'), 'utf8');
    this.allowedSigners = path.join(this.#keys, 'allowed_signers');
    writeFileSync(this.allowedSigners, `engineer@plant.example ${known}`);
    this.#run(directory, 'init', '--quiet', '--bare', '-b', 'main', this.bare);
    this.#run(directory, 'clone', '--quiet', this.bare, this.#work);
    mkdirSync(path.join(this.#work, 'provision.d'));
  }

  /** Writes files of the folder, and commits and pushes them; undefined removes a file. */
  push(
    files: Readonly<Record<string, object | string | undefined>>,
    {
      key = 'known',
      isForced = false,
    }: { readonly key?: string | undefined; readonly isForced?: boolean } = {},
  ): string {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.#work, 'provision.d', name);
      if (content === undefined) this.#run(this.#work, 'rm', '--quiet', file);
      else writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return this.#commit(key, isForced);
  }

  /** Commits and pushes a link in the folder. */
  pushLink(name: string, target: string): string {
    symlinkSync(target, path.join(this.#work, 'provision.d', name));
    return this.#commit('known', false);
  }

  /** Drops the newest commits. */
  rewind(count: number): void {
    this.#run(this.#work, 'reset', '--quiet', '--hard', `HEAD~${count}`);
  }

  /** Prepares the repository for plain file servers. */
  prepareForFiles(): void {
    this.#run(this.bare, 'update-server-info');
  }

  #commit(key: string | undefined, isForced: boolean): string {
    this.#run(this.#work, 'add', '-A');
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${path.join(this.#keys, key ?? '')}`];
    const how = key === '' ? ['commit'] : [...signing, 'commit', '-S'];
    this.#run(this.#work, ...how, '--quiet', '-m', 'change');
    this.#run(this.#work, 'push', '--quiet', ...(isForced ? ['--force'] : []), 'origin', 'HEAD:main');
    return this.#run(this.#work, 'rev-parse', 'HEAD').trim();
  }

  #run(directory: string, ...words: readonly string[]): string {
    const identity = ['-c', 'user.name=Engineer', '-c', 'user.email=engineer@plant.example'];
    return execFileSync(programOf('git'), [...identity, ...words], {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }
}

/** Starts a gateway that pulls from a repository, with a service manager that only reloads it. */
async function startPulled(t: TestContext) {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const directory = createTemporaryDirectory(t);
  const repository = new Repository(directory);
  const gateway = await startGateway(t, { config: {} });
  const programs = path.join(directory, 'bin');
  mkdirSync(programs);
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const write = (name: string, command: string): void => {
    writeFileSync(path.join(programs, name), `#!/bin/sh\nexec ${command}\n`);
    chmodSync(path.join(programs, name), 0o755);
  };
  const cli = `${process.execPath} ${findProgram('daemon/cli/main')} "$@" --socket ${socket}`;
  write('penstock', `${cli} $([ "$1" = doctor ] && echo --config ${gateway.configFile})`);
  const daemon = `${process.execPath} ${findProgram('daemon/main')}`;
  write('penstockd', `${daemon} "$@"`);
  write('systemctl', `${daemon} --config ${gateway.configFile} --reload ${gateway.process.pid ?? 0}`);
  const keys = path.join(directory, 'settings');
  mkdirSync(keys);
  writeFileSync(path.join(keys, 'allowed_signers'), readFileSync(repository.allowedSigners));
  const state = path.join(directory, 'state');
  return {
    repository,
    state,
    settings: gateway.directory,
    programs,
    /** Driver and asset at the device, or at a place without one. */
    plantAt: async (place: 'DEVICE' | 'NOWHERE', pid = 'tank') => ({
      drivers: [
        {
          pid: `${pid}Line`,
          type: 'modbus',
          host: '127.0.0.1',
          port: place === 'DEVICE' ? device.port : await findFreePort(),
        },
      ],
      assets: [{ pid, driver: `${pid}Line`, channels: CHANNELS }],
    }),
    pull: async (environment: Readonly<Record<string, string>> = {}) => {
      const child = spawn('sh', [SCRIPT], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: `${programs}:${process.env['PATH'] ?? ''}`,
          REPOSITORY: repository.bare,
          KEYS: keys,
          GATEWAY: gateway.directory,
          STATE_DIRECTORY: state,
          ...environment,
        },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await once(child, 'close');
      return { status: child.exitCode, output };
    },
    listAssets: (): string =>
      execFileSync(path.join(programs, 'penstock'), ['asset', 'list'], { encoding: 'utf8' }).trim(),
    listFiles: (): readonly string[] => {
      const folder = path.join(gateway.directory, 'provision.d');
      return existsSync(folder) ? readdirSync(folder).toSorted() : [];
    },
  };
}

const TOOLS = needs('git', 'ssh-keygen', 'libmodbus');

test('a signed commit is applied, and a commit that is not changes nothing', TOOLS, async (t) => {
  const { repository, pull, listAssets, listFiles, plantAt, settings } = await startPulled(t);
  const plant = await plantAt('DEVICE');
  repository.push({ 'plant.yaml': plant }, { key: '' });
  assert.deepEqual([(await pull()).status, listFiles()], [1, []]);
  assert.match((await pull()).output, /^<3>the commit \w{40} has no signature of a trusted key$/m);
  repository.push({ 'plant.yaml': { ...plant, x: undefined }, 'other.yaml': '{}\n' }, { key: 'unknown' });
  assert.match((await pull()).output, /has no signature of a trusted key/);
  const commit = repository.push({ 'other.yaml': undefined });
  const applied = await pull();
  assert.match(applied.output, new RegExp(`^<5>applied the commit ${commit}$`, 'm'));
  assert.deepEqual([applied.status, listAssets(), listFiles()], [0, 'tank', ['plant.yaml']]);
  assert.deepEqual(await pull(), { status: 0, output: '' });
  repository.push({ 'more.yaml': await plantAt('DEVICE', 'pump') });
  repository.push({ 'plant.yaml': undefined });
  assert.equal((await pull()).status, 0);
  assert.deepEqual([listAssets(), listFiles()], ['pump', ['more.yaml']]);
  assert.ok(!existsSync(path.join(settings, '.replaced')));
});

test('a commit with errors, with a link, or without its predecessors changes nothing', TOOLS, async (t) => {
  const { repository, pull, listAssets, listFiles, plantAt } = await startPulled(t);
  repository.push({ 'plant.yaml': await plantAt('DEVICE') });
  assert.equal((await pull()).status, 0);
  repository.push({ 'wrong.yaml': 'drivers: [{ pid: x, type: nothing }]\n' });
  const wrong = await pull();
  assert.match(wrong.output, /wrong\.yaml.*type/);
  assert.match(wrong.output, /^<3>the commit \w{40} has errors; nothing is changed$/m);
  assert.match((await pull()).output, /was refused before; a newer one is needed/);
  repository.push({ 'wrong.yaml': undefined });
  repository.pushLink('link.yaml', '/etc/passwd');
  assert.match((await pull()).output, /has something else than files/);
  repository.rewind(3);
  repository.push({ 'other.yaml': '{}\n' }, { isForced: true });
  assert.equal((await pull()).status, 0, 'what follows the applied commit');
  repository.rewind(1);
  repository.push({ 'plant.yaml': await plantAt('DEVICE', 'pump') }, { isForced: true });
  assert.match((await pull()).output, /does not follow/);
  assert.deepEqual([listAssets(), listFiles()], ['tank', ['other.yaml', 'plant.yaml']]);
});

test(
  'a commit after which checks fail is undone, also if the script ends in the middle',
  TOOLS,
  async (t) => {
    const { repository, pull, listAssets, listFiles, plantAt, state } = await startPulled(t);
    repository.push({ 'plant.yaml': await plantAt('DEVICE') });
    assert.equal((await pull()).status, 0);
    const wrong = repository.push({ 'more.yaml': await plantAt('NOWHERE', 'pump') });
    const undone = await pull();
    assert.equal(undone.status, 1);
    assert.match(
      undone.output,
      new RegExp(`^<3>the commit ${wrong} was undone: checks fail: driver pumpLine`, 'm'),
    );
    assert.deepEqual([listAssets(), listFiles()], ['tank', ['plant.yaml']]);
    assert.match((await pull()).output, /was refused before/);
    // As a loss of power leaves it: the files are new, and nothing is confirmed.
    const next = repository.push({ 'more.yaml': await plantAt('DEVICE', 'fan') });
    writeFileSync(path.join(state, 'pending'), `${next}\n`);
    const back = await pull();
    assert.match(back.output, /^<5>going back to the files of \w{40}$/m);
    assert.deepEqual([back.status, listAssets(), listFiles()], [1, 'tank', ['plant.yaml']]);
    const good = repository.push({ 'more.yaml': await plantAt('DEVICE', 'mixer') });
    assert.match((await pull()).output, new RegExp(`applied the commit ${good}`));
    assert.equal(listAssets(), 'tank\nmixer');
  },
);

test('without the checks of doctor nothing is changed', TOOLS, async (t) => {
  const { repository, pull, listAssets, listFiles, plantAt, programs } = await startPulled(t);
  repository.push({ 'plant.yaml': await plantAt('DEVICE') });
  const broken = createTemporaryDirectory(t);
  const file = path.join(broken, 'penstock');
  writeFileSync(file, `#!/bin/sh\n[ "$1" != doctor ] || exit 1\nexec ${programs}/penstock "$@"\n`);
  chmodSync(file, 0o755);
  const { status, output } = await pull({ PATH: `${broken}:${programs}:${process.env['PATH'] ?? ''}` });
  assert.match(output, /^<3>penstock doctor does not work here; nothing is changed$/m);
  assert.deepEqual([status, listAssets(), listFiles()], [1, '', []]);
  assert.equal((await pull()).status, 0);
});

test('the repository may be on an HTTPS server', TOOLS, async (t) => {
  const { repository, pull, listAssets, plantAt } = await startPulled(t);
  repository.push({ 'plant.yaml': await plantAt('DEVICE') });
  repository.prepareForFiles();
  const { certificate, privateKey } = await getServerCertificate();
  const server = createServer({ cert: certificate, key: privateKey }, ({ url = '' }, response) => {
    const file = path.join(repository.bare, path.normalize(new URL(url, 'https://x').pathname));
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const authority = path.join(createTemporaryDirectory(t), 'ca.pem');
  writeFileSync(authority, (await getCertificateAuthority()).certificate);
  const REPOSITORY = `https://localhost:${port}/`;
  assert.match((await pull({ REPOSITORY })).output, /cannot be read/, 'without the authority');
  assert.equal((await pull({ REPOSITORY, GIT_SSL_CAINFO: authority })).status, 0);
  assert.equal(listAssets(), 'tank');
});
