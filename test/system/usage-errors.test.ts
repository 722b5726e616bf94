import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { runCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';

const DRIVER = { pid: 'plc', type: 'modbus', transport: 'tcp', host: '127.0.0.1', port: 1 };

test('what the gateway refuses of a command line is wrong usage, by the name of its option', async (t) => {
  const gateway = await startGateway(t, {
    config: { provision: { drivers: [DRIVER], assets: [{ pid: 'pump', driver: 'plc', channels: [] }] } },
  });
  const socket = ['--socket', path.join(gateway.dataDirectory, 'penstock.sock')];
  const channel = ['--type', 'READ', '--valueType', 'FLOAT', '--table', 'INPUT_REGISTERS'];
  const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [
      [
        'driver',
        'add',
        'new',
        '--type',
        'modbus',
        '--host',
        '127.0.0.1',
        '--port',
        '99999',
        '--retries',
        '-1',
      ],
      /^ *(?:penstock: )?--port 99999: expected at most 65535$/m,
    ],
    [['driver', 'add', 'new', '--type', 'modbus'], /^penstock: --host is missing; expected a text$/m],
    [['driver', 'add', 'a b', '--type', 'modbus', '--host', 'x'], /^penstock: PID: expected a pid/m],
    [
      ['driver', 'set', 'plc', '--response-timeout-ms', '0'],
      /^penstock: --response-timeout-ms 0: expected at least 1$/m,
    ],
    [
      ['asset', 'add', 'new', '--driver', 'plc', '--template', 'none'],
      /^penstock: --template: unknown template/m,
    ],
    [
      ['channel', 'add', 'pump', 'c', ...channel, '--offset', '1', '--dataType', 'INT16', '--unitId', '300'],
      /^penstock: --unitId 300: expected at most 255$/m,
    ],
    [['channel', 'add', 'pump', 'c', ...channel, '--dataType', 'INT16'], /^penstock: --offset is missing/m],
    [
      ['channel', 'add', 'pump', 'a b', ...channel, '--offset', '1', '--dataType', 'INT16'],
      /^penstock: CHANNEL: expected a name/m,
    ],
    [
      ['config', 'set', 'drivers.plc.port', '99999'],
      /^penstock: drivers\.plc\.port "99999": expected at most/m,
    ],
    [['audit', 'list', '--limit', 'x'], /^penstock: --limit: expected decimal digits$/m],
    [['identity', 'create', 'ab'], /^penstock: NAME "ab": expected 3 to 255 characters$/m],
    [['identity', 'grant', 'admin', '--asset', 'pump/level'], /^penstock: --asset: expected a pattern/m],
  ];
  for (const [words, message] of cases) {
    const { status, errors } = await runCommand(t, [...words, ...socket]);
    assert.equal(status, 2, `${words.join(' ')}: ${errors}`);
    assert.match(errors, message);
    assert.match(errors, /^Usage: penstock /m);
  }
});

test('a certificate for a name that cannot be in one is wrong usage; for no identity it says so', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [{ name: 'scada' }] } } });
  const authority = ['--authority', path.join(gateway.directory, 'ca'), '--output', gateway.directory];
  const run = (...words: readonly string[]) => runCommand(t, ['certificate', ...words]);
  assert.equal((await run('init', ...authority.slice(0, 2))).status, 0);
  assert.equal((await run('issue', 'x'.repeat(65), ...authority)).status, 2);
  assert.equal((await run('server', 'not a name', ...authority)).status, 2);
  process.env['PENSTOCK_SOCKET'] = path.join(gateway.dataDirectory, 'penstock.sock');
  const missing = await run('issue', 'sacda', ...authority);
  delete process.env['PENSTOCK_SOCKET'];
  assert.equal(missing.status, 0, missing.errors);
  assert.match(missing.errors, /^the gateway has no identity "sacda"; did you mean "scada"\?$/m);
  assert.match(missing.errors, /create it with "penstock identity create sacda --permission rest\.assets"/);
});
