import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { issueServerCertificate } from '../../daemon/security/certificate/certificate-issuer.ts';
import type { KeyPair } from '../../daemon/security/certificate/certificate-issuer.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../support/certificate-authority.ts';
import { startLibmodbusLine, startLibmodbusServer } from '../support/libmodbus-server.ts';
import { buildPackage } from '../support/package-builder.ts';
import { listTlsFindings } from '../support/sslyze.ts';
import { needs } from '../support/tests-that-need.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { buildDebianPackage } from './built-package.ts';
import { awaitOperations, listPackages, sendPackage } from './deployed-packages.ts';
import { CLIENT_PORT, GatewayOnMachine } from './gateway-on-machine.ts';
import { bootMachine, findObstacle, HOST } from './machine.ts';
import { openSerialCable } from './serial-cable.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
const PAUSE_MS = 500;
const YEAR_DAYS = 365;
const BAUD_RATE = 19_200;
// Everything is many times slower there.
const RESPONSE_TIMEOUT_MS = 10_000;
const CONFIGURATION = '/services/configuration/v1';
const GROUP = '/sys/fs/cgroup/system.slice/penstock.service';
// A bundle that takes 16 MiB more every time that it has one, until something stops it.
const LEAK = `export function activate() {
  const kept = [];
  setInterval(() => kept.push(Buffer.alloc(16_777_216, 1)), 50);
}
`;

const JOURNAL = 'journalctl -u penstock.service -o cat';
const STOPPED = /"code":"BUNDLE_MEMORY_EXCEEDED"/;

interface ReadChannel {
  readonly channelStatus: object;
  readonly value?: unknown;
}

