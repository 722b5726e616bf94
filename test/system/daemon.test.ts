import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';

import { getServerCertificate } from '../support/certificate-authority.ts';
import { runDaemon, startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

test('--help and --version print and end with 0, an unknown option ends with 2', async () => {
  const help = await runDaemon(['--help']);
  assert.deepEqual([help.status, /Usage: penstockd/.test(help.output)], [0, true]);
  const version = await runDaemon(['--version']);
  assert.deepEqual([version.status, /^penstock \d+\.\d+\.\d+/.test(version.output)], [0, true]);
  const wrong = await runDaemon(['--confg', 'x']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.output, /--confg/);
});

test('--check-config names file, line, key and expectation of every error, and ends with 78', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'penstock.yaml');
  const provision = path.join(directory, 'provision.d', 'plant.yaml');
  writeFileSync(file, 'http:\n  httpsPort: [443]\n  ports: [99999]\n');
  const { status, output } = await runDaemon(['--config', file, '--check-config']);
  assert.equal(status, 78);
  assert.match(output, /penstock\.yaml:2: http\.httpsPort: .*httpsPorts/);
  assert.match(output, /penstock\.yaml:3: http\.ports\[0\]: /);

  writeFileSync(file, 'dataDirectory: data\n');
  mkdirSync(path.dirname(provision));
  writeFileSync(
    provision,
    'drivers:\n  - { pid: a, type: modbus, host: 192.0.2.7, prot: 502 }\nassets:\n  - { pid: x, driver: b, channels: [] }\n',
  );
  const second = await runDaemon(['--config', file, '--check-config']);
  assert.equal(second.status, 78);
  assert.match(second.output, /plant\.yaml:2: drivers\[0\]\.prot: /);
  assert.match(second.output, /plant\.yaml:4: assets\[0\]\.driver: /);
  assert.deepEqual(readdirSync(directory).sort(), ['penstock.yaml', 'provision.d']);

  writeFileSync(provision, 'drivers:\n  - { pid: a, type: modbus, host: 192.0.2.7 }\n');
  const third = await runDaemon(['--config', file, '--check-config']);
  assert.deepEqual([third.status, third.output.trim()], [0, `${file}: no errors`]);
});

test('a data directory that cannot be created ends the daemon with status 1 and its name', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.yaml');
  writeFileSync(file, 'dataDirectory: /proc/nope\n');
  const { status, output } = await runDaemon(['--config', file]);
  assert.equal(status, 1);
  assert.match(output, /^penstockd: cannot create \/proc\/nope: /);
});

test('a missing file ends with 78 and its name', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'nothing.yaml');
  const { status, output } = await runDaemon(['--config', file]);
  assert.equal(status, 78);
  assert.ok(output.includes(file));
});

test('a certificate and key that do not belong together end with 78 and both names', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'penstock.yaml');
  const gateway = await startGateway(t);
  const own = readFileSync(path.join(gateway.dataDirectory, 'tls', 'server.key'));
  writeFileSync(path.join(directory, 'a.crt'), (await getServerCertificate()).certificate);
  writeFileSync(path.join(directory, 'a.key'), own, { mode: 0o600 });
  const tls = { certificateFile: 'a.crt', privateKeyFile: 'a.key' };
  writeFileSync(file, JSON.stringify({ dataDirectory: 'data', http: { httpsPorts: [0] }, tls }));
  const { status, output } = await runDaemon(['--config', file]);
  assert.equal(status, 78);
  assert.match(output, /a\.key.*a\.crt/);
});

