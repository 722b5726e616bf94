import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import { examine, startCertifiedGateway } from '../../support/doctor.ts';
import { runDaemon, startGateway } from '../../support/gateway.ts';
import { findFreePorts } from '../../support/free-ports.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { needs } from '../../support/tests-that-need.ts';
import { WITH_ROOT } from '../../support/root.ts';
import { findProgram } from '../../support/programs.ts';

const CLI = findProgram('daemon/cli/main');
const NOBODY = 65_534;

test('doctor finds nothing wrong with a sound gateway', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const { status, wrong, warnings } = await examine(running);
  assert.deepEqual({ status, wrong, warnings }, { status: 0, wrong: [], warnings: [] });
});

test(
  'doctor warns of a channel that is to be written and that the OPC UA server lets nobody write',
  needs('asyncua'),
  async (t) => {
    await using server = await startAsyncuaServer({ policies: ['NoSecurity'], many: 1 });
    const channel = (name: string, type: string) => ({
      name,
      type,
      valueType: 'DOUBLE',
      address: { nodeId: `nsu=urn:penstock:test;s=tank.${name}` },
    });
    const [httpsPort = 0] = await findFreePorts(1);
    const gateway = await startGateway(t, {
      config: {
        http: { host: '127.0.0.1', httpsPorts: [httpsPort], httpsClientAuthPorts: [] },
        provision: {
          drivers: [
            {
              pid: 'line',
              type: 'opcua',
              endpointUrl: `opc.tcp://127.0.0.1:${server.port}`,
              securityMode: 'NONE',
            },
          ],
          assets: [
            {
              pid: 'tank',
              driver: 'line',
              channels: [channel('Temperature', 'READ_WRITE'), channel('Setpoint', 'READ_WRITE')],
            },
          ],
        },
      },
    });
    const { warnings } = await examine(gateway);
    assert.deepEqual(warnings, [
      'asset tank: channel Temperature has type READ_WRITE, but the device does not permit the gateway to write it',
    ]);
  },
);

test('doctor names a fault in provision.d', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const folder = path.join(running.directory, 'provision.d');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'line2.yaml'), 'drivers:\n  - { pid: line2, type: modbuss }\n');
  const { status, wrong } = await examine(running);
  assert.equal(status, 1);
  assert.match(wrong.join('\n'), /^files: .*line2\.yaml:2: .*modbuss/m);
});

test('doctor names a key that the daemon cannot read', WITH_ROOT, async (t) => {
  const { running, tls } = await startCertifiedGateway(t);
  chmodSync(running.directory, 0o755);
  chmodSync(running.configFile, 0o644);
  chownSync(running.dataDirectory, NOBODY, NOBODY);
  const { status, wrong } = await examine(running);
  assert.equal(status, 1);
  assert.ok(
    wrong.some((text) => text.startsWith('files: ') && text.includes(tls.privateKeyFile)),
    String(wrong),
  );
});

test('doctor names a certificate that is not the one on disk, and why it is not', async (t) => {
  const { running, tls } = await startCertifiedGateway(t);
  const other = path.join(running.dataDirectory, 'tls');
  cpSync(path.join(other, 'server.crt'), tls.certificateFile);
  const from = running.lines.length;
  await running.line('certificate.notReplaced', from);
  const { status, wrong } = await examine(running);
  assert.equal(status, 1);
  assert.match(wrong.join('\n'), /^files: .*does not match certificate/m);
  // All ports show it for one cause, which is told once.
  const shown = wrong.filter((text) =>
    text.endsWith(`: it presents another certificate than ${tls.certificateFile}`),
  );
  assert.equal(shown.length, 1, String(wrong));
});

test('doctor names a reload that failed, although everything is sound by now', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const config = readFileSync(running.configFile, 'utf8');
  writeFileSync(running.configFile, '{ "log": { "level": "loud" } }');
  running.process.kill('SIGHUP');
  await running.line('reload.failed');
  writeFileSync(running.configFile, config);
  const { status, wrong } = await examine(running);
  assert.equal(status, 1);
  assert.deepEqual(wrong.length, 1, String(wrong));
  assert.match(wrong[0] ?? '', /^reload: .*log\.level/);
});

