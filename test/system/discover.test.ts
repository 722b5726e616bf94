import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { startModbusCaller } from '../../daemon/simulator/modbus-caller.ts';
import { PLANT_UNIT_IDS } from '../../daemon/simulator/plant-channels.ts';
import { SimulatedPlant } from '../../daemon/simulator/plant-memory.ts';
import { startCommand } from '../daemon/cli/command.ts';
import { createCommonModel, createSunspecMap } from '../drivers/modbus/scan/sunspec-memory.ts';
import { assertOnlyRead, startDevice } from '../drivers/modbus/scan/scan-bench.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { createFrame, exceptionFrame } from '../support/modbus-fault-server.ts';
import type { FaultServer } from '../support/modbus-fault-server.ts';
import { startMeters } from '../support/iec-meter.ts';
import { startCurrentPymodbusServer } from '../support/pymodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

const MODEL_113 = [113, [0, 62, ...Array<number>(58).fill(0)]] as const;

/** Starts a gateway of units of which unit 3 is an inverter; unit 9 never answers. */
function startInverter(t: TestContext): Promise<FaultServer> {
  const memory = createSunspecMap(40_000, [createCommonModel('ACME', 'Sun 5000', 'SN-7'), MODEL_113]);
  return startDevice(t, (request, connection) => {
    const { pdu, unitId } = request;
    if (unitId === 9) return;
    if (unitId !== 3) return connection.send(exceptionFrame(request, 0x0b));
    if (pdu[0] !== 3) return connection.send(exceptionFrame(request, 1));
    const quantity = pdu.readUInt16BE(3);
    const words = Array.from({ length: quantity }, (_, index) => memory.get(pdu.readUInt16BE(1) + index));
    if (words.includes(undefined)) return connection.send(exceptionFrame(request, 2));
    const bytes = words.flatMap((word = 0) => [word >> 8, word & 0xff]);
    connection.send(createFrame({ ...request, pdu: Buffer.from([3, bytes.length, ...bytes]) }));
  });
}

async function openBench(t: TestContext) {
  const device = await startInverter(t);
  const gateway = await startGateway(t);
  const socket = ['--socket', path.join(gateway.dataDirectory, 'penstock.sock')];
  const target = `127.0.0.1:${device.port}`;
  const words = (line: string): readonly string[] => [
    ...line.replace('TARGET', target).split(' '),
    ...socket,
  ];
  return {
    device,
    target,
    run: async (line: string) => {
      const command = startCommand(t, words(line), { COLUMNS: '80' });
      const status = await command.ended;
      return { status, output: command.output(), errors: command.errors() };
    },
    start: (line: string) => startCommand(t, words(line)),
  };
}

const FAST = '--units 1-4 --no-ranges --pause 0';

test('an inverter is found, added with its template, and read', async (t) => {
  const { device, run } = await openBench(t);
  const found = await run(`discover modbus TARGET ${FAST}`);
  assert.equal(found.status, 0, found.errors);
  assert.match(found.output, /^unit 3 +sunspec device +ACME, Sun 5000, 1.2, SN-7$/m);
  assert.match(found.output, /^sun-5000 +sunspec-inverter-113 +unitId=3 modelAt=40070$/m);
  assert.ok(found.output.split('\n').every(({ length }) => length <= 80));
  const dryRun = await run(`discover modbus TARGET ${FAST} --pid plant --add --dry-run`);
  assert.match(dryRun.output, /\nadds driver plant\nadds asset sun-5000\n$/);
  const added = await run(`discover modbus TARGET ${FAST} --pid plant --add --json`);
  assert.deepEqual((JSON.parse(added.output) as { added: unknown }).added, [
    'drivers/plant',
    'assets/sun-5000',
  ]);
  const read = await run('asset read sun-5000');
  assert.match(read.output, /^model +113 /m);
  // The device is configured now: everything is there already.
  const again = await run(`discover driver plant ${FAST} --add`);
  assert.deepEqual([again.status, again.errors], [0, 'everything found is already configured\n']);
  assertOnlyRead(device);
});

test('a device over UDP is found and added', needs('pymodbus-3.16'), async (t) => {
  const device = await startCurrentPymodbusServer('udp');
  t.after(() => device.close());
  const { run } = await openBench(t);
  const scan = `discover modbus 127.0.0.1:${device.port} --transport udp`;
  const added = await run(`${scan} --units 1 --no-ranges --pause 0 --pid meter --add`);
  assert.equal(added.status, 0, added.errors);
  assert.match(added.output, /^unit 1 +unit /m);
  const drivers = await run('config get drivers --json');
  assert.deepEqual(JSON.parse(drivers.output), [
    { pid: 'meter', type: 'modbus', transport: 'udp', host: '127.0.0.1', port: device.port },
  ]);
});

test(
  'registers without value and a unit without function code 3 are reported',
  needs('pymodbus-3.16'),
  async (t) => {
    const device = await startCurrentPymodbusServer('tcp', 'sparse');
    t.after(() => device.close());
    const { run } = await openBench(t);
    const found = await run(`discover modbus 127.0.0.1:${device.port} --units 1 --pause 0`);
    assert.equal(found.status, 0, found.errors);
    assert.match(found.output, /^unit 1 +not available +INPUT_REGISTERS 100-103: 0x8000, not available\?$/m);
    const text = found.output.replaceAll(/\s+/g, ' ');
    assert.match(text, /if it supports function code 23, set readFunction: READ_WRITE\./);
    assert.match(text, /If the device reports 0x8000 where it has no value, list it in notAvailable/);
    assert.ok(found.output.split('\n').every(({ length }) => length <= 80));
  },
);

