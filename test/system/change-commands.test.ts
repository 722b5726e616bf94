import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { runCommand } from '../daemon/cli/command.ts';

/** Runs `penstock` on the socket of a gateway. */
function createCommand(t: Owner, { dataDirectory }: RunningGateway) {
  const socket = ['--socket', path.join(dataDirectory, 'penstock.sock')];
  const run = (line: string, ...more: readonly string[]) =>
    runCommand(t, [...line.split(' '), ...more, ...socket]);
  return {
    run,
    get: async (where: string): Promise<unknown> =>
      JSON.parse((await run(`config get ${where} --json`)).output) as unknown,
  };
}

test('a device is set up, tested, read and removed one command at a time', needs('libmodbus'), async (t) => {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const { run, get } = createCommand(t, await startGateway(t));
  const steps = [
    `driver add plc --type modbus --host 127.0.0.1 --port ${device.port}`,
    'driver test plc',
    'asset add pump --driver plc --scaleOnWrite false',
    'channel add pump level --type READ --valueType INTEGER --table HOLDING_REGISTERS --offset 7 --data-type INT16',
    'channel set pump level --address.offset 9',
    'driver set plc --retries 0',
    'driver set plc --unset retries',
    'asset read pump',
  ];
  const outcomes = [];
  for (const step of steps) outcomes.push({ step, ...(await run(step)) });
  assert.deepEqual(
    outcomes.filter(({ status }) => status !== 0),
    [],
  );
  assert.match(outcomes[1]?.output ?? '', /^Outcome: +the device responds$/m);
  assert.match(outcomes[5]?.output ?? '', /^changed driver plc\nrestarted the connection plc\n/);
  assert.match(outcomes[7]?.output ?? '', /^level +9 /m);
  assert.deepEqual(await get('drivers'), [
    { pid: 'plc', type: 'modbus', host: '127.0.0.1', port: device.port },
  ]);
  const address = { table: 'HOLDING_REGISTERS', offset: 9, dataType: 'INT16' };
  const level = { name: 'level', type: 'READ', valueType: 'INTEGER', address };
  assert.deepEqual(await get('assets'), [
    { pid: 'pump', driver: 'plc', scaleOnWrite: false, channels: [level] },
  ]);

  const used = await run('driver remove plc');
  assert.deepEqual(
    [used.status, used.errors],
    [1, 'penstock driver: plc is used by pump; remove these assets first with "penstock asset remove"\n'],
  );
  // What clients lose is what the command itself names.
  assert.equal((await run('channel remove pump level')).status, 0);
  assert.equal((await run('asset remove pump')).status, 0);
  assert.equal((await run('driver remove plc')).status, 0);
  assert.deepEqual([await get('drivers'), await get('assets')], [[], []]);
});

test('an error in a configuration names the item, not only its number in the list', async (t) => {
  const { run } = createCommand(t, await startGateway(t));
  const file = path.join(createTemporaryDirectory(t), 'plant.json');
  const replace = async (...assets: readonly object[]): Promise<readonly [number | null, string]> => {
    writeFileSync(file, JSON.stringify({ drivers: [], assets }));
    const { status, errors } = await run('config replace', file, '--yes');
    return [status, errors];
  };
  const pump = { pid: 'pump', driver: 'plc', channels: [] };
  assert.deepEqual(await replace(pump), [1, 'penstock config: pump: driver: unknown driver "plc"\n']);
  assert.deepEqual(await replace(pump, { ...pump, pid: 'fan' }), [
    1,
    'penstock config: the document has errors:\n  pump: driver: unknown driver "plc"\n  fan: driver: unknown driver "plc"\n',
  ]);
});

test('an asset takes its channels from a tag sheet, when it is added and later', async (t) => {
  const gateway = await startGateway(t, {
    config: { provision: { drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 1 }] } },
  });
  const { run, get } = createCommand(t, gateway);
  const file = path.join(createTemporaryDirectory(t), 'sheet.csv');
  const head = 'name,type,valueType,address.table,address.offset,address.dataType\n';
  writeFileSync(file, `${head}flow,READ,INTEGER,HOLDING_REGISTERS,7,INT16\n`);
  const dryRun = await run(`asset add pump --driver plc --sheet ${file} --dry-run`);
  assert.deepEqual([dryRun.status, dryRun.output], [0, 'adds asset pump\n']);
  assert.equal((await run(`asset add pump --driver plc --sheet ${file}`)).status, 0);
  assert.match(
    (await run(`asset add pump --driver plc --sheet ${file}`)).errors,
    /change it with "penstock asset set"/,
  );
  writeFileSync(file, `${head}level,READ,INTEGER,HOLDING_REGISTERS,8,INT16\n`);
  const replaced = await run(`asset set pump --sheet ${file} --yes --json`);
  assert.deepEqual((JSON.parse(replaced.output) as { cutsOff: unknown }).cutsOff, [
    'reads of flow of asset pump',
  ]);
  const address = { table: 'HOLDING_REGISTERS', offset: 8, dataType: 'INT16' };
  assert.deepEqual(await get('assets pump'), {
    pid: 'pump',
    driver: 'plc',
    channels: [{ name: 'level', type: 'READ', valueType: 'INTEGER', address }],
  });
});

