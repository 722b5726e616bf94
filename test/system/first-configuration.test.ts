import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { findProgram } from '../support/programs.ts';

const CLI = findProgram('daemon/cli/main');

const rest = { statelessCertificateAuthenticationEnabled: true, passwordAuthenticationEnabled: false };
const SHEET = `name,type,valueType,valueScale,unit,address.unitId,address.table,address.offset,address.dataType
flow,READ,FLOAT,0.1,m3/h,1,HOLDING_REGISTERS,70,INT16
setpoint,READ_WRITE,INTEGER,,,1,HOLDING_REGISTERS,7,UINT16
`;
const channels = [
  {
    name: 'flow',
    type: 'READ',
    valueType: 'FLOAT',
    valueScale: 0.1,
    unit: 'm3/h',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 70, dataType: 'INT16' },
  },
  {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' },
  },
];

/** Runs `penstock` to its end, which has to be a good one. */
async function penstock(words: readonly string[], socket = ''): Promise<string> {
  const environment = { PATH: process.env['PATH'], PENSTOCK_SOCKET: socket };
  const child = spawn(process.execPath, [CLI, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let notes = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  assert.equal(status, 0, `${words.join(' ')}: ${notes}`);
  return output;
}

/** An authority created by the command line, and a gateway that trusts its clients. */
async function start(t: Owner, provision: object | undefined) {
  const directory = createTemporaryDirectory(t);
  const authority = path.join(directory, 'ca');
  await penstock(['certificate', 'init', '--authority', authority]);
  await penstock(['certificate', 'issue', 'scada', '--authority', authority, '--output', directory]);
  if (provision !== undefined) {
    mkdirSync(path.join(directory, 'provision.d'));
    writeFileSync(path.join(directory, 'provision.d', 'plant.yaml'), JSON.stringify(provision));
  }
  const tls = {
    clientCertificateAuthoritiesFile: 'ca/ca.crt',
    certificateRevocationListFile: 'ca/ca.crl',
  };
  return startGateway(t, { directory, config: { tls } });
}

const socketOf = ({ dataDirectory }: RunningGateway): string => path.join(dataDirectory, 'penstock.sock');

/** Options that let the client with the certificate in over the network. */
function remoteOptions({ directory, dataDirectory, clientAuthPorts }: RunningGateway): readonly string[] {
  return [
    ['--url', `https://localhost:${clientAuthPorts[0]}`],
    ['--ca', path.join(dataDirectory, 'tls', 'server.crt')],
    ['--cert', path.join(directory, 'scada.crt')],
    ['--key', path.join(directory, 'scada.key')],
  ].flat();
}

/** Reads, writes and reads back over mutual TLS; the registers of the device hold their offsets at first. */
async function useDevice(gateway: RunningGateway, formerSetpoint: number, setpoint: number): Promise<void> {
  const remote = remoteOptions(gateway);
  const before = await penstock(['asset', 'read', 'boiler', ...remote]);
  assert.match(before, /^flow +7 +m3\/h +/m);
  assert.match(before, new RegExp(`^setpoint +${formerSetpoint} `, 'm'));
  await penstock(['asset', 'write', 'boiler', `setpoint=${setpoint}`, ...remote]);
  const after = await penstock(['asset', 'read', 'boiler', 'setpoint', ...remote]);
  assert.match(after, new RegExp(`^setpoint +${setpoint} `, 'm'));
}

async function describeState(gateway: RunningGateway) {
  const socket = socketOf(gateway);
  return {
    document: JSON.parse(await penstock(['config', 'get', '--json'], socket)) as unknown,
    identities: JSON.parse(await penstock(['identity', 'list', '--json'], socket)) as readonly unknown[],
  };
}

test(
  'the command line and provision files set up the same gateway from nothing, which reads and writes a device over mutual TLS',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const line = { type: 'modbus', host: '127.0.0.1', port: device.port };

    const commanded = await start(t, undefined);
    const socket = socketOf(commanded);
    await penstock(['identity', 'create', 'scada', '--permission', 'rest.assets'], socket);
    const write = (name: string, content: string): string => {
      const file = path.join(commanded.directory, name);
      writeFileSync(file, content);
      return file;
    };
    // It ends logins with a password.
    await penstock(['config', 'replace', write('rest.json', JSON.stringify(rest)), 'rest', '--yes'], socket);
    await penstock(
      ['config', 'replace', write('line.json', JSON.stringify(line)), 'drivers', 'line1'],
      socket,
    );
    await penstock(
      ['config', 'replace', write('boiler.yaml', 'driver: line1\n'), 'assets', 'boiler'],
      socket,
    );
    await penstock(['config', 'tags-set', 'boiler', write('boiler.csv', SHEET)], socket);
    await useDevice(commanded, 7, 42);

    const provisioned = await start(t, {
      rest,
      identities: [{ name: 'scada', permissions: ['rest.assets'] }],
      drivers: [{ pid: 'line1', ...line }],
      assets: [{ pid: 'boiler', driver: 'line1', channels }],
    });
    await useDevice(provisioned, 42, 43);

    const [byCommands, byFiles] = [await describeState(commanded), await describeState(provisioned)];
    assert.deepEqual(byFiles.document, byCommands.document);
    assert.deepEqual(byFiles.document, {
      rest,
      drivers: [{ pid: 'line1', ...line }],
      assets: [{ pid: 'boiler', driver: 'line1', channels }],
    });
    // Where provision files bring identities, no first administrator is needed.
    const [administrator, ...others] = byCommands.identities;
    assert.deepEqual((administrator as { userName: string }).userName, 'admin');
    assert.deepEqual(byFiles.identities, others);
  },
);