test('the installed gateway serves field devices, and stays within its bounds', options, async (t) => {
  const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
  const machine = await bootMachine(t, [443, CLIENT_PORT]);
  const gateway = await GatewayOnMachine.install(t, machine, packageFile);
  await gateway.prepare();
  const property = async (name: string): Promise<string> =>
    (await machine.shell(`systemctl show -P ${name} penstock.service`)).trim();
  const addDevice = async (pid: string, settings: object): Promise<void> => {
    const headers = { 'If-Match': '*' };
    const driver = { type: 'modbus', responseTimeoutMs: RESPONSE_TIMEOUT_MS, ...settings };
    await gateway.ask('PUT', `${CONFIGURATION}/drivers/${pid}`, { headers, body: driver });
    const channels = [10, 11, 500].map((offset) => ({
      name: `register${offset}`,
      type: 'READ_WRITE',
      valueType: 'INTEGER',
      address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
    }));
    await gateway.ask('PUT', `${CONFIGURATION}/assets/${pid}`, { headers, body: { driver: pid, channels } });
  };
  const readValues = async (pid: string): Promise<readonly unknown[]> => {
    const channels = (await gateway.ask('GET', `/services/assets/${pid}/_read`)) as readonly ReadChannel[];
    return channels.map((channel) => channel.value ?? channel.channelStatus);
  };

  const replaceCertificate = async ({ certificate, privateKey }: KeyPair): Promise<void> => {
    const before = await gateway.peek(new Agent());
    await machine.put(certificate, 'server.crt');
    await machine.put(privateKey, 'server.key');
    await machine.shell(`
      install -o penstock -g penstock -m 600 server.crt server.key /etc/penstock/tls/
      systemctl reload penstock.service`);
    // `systemctl reload` ends when the signal is sent, so the new certificate is waited for.
    while ((await gateway.peek(new Agent())).fingerprint === before.fingerprint) await pause(PAUSE_MS);
  };

  const server = await startLibmodbusServer();
  t.after(() => server.close());

  await t.test('a device on the network is read by a client with a certificate', async () => {
    await addDevice('network', { host: HOST, port: server.port });
    assert.deepEqual(await readValues('network'), [10, 11, 500]);
  });

  await t.test(
    'a device on a serial line is read and written, in the sandbox and without a privilege',
    async () => {
      const line = await startLibmodbusLine(await openSerialCable(t, machine.serialLine), {
        baudRate: BAUD_RATE,
      });
      t.after(() => line.close());
      await addDevice('line', {
        transport: 'rtu',
        device: '/dev/ttyS1',
        baudRate: BAUD_RATE,
        parity: 'none',
      });
      assert.deepEqual(await readValues('line'), [10, 11, 500]);
      const body = { channels: [{ name: 'register11', type: 'INTEGER', value: 4711 }] };
      await gateway.ask('POST', '/services/assets/line/_write', { body });
      assert.deepEqual(await readValues('line'), [10, 4711, 500]);
      assert.match(await machine.shell('stat -c "%U %G %a" /dev/ttyS1'), /^root dialout 660$/m);
    },
  );

  await t.test('a reload brings another certificate, and keeps the connections that are open', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const before = await gateway.peek(agent);
    await replaceCertificate(await getServerCertificate());
    assert.deepEqual(await gateway.peek(agent), before);
  });

  await t.test(
    'sslyze has no finding against the intermediate configuration of Mozilla but the private authority',
    needs('sslyze'),
    async () => {
      const folder = createTemporaryDirectory(t);
      const write = (name: string, text: string): string => {
        const file = path.join(folder, name);
        writeFileSync(file, text, { mode: 0o600 });
        return file;
      };
      const authority = await getCertificateAuthority();
      const names = { hostNames: ['localhost'], addresses: ['127.0.0.1'] };
      await replaceCertificate(await issueServerCertificate(authority, names, YEAR_DAYS));
      const client = await getClientCertificate('operator');
      const files = {
        certificateFile: write('client.pem', client.certificate),
        privateKeyFile: write('client.key', client.privateKey),
      };
      const authorityFile = write('ca.pem', authority.certificate);
      for (const inside of [443, CLIENT_PORT]) {
        const port = machine.port(inside);
        assert.deepEqual(await listTlsFindings({ port, authorityFile, client: files }), [], `port ${inside}`);
      }
    },
  );

  await t.test('a process that is stuck is replaced by the watchdog', async () => {
    const previous = await property('MainPID');
    await machine.shell(`kill -STOP ${previous}`);
    await gateway.ready();
    assert.notEqual(await property('MainPID'), previous);
    assert.match(await machine.shell('journalctl -u penstock.service -o cat -n 50'), /Watchdog timeout/);
    assert.deepEqual(await readValues('network'), [10, 11, 500]);
  });

  await t.test('a bundle that takes memory without end is stopped, and nothing else is', async () => {
    const previous = await property('MainPID');
    const bundles = [{ symbolicName: 'plant.leak', main: LEAK }];
    const place = await sendPackage(gateway, buildPackage({ symbolicName: 'leak', bundles }));
    const operation = (await awaitOperations(gateway)).find(({ id }) => place.endsWith(id));
    // Whether it is stopped before or after it counts as started depends on the speed of the machine.
    while (!STOPPED.test(await machine.shell(JOURNAL))) await pause(PAUSE_MS);
    if (operation?.state === 'COMPLETED') {
      await gateway.ask('DELETE', '/services/deploy/v2/leak');
      await awaitOperations(gateway);
    }
    assert.deepEqual(await listPackages(gateway), []);
    assert.deepEqual(await readValues('network'), [10, 11, 500]);
    assert.equal(await property('MainPID'), previous);
  });

  await t.test('the kernel enforces the limits of memory and processes', async () => {
    const previous = await property('MainPID');
    const limits = await machine.shell(`cat ${GROUP}/memory.max ${GROUP}/memory.high ${GROUP}/pids.max`);
    assert.equal(limits, `${1024 ** 3}\n${768 * 1024 ** 2}\n512\n`);
    const enter = `echo $$ >${GROUP}/cgroup.procs`;
    await machine.shell('systemctl set-property --runtime penstock.service TasksMax=64');
    const crowd = await machine.run(`sh -c '${enter} && for i in $(seq 100); do sleep 5 & done; wait' 2>&1`);
    assert.match(crowd.output, /fork/i);
    // Less than the machine has itself, so that it is this limit that ends the process.
    await machine.shell(
      'systemctl set-property --runtime penstock.service MemoryMax=300M MemoryHigh=infinity',
    );
    const hog = await machine.run(`sh -c '${enter} && exec tail /dev/zero'`);
    assert.notEqual(hog.status, 0);
    assert.match(await machine.shell(`cat ${GROUP}/memory.events`), /^oom_kill [1-9]/m);
    assert.deepEqual(await readValues('network'), [10, 11, 500]);
    assert.equal(await property('MainPID'), previous);
  });
});