test('one key of the configuration is changed and given its default again', async (t) => {
  const rest = { allowedPorts: [], sessionInactivityIntervalSeconds: 60 };
  const services = [{ pid: 'plant.north', issuer: 'north' }, { pid: 'local' }];
  const gateway = await startGateway(t, {
    config: { provision: { rest, tokenIssuingServices: services } },
  });
  const { run, get } = createCommand(t, gateway);
  assert.equal((await run('config set rest.basicAuthenticationEnabled true')).status, 0);
  assert.equal((await run('config set rest.sessionInactivityIntervalSeconds --unset')).status, 0);
  assert.equal((await run('config set tokenIssuingServices.plant.north.algorithm es384')).status, 0);
  assert.equal((await run('config set banners.preLogin.message', 'Hands off: true')).status, 0);
  assert.deepEqual(await get(''), {
    rest: { allowedPorts: [], basicAuthenticationEnabled: true },
    tokenIssuingServices: [{ ...services[0], algorithm: 'ES384' }, services[1]],
    banners: { preLogin: { message: 'Hands off: true' } },
  });
});

test('one key of a channel is changed and given its default again, also one of a template', async (t) => {
  const driver = { pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 1 };
  const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };
  const channel = (name: string) => ({ name, type: 'READ', valueType: 'INTEGER', address });
  const channels = [channel('level'), channel('flow.out'), channel('flow')];
  const templated = { pid: 'meter', driver: 'plc', template: 'eastron-sdm630', parameters: { unitId: 3 } };
  const gateway = await startGateway(t, {
    config: {
      provision: {
        drivers: [driver],
        assets: [
          { pid: 'pump', driver: 'plc', channels: [] },
          { pid: 'pump.north', driver: 'plc', channels },
          templated,
        ],
      },
    },
  });
  const { run, get } = createCommand(t, gateway);
  for (const [line, status, said] of [
    ['assets.pump.north.channels.level.valueScale 10', 0, 'changed asset pump.north'],
    ['assets.pump.north.channels.flow.out.address.offset 9', 0, 'changed asset pump.north'],
    ['assets.pump.north.channels.flow.unit l/s', 0, 'changed asset pump.north'],
    ['assets.pump.north.channels.flow.unit --unset', 0, 'changed asset pump.north'],
    ['assets.pump.north.channels.level.valueScael 2', 2, '"valueScale"'],
    ['assets.pump.north.channels.level.scale 2', 2, '"valueScale"'],
    ['assets.pump.north.channels.level.valueScale ten', 2, 'a number'],
    ['assets.pump.north.channels.levle.valueScale 2', 1, '"level"'],
    ['assets.pump.north.channels.level', 2, 'VALUE'],
    ['assets.pump.north.channels.level 2', 2, 'channel set'],
    ['assets.pump.north.channels.level.valueScale 3 --dry-run', 0, 'changes asset pump.north'],
    ['assets.meter.channels.frequency.displayName Grid', 0, 'changed asset meter'],
    ['assets.meter.channels.frequenzy.displayName Grid', 1, '"frequency"'],
  ] as const) {
    const outcome = await run(`config set ${line}`);
    assert.equal(outcome.status, status, `${line}: ${outcome.errors}`);
    assert.ok(`${outcome.output}${outcome.errors}`.includes(said), `${line}: ${outcome.errors}`);
  }
  for (const [typed, found] of [
    ['asse', ['assets.']],
    ['assets.pump', ['assets.pump.', 'assets.pump.north.']],
    ['assets.pump.n', ['assets.pump.north.']],
    ['assets.pump.c', ['assets.pump.channels.']],
    [
      'assets.pump.north.channels.fl',
      ['flow.', 'flow.out.'].map((name) => `assets.pump.north.channels.${name}`),
    ],
    ['assets.pump.north.channels.flow.out.valueS', ['assets.pump.north.channels.flow.out.valueScale']],
    ['assets.meter.channels.freq', ['assets.meter.channels.frequency.']],
    ['drivers.plc.ho', ['drivers.plc.host']],
    ['rest.allowedP', ['rest.allowedPorts']],
  ] as const) {
    // What follows "--" is a word.
    const { output } = await runCommand(t, [
      'completion',
      'words',
      '--',
      'config',
      'set',
      '--socket',
      path.join(gateway.dataDirectory, 'penstock.sock'),
      typed,
    ]);
    assert.deepEqual(output.split('\n').slice(0, -1), found, typed);
  }
  const removed = await run('channel remove meter voltageL1N');
  assert.deepEqual([removed.status, removed.output], [1, ''], removed.errors);
  assert.deepEqual(await get('assets'), [
    { pid: 'pump', driver: 'plc', channels: [] },
    {
      pid: 'pump.north',
      driver: 'plc',
      channels: [
        { ...channels[0], valueScale: 10 },
        { ...channels[1], address: { ...address, offset: 9 } },
        channels[2],
      ],
    },
    { ...templated, channels: [{ name: 'frequency', displayName: 'Grid' }] },
  ]);
});

