import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../daemon/base/store/store.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { EXTENSIONS } from '../support/certificate-extension.ts';
import { CertificateFiles } from '../support/certificate-files.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { WITH_MOUNTS, WITH_ROOT } from '../support/root.ts';
import { needs } from '../support/tests-that-need.ts';
import { findProgram } from '../support/programs.ts';
import { answerOf } from '../support/answer-of.ts';
import { readAssetStatus } from '../../daemon/interface/plant/asset-status.ts';

const MAIN = findProgram('daemon/main');
const PASSWORD = 'misconfigured-machine-password';
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** A directory with a configuration that may be started; every user may enter it. */
function createPlace(t: Owner, config: object = {}) {
  const directory = createTemporaryDirectory(t);
  chmodSync(directory, 0o755);
  const configFile = path.join(directory, 'penstock.yaml');
  const http = { host: '127.0.0.1', ports: [], httpsPorts: [0], httpsClientAuthPorts: [] };
  writeFileSync(configFile, JSON.stringify({ dataDirectory: 'data', http, ...config }));
  chmodSync(configFile, 0o644);
  return { directory, configFile, dataDirectory: path.join(directory, 'data') };
}

/** Runs a daemon that is expected to end by itself; `prefix` is the command that starts it. */
async function run(configFile: string, prefix: readonly string[] = []) {
  const words = [...prefix, process.execPath, MAIN, '--config', configFile];
  const child = spawn('env', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, errors };
}

/** Prefix that runs a script in its own mount namespace, then the command; `$0` of the script is `place`. */
function mounting(script: string, place: string): readonly string[] {
  return ['unshare', '--mount', 'sh', '-c', `${script} && exec "$@"`, place];
}

async function logIn(gateway: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.login('engineer', PASSWORD)).status, 200);
  return client;
}

test('files to which the user of the daemon has no right are named', WITH_ROOT, async (t) => {
  await t.test('the configuration: 78', async (each) => {
    const { configFile } = createPlace(each);
    chmodSync(configFile, 0o600);
    const { status, errors } = await run(configFile, AS_NOBODY);
    assert.equal(status, 78);
    assert.match(errors, /penstock\.yaml: cannot be read: .*no permission/);
  });

  await t.test('a private key: 78', async (each) => {
    const place = createPlace(each, { tls: { certificateFile: 'server.crt', privateKeyFile: 'server.key' } });
    giveToNobody(place.dataDirectory);
    makeCertificate(place.directory);
    const { status, errors } = await run(place.configFile, AS_NOBODY);
    assert.equal(status, 78, errors);
    assert.match(errors, /cannot read .*server\.key: .*no permission/);
  });

  await t.test('the data directory: 1', async (each) => {
    const place = createPlace(each);
    const missing = await run(place.configFile, AS_NOBODY);
    assert.deepEqual(
      [missing.status, /cannot create .*data: .*no permission/.test(missing.errors)],
      [1, true],
    );
    mkdirSync(place.dataDirectory);
    const foreign = await run(place.configFile, AS_NOBODY);
    assert.deepEqual(
      [foreign.status, /cannot use .*penstock\.db: .*no permission/.test(foreign.errors)],
      [1, true],
    );
  });

  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  const skip = first > 443 ? false : 'every user may open port 443 here';
  await t.test('a port below 1024: 1', { skip }, async (each) => {
    const place = createPlace(each, {
      http: { host: '127.0.0.1', httpsPorts: [443], httpsClientAuthPorts: [] },
    });
    giveToNobody(place.dataDirectory);
    const { status, errors } = await run(place.configFile, AS_NOBODY);
    assert.equal(status, 1);
    assert.match(errors, /this user is not allowed to open port 443; let penstock\.socket open it/);
  });
});

