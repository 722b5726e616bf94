import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { bundlePrograms, listProgramModules } from '../../packaging/bundle-programs.ts';
import { readLicences } from '../../packaging/copyright.ts';
import { buildExamplePackage } from '../support/example-package.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { needs } from '../support/tests-that-need.ts';

const PROGRAMS = path.resolve(import.meta.dirname, '../../build/program');
const MODULES = path.resolve(import.meta.dirname, '../../node_modules');
const execute = promisify(execFile);
const CHIEF = { name: 'chief', password: 'a long enough password', permissions: ['rest.admin'] };

before(() => bundlePrograms());

test('the bundled command checks a template with the drivers, which it loads for that', async () => {
  const template = path.resolve(import.meta.dirname, '../../packaging/templates/eastron-sdm630.yaml');
  const command = path.join(PROGRAMS, 'daemon/cli/main.js');
  const { stdout } = await execute(process.execPath, [command, 'template', 'check', template]);
  assert.match(stdout, /eastron-sdm630/);
});

test('every module in the programs is named, and has a licence', async () => {
  const folders = await listProgramModules();
  const names = new Set(folders.map((folder) => path.relative(MODULES, folder)));
  for (const name of ['zod', 'node-opcua-client', 'serialport', 'modbus-serial'])
    assert.ok(names.has(name), name);
  for (const name of ['typescript', 'node-opcua']) assert.ok(!names.has(name), name);
  const licences = await readLicences(folders);
  assert.ok(licences.every(({ text }) => text.length > 10));
});

test('of Express only the router is in the programs, and no import loads all that a module of the runtime has', async () => {
  const folders = await listProgramModules();
  const names = new Set(folders.map((folder) => path.relative(MODULES, folder)));
  assert.ok(names.has('router'));
  for (const name of ['express', 'body-parser', 'send', 'mime-db']) assert.ok(!names.has(name), name);
  const files = (await readdir(PROGRAMS, { recursive: true })).filter((file) => file.endsWith('.js'));
  for (const file of files.filter((name) => name.startsWith('daemon/'))) {
    const imported = await listImports(path.join(PROGRAMS, file));
    assert.deepEqual(imported.filter(isBuiltin), [], file);
  }
});

async function listImports(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8');
  return [...text.matchAll(/(?:^|;)import(?:[^;"'`(]*?from)?\s*["']([^"']+)["']/g)].map(
    ([, name = '']) => name,
  );
}

test(
  'the bundled daemon loads every driver, reads, hashes passwords and runs bundles',
  needs('cc'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startGateway(t, {
      program: [path.join(PROGRAMS, 'daemon/main.js')],
      config: { provision: { identities: [CHIEF], ...plant(device.port) } },
    });
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login(CHIEF.name, CHIEF.password);
    assert.deepEqual(await readOutcomes(client, 'pump'), ['SUCCESS']);
    // What they say comes from the libraries that they have loaded.
    assert.match(String(await readOutcomes(client, 'plant')), /ECONNREFUSED/);
    assert.match(String(await readOutcomes(client, 'scale')), /absent/);
    await uploadPackage(client, buildExamplePackage('level-watch'));
    while (!(await isActive(client))) await setTimeout(50);
    assert.equal(await gateway.stop(), 0);
  },
);

function plant(port: number) {
  const type = 'READ';
  const channel = { name: 'level', type, valueType: 'INTEGER' };
  return {
    drivers: [
      { pid: 'line', type: 'modbus', host: '127.0.0.1', port },
      { pid: 'server', type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:1' },
      {
        pid: 'port',
        type: 'serial',
        device: '/dev/absent',
        framing: { type: 'delimiter', delimiter: '\\n' },
      },
    ],
    assets: [
      {
        pid: 'pump',
        driver: 'line',
        channels: [
          { ...channel, address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 8, dataType: 'UINT16' } },
        ],
      },
      { pid: 'plant', driver: 'server', channels: [{ ...channel, address: { nodeId: 'ns=1;s=level' } }] },
      {
        pid: 'scale',
        driver: 'port',
        channels: [{ ...channel, address: { response: { pattern: '(.*)' } } }],
      },
    ],
  };
}

async function readOutcomes(client: SessionClient, asset: string): Promise<readonly string[]> {
  const { json } = await client.send('GET', `/services/assets/${asset}/_read`);
  const records = json as readonly {
    readonly channelStatus: { readonly channelFlag: string; readonly exceptionMessage?: string };
  }[];
  return records.map(
    ({ channelStatus: { channelFlag, exceptionMessage } }) => exceptionMessage ?? channelFlag,
  );
}

async function isActive(client: SessionClient): Promise<boolean> {
  const { json } = await client.send('GET', '/services/deploy/v2/_bundles');
  return (json as readonly { readonly state: string }[]).some(({ state }) => state === 'ACTIVE');
}
