import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { runCommand, startCommand } from './command.ts';
import type { RunningCommand } from './command.ts';

// Debian's own interpreter: the library belongs to it, whatever else is in the path.
const PYTHON = '/usr/bin/python3';
const CLIENT = path.resolve(import.meta.dirname, 'pymodbus-client.py');

test('simulate serves the plant to a client of another maker', async (t) => {
  const { port } = await startPlant(t);
  const { stdout } = await promisify(execFile)(PYTHON, [CLIENT, String(port)]);
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
  assert.match(errors, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use .*--port`));
});

test('simulate on an address of another machine ends with 1 and names the address', async (t) => {
  const { status, errors } = await runCommand(t, ['simulate', '--host', '192.0.2.9']);
  assert.equal(status, 1);
  assert.match(errors, /192\.0\.2\.9/);
});

async function startPlant(t: TestContext): Promise<{ command: RunningCommand; port: number }> {
  const command = startCommand(t, ['simulate']);
  const [, port] = await command.find(/^listening on port (\d+)\n/);
  return { command, port: Number(port) };
}