test('a port in use ends with 1; the last line has the port and the process that holds it', async (t) => {
  const occupant = createServer().listen(0, '127.0.0.1');
  t.after(() => occupant.close());
  await new Promise((resolve) => occupant.once('listening', resolve));
  const { port } = occupant.address() as AddressInfo;
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'penstock.yaml');
  const owner = `${path.basename(process.execPath)} (process ${process.pid})`;
  const http = { host: '127.0.0.1', httpsPorts: [port], httpsClientAuthPorts: [] };
  writeFileSync(file, JSON.stringify({ dataDirectory: 'data', http }));
  const { status, output } = await runDaemon(['--config', file]);
  assert.equal(status, 1);
  assert.equal(output.trim().split('\n').at(-1), `penstockd: port ${port} is in use by ${owner}`);

  const metrics = { host: '127.0.0.1', port };
  const noPort = { host: '127.0.0.1', httpsPorts: [0], httpsClientAuthPorts: [] };
  writeFileSync(file, JSON.stringify({ dataDirectory: 'data', http: noPort, metrics }));
  const second = await runDaemon(['--config', file]);
  assert.equal(second.status, 1);
  assert.equal(
    second.output.trim().split('\n').at(-1),
    `penstockd: metrics: port ${port} is in use by ${owner}`,
  );
});

test('an address that the machine does not have ends with 1 and its name', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.yaml');
  const http = { host: '192.0.2.7', httpsPorts: [8443], httpsClientAuthPorts: [] };
  writeFileSync(file, JSON.stringify({ dataDirectory: 'data', http }));
  const { status, output } = await runDaemon(['--config', file]);
  assert.equal(status, 1);
  assert.match(output, /cannot open port 8443: 192\.0\.2\.7 is not an address of this machine/);
});

test('a second daemon on the same data directory ends with 1 and names the store and the first one', async (t) => {
  const gateway = await startGateway(t);
  const { status, output } = await runDaemon(['--config', gateway.configFile]);
  assert.equal(status, 1);
  const owner = `${path.basename(process.execPath)} (process ${gateway.process.pid})`;
  assert.ok(output.includes(`penstock.db is in use by ${owner}`), output);
});

test('a store that is no database ends with 78 and its name, and is left as it is', async (t) => {
  const first = await startGateway(t);
  await first.stop();
  const database = path.join(first.dataDirectory, 'penstock.db');
  writeFileSync(database, 'not a database, but longer than a header of one hundred bytes'.repeat(20));
  const { status, output } = await runDaemon(['--config', first.configFile]);
  assert.equal(status, 78);
  assert.match(output, /penstock\.db is not an intact database/);
  assert.match(readFileSync(database, 'utf8'), /^not a database/);
});

test('everything in the data directory is for its owner alone, under any umask', async (t) => {
  const former = process.umask(0);
  const gateway = await startGateway(t).finally(() => process.umask(former));
  const files = readdirSync(gateway.dataDirectory, { recursive: true, encoding: 'utf8' });
  assert.ok(files.includes('initial-admin-password') && files.includes('penstock.db'));
  for (const file of ['.', ...files]) {
    const { mode } = statSync(path.join(gateway.dataDirectory, file));
    assert.equal(mode & 0o077, 0, `${file} has mode ${(mode & 0o777).toString(8)}`);
  }
});

test('SIGHUP with a bad file leaves everything in force, and the log names the error', async (t) => {
  const gateway = await startGateway(t);
  const [port = 0] = gateway.httpsPorts;
  const line = await gateway.reload({ log: { level: 'loud' } });
  assert.equal(line.event, 'reload.failed');
  assert.match(String(line['reason']), /penstock\.yaml:\d+: log\.level: /);
  assert.equal((await send({ port }, 'GET', '/services/session/v1/authenticationInfo')).status, 200);
  assert.equal((await gateway.reload({})).event, 'reloaded');
});