test('what is misspelt is refused with the word that was meant, and changes nothing', async (t) => {
  const driver = { pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 1 };
  const asset = { pid: 'pump', driver: 'plc', channels: [] };
  const gateway = await startGateway(t, { config: { provision: { drivers: [driver], assets: [asset] } } });
  const { run, get } = createCommand(t, gateway);
  for (const [line, status, hint] of [
    ['drivre list', 2, '"driver"'],
    ['driver lst', 2, '"list"'],
    ['driver list --jsno', 2, '"--json"'],
    ['driver add line --type modbsu --host x', 2, '"modbus"'],
    ['driver add line --type modbus --hots x', 2, '"--host"'],
    ['driver add plc --type modbus --host x', 1, '"penstock driver set"'],
    ['driver set plcc --host x', 1, '"plc"'],
    ['driver test plx', 1, '"plc"'],
    ['driver set plc --port 99999', 2, 'at most 65535'],
    ['driver set plc --password geheim', 2, 'unknown option'],
    ['driver add opc --type opcua --endpointUrl opc.tcp://x --password geheim', 2, '@FILE'],
    ['asset add fan --driver plcx', 2, '"plc"'],
    ['asset show pumb', 1, '"pump"'],
    ['channel set pumb level --unit m', 1, '"pump"'],
    ['channel add pump level --typ READ', 2, '"--type"'],
    ['config set rset.allowedPorts 443', 2, '"rest"'],
    ['config set rest.allowedPort 443', 2, '"allowedPorts"'],
    ['config set rest.allowedPorts', 2, '--unset'],
    ['config set rest 1', 2, 'config replace'],
    ['config set assets.pump.channels.level.unit m', 1, 'has no channel "level"'],
    ['config set assets.pump.channels m', 2, 'append the name of a channel'],
    ['config set assets.pump.chanels.level.unit m', 2, '"channels"'],
    ['config set assets.pumb.channels.level.unit m', 1, '"pump"'],
    ['config set asets.pump.channels.level.unit m', 2, '"assets"'],
    ['config set drivers.plcx.host y', 1, '"plc"'],
    ['identity create scada --permission rest.asets', 2, '"rest.assets"'],
  ] as const) {
    const outcome = await run(line);
    assert.deepEqual([line, outcome.status, outcome.output], [line, status, ''], outcome.errors);
    assert.ok(outcome.errors.includes(hint), `${line}: ${outcome.errors}`);
    assert.ok(!outcome.errors.includes('geheim'), line);
  }
  assert.deepEqual(await get(''), { drivers: [driver], assets: [asset] });
});

test('config schema prints what the gateway knows, also as schemas of files', async (t) => {
  const { run } = createCommand(t, await startGateway(t));
  const titles = [];
  for (const kind of ['', ' penstock', ' provision', ' template']) {
    const { output, errors } = await run(`config schema${kind}`);
    titles.push((JSON.parse(output) as { readonly title?: string }).title ?? errors);
  }
  assert.deepEqual(titles, [
    'Managed configuration',
    'Configuration of Penstock',
    'Provision file of Penstock',
    'Device template',
  ]);
  const unknown = await run('config schema provison');
  assert.deepEqual([unknown.status, /did you mean "provision"/.test(unknown.errors)], [2, true]);
});

test('what is wrong with a recorder is named as the option that says it', async (t) => {
  const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };
  const flow = { name: 'flowTemperature', type: 'READ', valueType: 'INTEGER', address };
  const { run } = createCommand(
    t,
    await startGateway(t, {
      config: {
        provision: {
          drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 1 }],
          assets: [{ pid: 'boiler', driver: 'plc', channels: [flow] }],
        },
      },
    }),
  );
  const rows = [
    ['--asset boiler', '--intervalMs: either intervalMs or onChange: true is required'],
    ['--asset boiler --intervalMs 50', '--intervalMs 50: expected at least 100'],
    ['--asset boiler --intervalMs 500 --onChange', '--onChange: not allowed together with intervalMs'],
    ['--asset boiler --onChange no', '--onChange "no"; expected true'],
    ['--asset boilr --onChange', '--asset: unknown asset "boilr"; did you mean "boiler"?'],
    [
      '--asset boiler:flow --onChange',
      '--asset: asset "boiler": unknown channel "flow"; did you mean "flowTemperature"?',
    ],
    ['--asset boiler --asset boiler --onChange', '--asset: "boiler" is used twice'],
    ['--asset boiler:a,a --onChange', '--asset "boiler:a,a": "a" is used twice'],
    ['--asset boiler: --onChange', '--asset "boiler:": expected PID:CHANNEL,...'],
  ] as const;
  for (const [options, message] of rows) {
    const { status, errors } = await run(`recorder add minute ${options}`);
    assert.deepEqual([status, errors.split('\n')[0]], [2, `penstock: ${message}`]);
  }
});