test('a data directory that cannot be used is named and left as it is', async (t) => {
  await t.test('a file at its path', async (each) => {
    const { configFile, dataDirectory } = createPlace(each);
    writeFileSync(dataDirectory, 'mine');
    const { status, errors } = await run(configFile);
    assert.equal(status, 1);
    assert.match(errors, /cannot create .*data: expected a directory, found a file/);
    assert.equal(readFileSync(dataDirectory, 'utf8'), 'mine');
  });

  await t.test('a disk that is read-only', WITH_MOUNTS, async (each) => {
    const { configFile, dataDirectory } = createPlace(each);
    mkdirSync(dataDirectory);
    const { status, errors } = await run(
      configFile,
      mounting('mount -t tmpfs -o ro none "$0"', dataDirectory),
    );
    assert.equal(status, 1);
    assert.match(errors, /cannot use .*penstock\.db: the file system is mounted read-only/);
  });

  await t.test('a disk that is full from the start', WITH_MOUNTS, async (each) => {
    const { configFile, dataDirectory } = createPlace(each);
    mkdirSync(dataDirectory);
    const script = 'mount -t tmpfs -o size=64k none "$0"';
    const { status, errors } = await run(configFile, mounting(script, dataDirectory));
    assert.equal(status, 1);
    assert.match(errors, /full/);
  });

  const gateway = await startGateway(t);
  assert.equal(await gateway.stop(), 0);
  const damage = async (owner: Owner, change: (database: string) => void) => {
    const { configFile, dataDirectory } = createPlace(owner);
    cpSync(gateway.dataDirectory, dataDirectory, { recursive: true });
    const database = path.join(dataDirectory, 'penstock.db');
    change(database);
    const before = readFileSync(database);
    const outcome = await run(configFile);
    assert.ok(readFileSync(database).equals(before), 'it was changed');
    return outcome;
  };

  await t.test('a database of a newer release', async (each) => {
    const { status, errors } = await damage(each, (database) =>
      execute(database, `UPDATE schema_version SET version = 99 WHERE room = 'audit'`),
    );
    assert.equal(status, 78);
    assert.match(
      errors,
      /tables of audit have version 99, .*reinstall the newer release or restore a backup/,
    );
  });

  await t.test('a database with damaged pages', async (each) => {
    const { status, errors } = await damage(each, (database) => {
      const bytes = readFileSync(database);
      writeFileSync(database, bytes.fill(7, 8192, 20_000));
    });
    assert.equal(status, 78);
    assert.match(errors, /penstock\.db is not an intact database; restore a backup, or move it away/);
  });

  await t.test('a stored configuration that is torn', async (each) => {
    const { status, errors } = await damage(each, (database) =>
      execute(database, `INSERT INTO configuration_snapshot (created_at_ms, document) VALUES (0, '{"dri')`),
    );
    assert.equal(status, 78);
    assert.match(errors, /configuration snapshot 1 .*damaged; restore a backup/);
  });

  await t.test('a stored configuration that this release does not know', async (each) => {
    const { status, errors } = await damage(each, (database) =>
      execute(
        database,
        `INSERT INTO configuration_snapshot (created_at_ms, document)
         VALUES (0, '{"drivers":[{"pid":"x","type":"gone"}]}')`,
      ),
    );
    assert.equal(status, 78);
    assert.match(errors, /configuration snapshot 1: drivers\[0\]\.type: "gone" .*\n.*provision\.d/);
  });
});

test(
  'a gateway whose disk is full reports it, keeps its state, and goes on when there is room',
  WITH_MOUNTS,
  async (t) => {
    const directory = createTemporaryDirectory(t);
    const dataDirectory = path.join(directory, 'data');
    mkdirSync(dataDirectory);
    const identities = [
      {
        name: 'engineer',
        permissions: ['rest.admin'],
        password: PASSWORD,
      },
    ];
    const gateway = await startGateway(t, {
      directory,
      config: { provision: { identities } },
      command: [...mounting('mount -t tmpfs -o size=8m none "$0"', dataDirectory), process.execPath, MAIN],
    });
    const client = await logIn(gateway);
    const root = '/services/configuration/v1';
    const change = () =>
      client.send('PUT', `${root}/rest`, {
        body: { basicAuthenticationEnabled: true },
        headers: { 'If-Match': '*' },
      });
    const create = () =>
      client.send('POST', '/services/identity/v1/identities', { body: { userName: 'newcomer' } });
    const before = await client.send('GET', `${root}/`);
    const filler = `/proc/${gateway.process.pid}/root${dataDirectory}/filler`;
    assert.throws(() => writeFileSync(filler, Buffer.alloc(8 * 1024 * 1024)), { code: 'ENOSPC' });

    for (const refused of [await change(), await create()]) {
      assert.equal(refused.status, 503, refused.text);
      assert.equal(refused.headers['retry-after'], '60');
      assert.match(refused.text, /full.*free space/);
    }
    await gateway.line('audit.storeFailed');
    const meanwhile = await client.send('GET', `${root}/`);
    assert.deepEqual([meanwhile.text, meanwhile.headers.etag], [before.text, before.headers.etag]);

    writeFileSync(filler, '');
    assert.equal((await change()).status, 200);
    assert.equal((await create()).status, 200);
    await gateway.line('audit.storeRecovered');
    const { text } = await client.send('GET', '/services/audit/v1/events');
    assert.match(text, /CONFIGURATION_CHANGED[^}]*FAILURE/);
    assert.equal(await gateway.stop(), 0);
  },
);