test('SIGHUP opens and closes ports and takes a new certificate, while open connections live on', async (t) => {
  const gateway = await startGateway(t, { config: { http: { httpsPorts: [0], httpsClientAuthPorts: [] } } });
  const [port = 0] = gateway.httpsPorts;
  const { certificate, privateKey } = await getServerCertificate();
  writeFileSync(path.join(gateway.directory, 'server.crt'), certificate);
  writeFileSync(path.join(gateway.directory, 'server.key'), privateKey, { mode: 0o600 });
  const tls = { certificateFile: 'server.crt', privateKeyFile: 'server.key' };
  const reloaded = await gateway.reload({
    tls,
    http: { httpsPorts: [0], ports: [0], httpsClientAuthPorts: [0] },
  });
  assert.equal(reloaded.event, 'reloaded');
  assert.deepEqual(reloaded['https'], [port]);
  // No authority of client certificates is configured any more: that port stays closed, and the log names the reason.
  assert.deepEqual(reloaded['httpsClientAuth'], []);
  await gateway.line('listener.notOpened');
  const [plain = 0] = reloaded['http'] as readonly number[];
  const info = '/services/session/v1/authenticationInfo';
  assert.equal((await send({ port: plain, plain: true }, 'GET', info)).status, 200);

  chmodSync(path.join(gateway.directory, 'server.key'), 0o644);
  const refused = await gateway.reload({ tls, http: { httpsPorts: [0] } });
  assert.match(String(refused['reason']), /server\.key.*0644/);
  assert.equal((await send({ port }, 'GET', info)).status, 200);
});

test('on SIGTERM a running request finishes, and the daemon ends with 0', async (t) => {
  const identity = { name: 'operator', permissions: [], password: 'turbine-password' };
  const gateway = await startGateway(t, {
    config: { log: { level: 'debug' }, provision: { identities: [identity] } },
  });
  const [port = 0] = gateway.httpsPorts;
  // The body is held back until the daemon is stopping, so that the request is certainly running then.
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const body = JSON.stringify({ username: 'operator', password: 'turbine-password' });
  socket.write(
    'POST /services/session/v1/login/password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const [interim] = (await once(socket, 'data')) as [Buffer];
  assert.match(interim.toString(), /^HTTP\/1\.1 100/);
  const stopped = gateway.stop();
  await gateway.line('stopping');
  socket.write(body);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 [^]*connection: close/i);
  assert.equal(await stopped, 0);
});

test('penstockd --reload ends with the outcome of the reload', async (t) => {
  const gateway = await startGateway(t);
  const reload = (): ReturnType<typeof runDaemon> =>
    runDaemon(['--config', gateway.configFile, '--reload', String(gateway.process.pid)]);
  assert.deepEqual(await reload(), { status: 0, output: 'reloaded\n' });

  // The check before the signal finds this, and the daemon never hears of it.
  const config = readFileSync(gateway.configFile, 'utf8');
  writeFileSync(gateway.configFile, '{ "log": { "level": "loud" } }');
  const invalid = await reload();
  assert.equal(invalid.status, 78);
  assert.match(invalid.output, /log\.level/);
  assert.ok(!gateway.lines.some(({ event }) => event === 'reload.failed'));

  // Only the daemon itself can find this.
  const occupied = createServer().listen(0, '127.0.0.1');
  t.after(() => occupied.close());
  await once(occupied, 'listening');
  const { port } = occupied.address() as AddressInfo;
  const settings = JSON.parse(config) as { readonly http: object };
  writeFileSync(
    gateway.configFile,
    JSON.stringify({ ...settings, http: { ...settings.http, ports: [port] } }),
  );
  const failed = await reload();
  assert.equal(failed.status, 1);
  assert.match(failed.output, new RegExp(`the previous configuration stays active: port ${port} is in use`));

  writeFileSync(gateway.configFile, config);
  assert.equal((await reload()).status, 0);
  assert.equal((await runDaemon(['--reload', 'x'])).status, 2);
});

test('penstockd --check-config reads the certificates as a start does', async (t) => {
  const gateway = await startGateway(t);
  const settings = JSON.parse(readFileSync(gateway.configFile, 'utf8')) as object;
  const tls = { certificateFile: 'nowhere.crt', privateKeyFile: 'nowhere.key' };
  writeFileSync(gateway.configFile, JSON.stringify({ ...settings, tls }));
  const { status, output } = await runDaemon(['--config', gateway.configFile, '--check-config']);
  assert.equal(status, 78);
  assert.match(output, /nowhere\.crt/);
});
