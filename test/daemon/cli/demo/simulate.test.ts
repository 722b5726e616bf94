import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { appendCrc } from '../../../../drivers/modbus/pdu/crc.ts';
import { PYMODBUS_SERVERS } from '../../../support/pymodbus-server.ts';
import { openScriptedInstrument } from '../../../support/serial-instrument.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { runCommand, startCommand } from '../command.ts';
import type { RunningCommand } from '../command.ts';
import { programOf } from '../../../support/tools.ts';
import { needs } from '../../../support/tests-that-need.ts';

const CLIENT = path.resolve(import.meta.dirname, 'pymodbus-client.py');

for (const [name] of PYMODBUS_SERVERS) {
  test(`simulate serves the plant to a client on ${name}`, needs(name), async (t) => {
    const { port } = await startPlant(t);
    const { stdout } = await promisify(execFile)(programOf(name), [CLIENT, String(port)]);
    const seen = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual(seen, {
      setpoint: 600,
      writtenSetpoint: 655,
      pump: false,
      deviceName: 'Boiler house 1',
      meterRegisters: 4,
      exceptionOfUnknownRegister: 2,
    });
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`simulate ends with 0 on ${signal}`, async (t) => {
    const { command } = await startPlant(t);
    command.process.kill(signal);
    assert.equal(await command.ended, 0);
  });
}

test('simulate on a port in use ends with 1 and names the port and the option', async (t) => {
  const { port } = await startPlant(t);
  const { status, output, errors } = await runCommand(t, ['simulate', '--port', String(port)]);
  assert.deepEqual([status, output], [1, '']);
  assert.match(errors, new RegExp(`port ${port} is in use by .*--port`));
});

test('simulate on an address of another machine ends with 1 and names the address', async (t) => {
  const { status, errors } = await runCommand(t, ['simulate', '--host', '192.0.2.9']);
  assert.equal(status, 1);
  assert.match(errors, /192\.0\.2\.9/);
});

test('simulate creates links to its serial lines, and removes them when it ends', async (t) => {
  const directory = createTemporaryDirectory(t);
  const [rtu, serial] = [path.join(directory, 'rtu'), path.join(directory, 'panel')];
  const lines = ['simulate', '--protocols', 'serial,modbus-rtu', '--rtu-link', rtu, '--serial-link', serial];
  const command = startCommand(t, lines);
  await command.find(/ready\n$/);
  assert.equal(command.output(), `modbus-rtu ${rtu}\nserial ${serial}\nready\n`);
  {
    using panel = await openScriptedInstrument(serial);
    panel.send('ID\r\n');
    await panel.expect('HEATING PANEL 1.0\r\n');
  }
  using client = await openScriptedInstrument(rtu);
  client.send(appendCrc(1, Buffer.from('0300000001', 'hex')).toString('latin1'));
  await client.expect(appendCrc(1, Buffer.from('03020258', 'hex')).toString('latin1'));
  command.process.kill('SIGTERM');
  assert.equal(await command.ended, 0);
  assert.deepEqual(readdirSync(directory), []);
});

test('simulate without perl serves the rest, and reports what is missing', async (t) => {
  const command = startCommand(t, ['simulate', '--protocols', 'modbus-tcp,modbus-rtu,serial'], {
    PATH: createTemporaryDirectory(t),
  });
  await command.find(/^modbus-tcp \S+\nready\n$/);
  // Both outputs are complete only when the command has ended.
  command.process.kill('SIGTERM');
  assert.equal(await command.ended, 0);
  assert.match(command.errors(), /^modbus-rtu is left out: .*perl.*\nserial is left out: .*perl/);
});

test('simulate ends with 1 when nothing that was requested is available', async (t) => {
  const command = startCommand(t, ['simulate', '--protocols', 'serial'], {
    PATH: createTemporaryDirectory(t),
  });
  assert.equal(await command.ended, 1);
});

test('simulate refuses an unknown protocol, and names the known ones', async (t) => {
  const { status, errors } = await runCommand(t, ['simulate', '--protocols', 'modbus-tcp,profibus']);
  assert.equal(status, 2);
  assert.match(errors, /"profibus": expected modbus-tcp, modbus-rtu, serial, opcua/);
});

async function startPlant(t: TestContext): Promise<{ command: RunningCommand; port: number }> {
  const command = startCommand(t, ['simulate', '--protocols', 'modbus-tcp']);
  const [, port] = await command.find(/^modbus-tcp 127\.0\.0\.1:(\d+)\nready\n$/);
  return { command, port: Number(port) };
}