test('a certificate that has expired is served, and the log reports it', async (t) => {
  const directory = createTemporaryDirectory(t);
  makeCertificate(directory, ['20240101000000Z', '20250101000000Z']);
  const tls = { certificateFile: 'server.crt', privateKeyFile: 'server.key' };
  const gateway = await startGateway(t, { directory, config: { tls } });
  const line = await gateway.line('certificate.expired');
  assert.deepEqual(
    [line.level, line['subject'], line['expires']],
    ['error', 'CN=server', '2025-01-01T00:00:00.000Z'],
  );
});

test('a clock without battery is noticed', async (t) => {
  const directory = createTemporaryDirectory(t);
  const past = path.join(directory, 'past.mjs');
  writeFileSync(past, 'const start = Date.now(), now = Date.now; Date.now = () => now() - start;');
  const gateway = await startGateway(t, { program: ['--import', past, MAIN] });
  const line = await gateway.line('clock.notSet');
  assert.equal(line.level, 'warn');
  assert.match(String(line['time']), /^1970-01-01T/);
});

test(
  'a serial line that cannot be opened is named, with the remedy, and the others go on',
  needs('socat'),
  async (t) => {
    await using pair = await openSerialPair();
    const holder = spawn('flock', ['--exclusive', pair.gateway, 'sh', '-c', 'echo held; read _'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => holder.kill());
    await once(holder.stdout, 'data');
    const file = path.join(createTemporaryDirectory(t), 'file');
    writeFileSync(file, '');
    const devices = { missing: '/dev/serial/by-id/none', file, busy: pair.gateway };
    const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' };
    const channels = [{ name: 'x', type: 'READ', valueType: 'INTEGER', address }];
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities: [{ name: 'engineer', permissions: ['rest.assets'], password: PASSWORD }],
          drivers: Object.entries(devices).map(([pid, device]) => ({
            pid,
            type: 'modbus',
            transport: 'rtu',
            device,
          })),
          assets: Object.keys(devices).map((pid) => ({ pid, driver: pid, channels })),
        },
      },
    });
    const client = await logIn(gateway);
    const expected = { missing: /plugged in/, file: /not a serial line/, busy: /another program/ };
    for (const [pid, words] of Object.entries(expected)) {
      const { text } = await client.send('GET', `/services/assets/${pid}/_read`);
      const { json } = await client.send('GET', `/services/assets/${pid}/_status`);
      const { driver } = answerOf(readAssetStatus, { json });
      assert.match(driver.lastError ?? '', words, text);
      assert.ok(
        `${driver.endpoint} ${driver.lastError}`.includes(
          path.basename(devices[pid as keyof typeof devices]),
        ),
      );
    }
  },
);

function giveToNobody(directory: string): void {
  mkdirSync(directory, { mode: 0o700 });
  chownSync(directory, NOBODY, NOBODY);
}

function makeCertificate(directory: string, validity?: readonly [string, string]): void {
  const certificates = new CertificateFiles(directory);
  certificates.makeSelfSigned('authority');
  certificates.issue('authority', 'server', {
    extensions: EXTENSIONS.server,
    ...(validity === undefined ? {} : { validity }),
  });
  chmodSync(certificates.file('server.key'), 0o600);
}

function execute(file: string, sql: string): void {
  const store = openStore(file, []);
  store.database.exec(sql);
  store.close();
}