test('doctor does not call a daemon ended that it cannot reach', async (t) => {
  const { running } = await startCertifiedGateway(t);
  // Its socket is looked for elsewhere.
  const { wrong, warnings } = await examine({ configFile: running.configFile, dataDirectory: '/nowhere' });
  assert.deepEqual(warnings, [`daemon: it runs (process ${running.process.pid}) and was not reached`]);
  assert.match(wrong.join('\n'), /^gateway: no response from \/nowhere\/penstock\.sock/);
});

test('doctor says how a daemon ended that is not there any more', async (t) => {
  const { running, httpsPort } = await startCertifiedGateway(t);
  running.process.kill('SIGKILL');
  await once(running.process, 'close');
  assert.match(
    (await examine(running)).wrong.join('\n'),
    /^daemon: .* without a final status: it was killed/m,
  );

  const again = await startGateway(t, { directory: running.directory, isConfigured: true });
  await again.stop();
  assert.match((await examine(running)).wrong.join('\n'), /^daemon: the daemon was stopped at /m);

  const other = await startGateway(t, { config: { http: { httpsPorts: [httpsPort] } } });
  assert.notEqual((await runDaemon(['--config', running.configFile])).status, 0);
  assert.match(
    (await examine(running)).wrong.join('\n'),
    new RegExp(`^daemon: .*port ${httpsPort} is in use`, 'm'),
  );
  assert.deepEqual((await examine(other)).wrong, []);
});

test('doctor names an authority whose clients are all refused', async (t) => {
  const { running, tls } = await startCertifiedGateway(t);
  const settings = JSON.parse(readFileSync(running.configFile, 'utf8')) as { readonly tls: object };
  // A list of another authority: once there are lists, an authority without one is refused.
  const list = path.join(running.directory, 'other', 'ca.crl');
  const folder = path.dirname(list);
  const made = spawn(process.execPath, [
    CLI,
    'certificate',
    'init',
    'Other authority',
    '--authority',
    folder,
  ]);
  await once(made, 'close');
  const both = `${readFileSync(tls.clientCertificateAuthoritiesFile, 'utf8')}\n${readFileSync(path.join(folder, 'ca.crt'), 'utf8')}`;
  writeFileSync(tls.clientCertificateAuthoritiesFile, both);
  const withList = { ...settings.tls, certificateRevocationListFile: list };
  writeFileSync(running.configFile, JSON.stringify({ ...settings, tls: withList }));
  const from = running.lines.length;
  running.process.kill('SIGHUP');
  await running.line('reloaded', from);
  const { status, wrong } = await examine(running);
  assert.equal(status, 1);
  assert.match(
    wrong.join('\n'),
    /^authorities of clients: .*NO_REVOCATION_LIST, so its certificates are refused/m,
  );
});

test('doctor warns of a device that several drivers use once, however many assets it has', async (t) => {
  const port = 1;
  const drivers = ['north', 'south'].map((pid) => ({ pid, type: 'modbus', host: '127.0.0.1', port }));
  const assets = ['a', 'b', 'c'].map((pid, index) => ({
    pid,
    driver: index === 0 ? 'north' : 'south',
    channels: [],
  }));
  const gateway = await startGateway(t, { config: { provision: { drivers, assets } } });
  const { warnings } = await examine(gateway);
  assert.equal(warnings.length, 1, warnings.join('\n'));
  assert.match(warnings[0] ?? '', /^devices: the drivers north, south all use 127\.0\.0\.1:1/);
});

test('doctor asks devices that nobody has asked since the start', needs('libmodbus'), async (t) => {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' };
  const [closedPort = 0] = await findFreePorts(1);
  const plant = [device.port, closedPort].map((port, index) => ({
    driver: { pid: `line${index}`, type: 'modbus', host: '127.0.0.1', port },
    asset: {
      pid: `pump${index}`,
      driver: `line${index}`,
      channels: [{ name: 'level', type: 'READ', valueType: 'INTEGER', address }],
    },
  }));
  const gateway = await startGateway(t, {
    config: {
      provision: { drivers: plant.map(({ driver }) => driver), assets: plant.map(({ asset }) => asset) },
    },
  });
  const { wrong } = await examine(gateway);
  assert.match(wrong[0] ?? '', /^driver line1: .*no connection to 127\.0\.0\.1/);
  assert.ok(!wrong.some((text) => text.includes('line0') || text.includes('pump0')), String(wrong));
});
