import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
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

const CLIENTS = PYMODBUS_SERVERS.flatMap(([name]) => [
  { name, transport: 'tcp' } as const,
  { name, transport: 'udp' } as const,
]);

for (const { name, transport } of CLIENTS) {
  test(`simulate serves the plant over ${transport} to a client on ${name}`, needs(name), async (t) => {
    const { port } = await startPlant(t, transport);
    const { stdout } = await promisify(execFile)(programOf(name), [CLIENT, transport, String(port)]);
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
  assert.match(errors, /"profibus": expected modbus-tcp, modbus-udp, modbus-rtu, serial, opcua/);
});

test('simulate calls a gateway, with its registration first', async (t) => {
  const gateway = createServer();
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  t.after(() => gateway.close());
  const { port } = gateway.address() as AddressInfo;
  const called = once(gateway, 'connection');
  const words = ['--protocols', 'modbus-udp', '--call', `127.0.0.1:${port}`, '--registration', 'DTU01'];
  const command = startCommand(t, ['simulate', ...words]);
  await command.find(new RegExp(`\\nmodbus-call 127\\.0\\.0\\.1:${port}\\nready\\n$`));
  const [socket] = (await called) as [Socket];
  const [packet] = (await once(socket, 'data')) as [Buffer];
  assert.equal(packet.toString(), 'DTU01');
  const request = appendCrc(1, Buffer.from('0300000001', 'hex'));
  socket.write(request);
  const [response] = (await once(socket, 'data')) as [Buffer];
  assert.deepEqual(response, appendCrc(1, Buffer.from('03020258', 'hex')));
  command.process.kill('SIGTERM');
  assert.equal(await command.ended, 0);
  assert.match(command.errors(), new RegExp(`^modbus-call: connected to 127.0.0.1:${port}\\n`));
});

for (const [words, message] of [
  [['--registration', 'DTU01'], /--registration requires --call/],
  [['--framing', 'MBAP'], /--framing requires --call/],
  [['--call', '127.0.0.1'], /--call "127\.0\.0\.1": expected HOST:PORT/],
  [['--call', 'gateway:70000'], /expected HOST:PORT/],
  [['--call', 'gateway:5020', '--registration', 'hex:0'], /"hex:0": expected text, or hex:/],
  [['--call', 'gateway:5020', '--framing', 'ASCII'], /"ASCII": expected RTU or MBAP/],
] as const) {
  test(`simulate ${words.join(' ')} is refused`, async (t) => {
    const { status, errors } = await runCommand(t, ['simulate', ...words]);
    assert.equal(status, 2);
    assert.match(errors, message);
  });
}

async function startPlant(
  t: TestContext,
  transport: 'tcp' | 'udp' = 'tcp',
): Promise<{ command: RunningCommand; port: number }> {
  const command = startCommand(t, ['simulate', '--protocols', `modbus-${transport}`]);
  const [, port] = await command.find(/^modbus-(?:tcp|udp) 127\.0\.0\.1:(\d+)\nready\n$/);
  return { command, port: Number(port) };
}
