import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { examine } from '../../support/doctor.ts';
import { findFreePorts } from '../../support/free-ports.ts';
import { startGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { answerFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { findProgram } from '../../support/programs.ts';

const CLI = findProgram('daemon/cli/main');

const channel = (name: string, unitId: number, offset: number) => ({
  name,
  type: 'READ',
  valueType: 'INTEGER',
  address: { unitId, table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
});

/** A gateway whose assets are on one connection. */
async function startPlant(t: Owner, port: number, assets: Readonly<Record<string, readonly object[]>>) {
  const [httpsPort = 0] = await findFreePorts(1);
  return startGateway(t, {
    config: {
      http: { host: '127.0.0.1', httpsPorts: [httpsPort], httpsClientAuthPorts: [] },
      provision: {
        drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port, responseTimeoutMs: 200 }],
        assets: Object.entries(assets).map(([pid, channels]) => ({ pid, driver: 'line', channels })),
      },
    },
  });
}

test('doctor finds nothing wrong with channels that have values', needs('libmodbus'), async (t) => {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const gateway = await startPlant(t, device.port, { pump: [channel('level', 1, 0), channel('flow', 1, 7)] });
  const { status, wrong, warnings } = await examine(gateway);
  assert.deepEqual({ status, wrong, warnings }, { status: 0, wrong: [], warnings: [] });
});

test(
  'doctor suspects values that are the usual raw numbers of a missing sensor, and its command ends that',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const scaled = (name: string, offset: number) => ({
      ...channel(name, 1, offset),
      valueType: 'DOUBLE',
      valueScale: 0.1,
    });
    const gateway = await startPlant(t, device.port, {
      pump: [scaled('flow', 0x8000), scaled('return', 0x80_01), channel('count', 1, 0x7f_ff)],
    });
    const { status, wrong, warnings, findings } = await examine(gateway);
    assert.deepEqual({ status, wrong }, { status: 0, wrong: [] });
    assert.deepEqual(warnings, [
      'asset pump: channel flow: value -3276.8 (raw value 0x8000): not available?',
    ]);
    const advice = findings.find(({ state }) => state === 'WARNING')?.advice ?? '';
    const [, command = ''] = /: penstock (channel set .*)$/.exec(advice) ?? [];
    const socket = path.join(gateway.dataDirectory, 'penstock.sock');
    const words = [...command.split(' '), '--yes', '--socket', socket];
    execFileSync(process.execPath, [CLI, ...words], { stdio: 'pipe' });
    assert.deepEqual((await examine(gateway)).warnings, []);
  },
);

test(
  'doctor names channels whose registers do not exist, once for all of them',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const missing = [60_000, 60_003, 60_005, 60_007].map((offset) => channel(`gone${offset}`, 1, offset));
    const gateway = await startPlant(t, device.port, { pump: [channel('level', 1, 0), ...missing] });
    const { status, wrong, findings } = await examine(gateway);
    assert.equal(status, 1);
    assert.equal(wrong.length, 1, String(wrong));
    assert.match(wrong[0] ?? '', /^asset pump: channels gone60000, gone60003, gone60005 and 1 more: /);
    assert.match(
      findings.find(({ state }) => state === 'WRONG')?.advice ?? '',
      /penstock channel set pump gone60000/,
    );
  },
);

test('doctor names a channel of a unit that refuses, beside one that answers', async (t) => {
  await using device = await startFaultServer((request, connection) => {
    connection.send(request.unitId === 2 ? exceptionFrame(request, 4) : answerFrame(request));
  });
  const gateway = await startPlant(t, device.port, {
    pump: [channel('level', 1, 0)],
    valve: [channel('position', 2, 0)],
  });
  const { status, wrong } = await examine(gateway);
  assert.equal(status, 1);
  assert.equal(wrong.length, 1, String(wrong));
  assert.match(wrong[0] ?? '', /^asset valve: channel position: /);
});

test('doctor names a silent unit once, however many assets and channels it has', async (t) => {
  await using device = await startFaultServer((request, connection) => {
    if (request.unitId !== 2) connection.send(answerFrame(request));
  });
  const gateway = await startPlant(t, device.port, {
    valve: [channel('position', 2, 0), channel('torque', 2, 1)],
    drive: [channel('speed', 2, 2)],
    pump: [channel('level', 1, 0)],
  });
  const { wrong } = await examine(gateway);
  assert.equal(wrong.length, 1, wrong.join('\n'));
  assert.match(wrong[0] ?? '', /^asset valve: .*unit 2/);
});

test('doctor names a connection that is away once, without its assets', async (t) => {
  const [closedPort = 0] = await findFreePorts(1);
  const gateway = await startPlant(t, closedPort, { a: [channel('x', 1, 0)], b: [channel('y', 1, 1)] });
  const { wrong, findings } = await examine(gateway);
  assert.equal(wrong.length, 1, wrong.join('\n'));
  assert.match(wrong[0] ?? '', /^driver line: no connection to 127\.0\.0\.1/);
  assert.match(
    findings.find(({ state }) => state === 'WRONG')?.advice ?? '',
    /^check power, .*; if the device supports Modbus over UDP, set transport: udp$/,
  );
});

for (const [what, plant] of [
  ['gone', (file: string) => rmSync(file)],
  ['broken', (file: string) => writeFileSync(file, 'name: meters\nchannels: 7\n')],
] as const) {
  test(`doctor names the template of an asset that is ${what}`, needs('libmodbus'), async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startPlant(t, device.port, {});
    const folder = path.join(gateway.dataDirectory, 'templates');
    const file = path.join(folder, 'meters.yaml');
    mkdirSync(folder);
    writeFileSync(file, TEMPLATE);
    const socket = path.join(gateway.dataDirectory, 'penstock.sock');
    const add = ['asset', 'add', 'meter', '--driver', 'line', '--template', 'meters', '--yes'];
    execFileSync(process.execPath, [CLI, ...add, '--socket', socket], { stdio: 'pipe' });
    assert.deepEqual((await examine(gateway)).wrong, []);
    plant(file);
    const { status, wrong } = await examine(gateway);
    assert.equal(status, 1);
    assert.equal(wrong.length, 1, String(wrong));
    assert.match(wrong[0] ?? '', /^template meters: .*asset meter keeps the previous channels/);
  });
}

const TEMPLATE = `
name: meters
title: Meters
manufacturer: Example
model: M1
source: Manual 1
driver: modbus
channels:
  - name: energy
    type: READ
    valueType: INTEGER
    address: { unitId: 1, table: HOLDING_REGISTERS, offset: 1, dataType: INT16 }
`;