test('a meter on a serial line is read out, added, and read', needs('python3'), async (t) => {
  const lines = ['C.1.0(54800102)', '1.8.0(0302.8260*kWh)'];
  const meters = await startMeters([{ identification: '/LGZ5\\2ZMD405', lines }]);
  t.after(() => meters[Symbol.asyncDispose]());
  const { run } = await openBench(t);
  const added = await run(`discover serial ${meters.device} --pid head --add`);
  assert.equal(added.status, 0, added.errors);
  assert.match(added.output, /^meter +meter +Landis\+Gyr ZMD405, mode C, 9600 bit\/s$/m);
  assert.match(added.output, /^zmd405 +2$/m);
  const drivers = await run('config get drivers --json');
  const framing = { type: 'IEC62056_21' };
  assert.deepEqual(JSON.parse(drivers.output), [
    { pid: 'head', type: 'serial', device: meters.device, framing },
  ]);
  const read = await run('asset read zmd405');
  assert.match(read.output, /^1\.8\.0 +302\.826 +kWh /m);
  // The line is configured now: its connection is used, and everything is there already.
  const again = await run(`discover serial ${meters.device} --add`);
  assert.deepEqual([again.status, again.errors], [0, 'everything found is already configured\n']);
});

test('a device that connects is found with its packet and its units, and added', async (t) => {
  const { run } = await openBench(t);
  const listenPort = await findFreePort();
  const stop = startModbusCaller({
    host: '127.0.0.1',
    port: listenPort,
    registration: Buffer.from('PUMP-0001'),
    framing: 'RTU',
    memory: new SimulatedPlant(),
    unitIds: PLANT_UNIT_IDS,
    pauseMs: 1,
    onState: () => undefined,
  });
  t.after(stop);
  const scan = `discover modbus :${listenPort} --wait 5`;
  const added = await run(`${scan} --units 1-2 --no-ranges --pause 0 --pid pump --add`);
  assert.equal(added.status, 0, added.errors);
  assert.match(added.output, /^127\.0\.0\.1 +caller +sent PUMP-0001 first; identify: \{/m);
  assert.match(added.output, /^unit 2 +unit /m);
  const drivers = await run('config get drivers --json');
  const identify = { registration: 'PUMP-0001' };
  assert.deepEqual(JSON.parse(drivers.output), [
    { pid: 'pump', type: 'modbus', transport: 'tcp-listen', listenPort, identify },
  ]);
});

test('Ctrl-C ends a scan, shows what was found, and nothing more is sent', async (t) => {
  const { device, start } = await openBench(t);
  const command = start('discover modbus TARGET --units 1,3,9 --no-ranges --responseTimeoutMs 60000 --json');
  while (!device.requests.some(({ unitId }) => unitId === 9))
    await device.received(device.requests.length + 1);
  command.process.kill('SIGINT');
  assert.equal(await command.ended, 0, command.errors());
  assert.match(command.errors(), /scan stopped/);
  const { findings, ...others } = JSON.parse(command.output()) as { findings: { subject: string }[] };
  assert.deepEqual([findings.map(({ subject }) => subject), others], [['unit 3'], {}]);
  while (device.openConnectionCount() > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(device.requests.at(-1)?.unitId, 9);
});

test('with --add nothing is added when a scan is stopped, fails or finds nothing', async (t) => {
  const { device, run, start } = await openBench(t);
  const stopped = start('discover modbus TARGET --units 9 --responseTimeoutMs 60000 --add');
  await device.received(1);
  stopped.process.kill('SIGINT');
  assert.equal(await stopped.ended, 1);
  assert.match(stopped.errors(), /nothing was added/);
  let empty = await run('discover modbus TARGET --units 1 --add');
  // The gateway may not know yet that the client has gone.
  while (empty.errors.includes('already in progress'))
    empty = await run('discover modbus TARGET --units 1 --add');
  assert.deepEqual([empty.status, empty.output], [1, 'Nothing found.\n']);
  await device.close();
  const failed = await run('discover modbus TARGET --add');
  assert.deepEqual([failed.status, failed.output], [1, '']);
  assert.match(failed.errors, /connection refused/);
  const drivers = await run('config get drivers --json');
  assert.deepEqual(JSON.parse(drivers.output), []);
});

test('what is misspelt is refused before anything is sent', async (t) => {
  const { device, run } = await openBench(t);
  for (const [line, status, hint] of [
    ['discover modbsu TARGET', 2, '"modbus"'],
    ['discover modbus', 2, 'missing'],
    ['discover modbus http://x', 2, 'HOST'],
    ['discover modbus TARGET --unit 1', 2, '--units'],
    ['discover modbus TARGET --hots x', 2, '--host'],
    ['discover modbus TARGET --units one', 1, '1-10,255'],
    ['discover modbus TARGET --limit soon', 2, 'seconds'],
    ['discover modbus TARGET --dry-run', 2, '--add'],
    ['discover driver nothing', 1, '"nothing"'],
  ] as const) {
    const { status: actual, errors } = await run(line);
    assert.equal(actual, status, `${line}: ${errors}`);
    assert.ok(errors.includes(hint), `${line}: ${errors}`);
  }
  assert.equal(device.requests.length, 0);
});
