import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { sourceOf } from '../../../support/programs.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { startCommand } from '../command.ts';
import { programOf } from '../../../support/tools.ts';
import { needs } from '../../../support/tests-that-need.ts';

const CLIENT = path.resolve(import.meta.dirname, 'opcua-client.ts');

test(
  'simulate serves the plant over OPC UA as it does over Modbus, and leaves nothing behind',
  needs('pymodbus'),
  async (t) => {
    const temporary = createTemporaryDirectory(t);
    // Only a checkout has a server of OPC UA.
    const program = sourceOf('daemon/cli/main');
    const words = ['simulate', '--protocols', 'modbus-tcp,opcua'];
    const command = startCommand(t, words, { TMPDIR: temporary }, program);
    const [, modbusPort] = await command.find(/^modbus-tcp 127\.0\.0\.1:(\d+)$/m);
    const [, endpoint = ''] = await command.find(/^opcua (opc\.tcp:\/\/127\.0\.0\.1:\d+)\nready$/m);
    const environment = { ...process.env, HOME: temporary };
    const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, endpoint], { env: environment });
    // The library prints its own remarks before.
    assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
      setpoint: 60,
      flowTemperature: 'number',
      deviceName: 'Boiler house 1',
      energy: 'bigint beyond 412000000',
      missing: 'BadNodeIdUnknown',
      written: 'Good',
      refused: ['BadOutOfRange', 'BadNotWritable'],
      readBack: 64.5,
    });
    const registers = path.resolve(import.meta.dirname, 'pymodbus-client.py');
    const { stdout: seen } = await promisify(execFile)(programOf('pymodbus'), [
      registers,
      'tcp',
      modbusPort ?? '',
    ]);
    assert.equal((JSON.parse(seen) as { readonly setpoint: number }).setpoint, 645);
    command.process.kill('SIGTERM');
    assert.equal(await command.ended, 0);
    assert.deepEqual(
      readdirSync(temporary).filter((name) => name.startsWith('penstock')),
      [],
    );
  },
);
