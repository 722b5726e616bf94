import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startAsyncuaServer } from '../support/asyncua-server.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { findProgram } from '../support/programs.ts';

const CLI = findProgram('daemon/cli/main');

interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly notes: string;
}

/** Runs `penstock import` on a file of its own, without a terminal. */
async function importText(
  gateway: RunningGateway,
  text: string | Uint8Array,
  [source, ...options]: readonly string[],
): Promise<Outcome> {
  const file = path.join(gateway.directory, 'export');
  writeFileSync(file, text);
  return penstock(gateway, ['import', source ?? '', file, ...options]);
}

async function penstock(gateway: RunningGateway, words: readonly string[]): Promise<Outcome> {
  const environment = {
    PATH: process.env['PATH'],
    PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock'),
  };
  // As much memory as a small gateway has left.
  const child = spawn(process.execPath, ['--max-old-space-size=200', CLI, ...words], { env: environment });
  let output = '';
  let notes = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  child.stdin.end();
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output, notes };
}

type Items = readonly Readonly<Record<string, unknown>>[];

async function readSection(gateway: RunningGateway, section: string): Promise<Items> {
  const { output, status, notes } = await penstock(gateway, ['config', 'get', section, '--json']);
  assert.equal(status, 0, notes);
  return JSON.parse(output) as Items;
}

const property = (name: string, value: string): string =>
  `<esf:property array="false" encrypted="false" name="${name}" type="String"><esf:value>${value}</esf:value></esf:property>`;
const component = (pid: string, properties: Readonly<Record<string, string>>): string =>
  `<esf:configuration pid="${pid}"><esf:properties>${Object.entries(properties)
    .map(([name, value]) => property(name, value))
    .join('')}</esf:properties></esf:configuration>`;
const channel = (name: string, unit: string): Readonly<Record<string, string>> => ({
  [`${name}#+name`]: name,
  [`${name}#+type`]: 'READ',
  [`${name}#+value.type`]: 'BOOLEAN',
  [`${name}#unit.id`]: unit,
  [`${name}#primary.table`]: 'COILS',
  [`${name}#memory.address`]: '2049',
});

// The form of the snapshots in the documentation of eclipse-kura/kura; settings as its Modbus example names them.
const SNAPSHOT = `<?xml version="1.0" encoding="UTF-8"?>
<esf:configurations xmlns:esf="http://eurotech.com/esf/2.0">
${component('line1', {
  'service.factoryPid': 'org.eclipse.kura.driver.modbus',
  'access.type': 'TCP',
  'modbus.tcp-udp.ip': '127.0.0.1',
  'modbus.tcp-udp.port': '1',
})}
${component('boiler', { 'driver.pid': 'line1', ...channel('LED1', '1'), ...channel('LED2', '300') })}
</esf:configurations>`;

const provision = { drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: 1 }] };

test('a snapshot of Kura is shown first, made when that is confirmed, and what the gateway refuses is listed', async (t) => {
  const gateway = await startGateway(t, { config: { provision } });

  const shown = await importText(gateway, SNAPSHOT, ['kura', '--dry-run', '--json']);
  assert.equal(shown.status, 5, shown.notes);
  const report = JSON.parse(shown.output) as {
    readonly plan: { readonly added: readonly string[] };
    readonly untaken: readonly { readonly place: string; readonly reason: string }[];
  };
  assert.deepEqual(report.plan.added, ['drivers/line1', 'assets/boiler']);
  assert.deepEqual(
    report.untaken.map(({ place }) => place),
    ['boiler/LED2'],
  );
  assert.match(report.untaken[0]?.reason ?? '', /address\.unitId/);

  const unconfirmed = await importText(gateway, SNAPSHOT, ['kura']);
  assert.equal(unconfirmed.status, 1);
  assert.match(unconfirmed.notes, /nothing was changed/);
  assert.deepEqual(await readSection(gateway, 'assets'), []);

  const made = await importText(gateway, SNAPSHOT, ['kura', '--yes']);
  assert.equal(made.status, 5, made.notes);
  assert.match(made.output, /^adds asset boiler$/m);
  assert.match(made.output, /^boiler: 1 channel$/m);
  assert.match(made.output, /^boiler\/LED2 /m);
  const { recordDetails } = (await readSection(gateway, 'rest')) as { readonly recordDetails?: boolean };
  assert.equal(recordDetails, false, 'records have the members of Kura alone');
  assert.deepEqual(await readSection(gateway, 'drivers'), [
    ...provision.drivers,
    { pid: 'line1', type: 'modbus', host: '127.0.0.1', port: 1 },
  ]);
  assert.deepEqual(await readSection(gateway, 'assets'), [
    {
      pid: 'boiler',
      driver: 'line1',
      channels: [
        {
          name: 'LED1',
          type: 'READ',
          valueType: 'BOOLEAN',
          address: { unitId: 1, table: 'COILS', offset: 2049 },
        },
      ],
    },
  ]);
});

test('lists of channels go into an asset, which is replaced only as told', async (t) => {
  const gateway = await startGateway(t, { config: { provision } });
  const kura = `name,type,value.type,unit.id,primary.table,memory.address,data.type
flow,READ,INTEGER,1,INPUT_REGISTERS,4,UINT16
`;
  const first = await importText(gateway, kura, ['kura', '--asset', 'boiler', '--driver', 'plc', '--yes']);
  assert.equal(first.status, 0, first.notes);

  const kepware = '"Tag Name","Address","Data Type","Client Access"\n"level","400071",Short,RO\n';
  const options = ['kepware', '--asset', 'boiler', '--unit-id', '7', '--yes'];
  const refused = await importText(gateway, kepware, options);
  assert.equal(refused.status, 1);
  assert.match(refused.notes, /--replace/);
  const replaced = await importText(gateway, kepware, [...options, '--replace']);
  assert.equal(replaced.status, 0, replaced.notes);
  const [boiler] = await readSection(gateway, 'assets');
  assert.deepEqual(boiler, {
    pid: 'boiler',
    driver: 'plc',
    channels: [
      {
        name: 'level',
        type: 'READ',
        valueType: 'INTEGER',
        address: { unitId: 7, table: 'HOLDING_REGISTERS', offset: 70, dataType: 'INT16' },
      },
    ],
  });
  const emptied = await importText(gateway, kepware.replace('400071', 'DB1.DBW0'), [...options, '--replace']);
  assert.equal(emptied.status, 1);
  assert.match(emptied.output, /^row 2 /m);
  assert.deepEqual(await readSection(gateway, 'assets'), [boiler]);
  const again = await importText(gateway, kepware, options);
  assert.equal(again.status, 0, again.notes);
  assert.match(again.output, /nothing changes/);
});

test('an export of Neuron is read from the device at once', needs('libmodbus'), async (t) => {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const gateway = await startGateway(t);
  // The form of tests/ft/http/test_global_config.py of emqx/neuron.
  const text = JSON.stringify({
    nodes: [{ plugin: 'Modbus TCP', name: 'modbus' }],
    groups: [{ driver: 'modbus', group: 'group', interval: 100 }],
    tags: [
      {
        driver: 'modbus',
        group: 'group',
        tags: [{ type: 3, name: 'hold_int16', attribute: 3, decimal: 0, address: '1!400008' }],
      },
    ],
    settings: [{ node: 'modbus', params: { host: '127.0.0.1', port: device.port, timeout: 3000 } }],
  });
  const made = await importText(gateway, text, ['neuron', '--yes']);
  assert.equal(made.status, 0, made.notes);
  // The registers of the device hold their offsets.
  const read = await penstock(gateway, ['asset', 'read', 'modbus.group']);
  assert.match(read.output, /^hold_int16 +7 /m);
});

test('nodes of OPC UA of all three products arrive from a server', needs('asyncua'), async (t) => {
  await using server = await startAsyncuaServer({ policies: ['NoSecurity'] });
  const gateway = await startGateway(t);
  const node = (name: string, type: string, valueType: string): Readonly<Record<string, string>> => ({
    [`${name}#+type`]: 'READ',
    [`${name}#+value.type`]: valueType,
    [`${name}#node.id`]: name,
    [`${name}#node.namespace.index`]: '2',
    [`${name}#node.id.type`]: 'STRING',
    [`${name}#opcua.type`]: type,
  });
  const snapshot = `<esf:configurations xmlns:esf="http://eurotech.com/esf/2.0">
${component('server', {
  'service.factoryPid': 'org.eclipse.kura.driver.opcua',
  'endpoint.ip': '127.0.0.1',
  'endpoint.port': String(server.port),
  'security.policy': '0',
})}
${component('tank', { 'driver.pid': 'server', ...node('level', 'INT32', 'INTEGER'), ...node('text', 'STRING', 'STRING') })}
</esf:configurations>`;
  const kura = await importText(gateway, snapshot, ['kura', '--yes']);
  assert.equal(kura.status, 0, kura.output + kura.notes);
  const tags = 'Tag Name;Address;Data Type;Client Access\r\nlevel;ns=2;s=level;Long;R/W\r\n';
  const quoted = tags.replace('ns=2;s=level', '"ns=2;s=level"');
  const target = ['kepware', '--asset', 'tags', '--driver', 'server', '--yes'];
  const kepware = await importText(gateway, Buffer.from(`\u{FEFF}${quoted}`, 'utf16le'), target);
  assert.equal(kepware.status, 0, kepware.output + kepware.notes);
  const nodes = [
    {
      name: 'north',
      plugin: 'OPC UA',
      params: { url: `opc.tcp://127.0.0.1:${server.port}`, security_mode: 1 },
      groups: [{ group: 'g', tags: [{ name: 'level', type: 5, attribute: 3, address: '2!level' }] }],
    },
  ];
  const neuron = await importText(gateway, JSON.stringify({ nodes }), ['neuron', '--yes']);
  assert.equal(neuron.status, 0, neuron.output + neuron.notes);

  await penstock(gateway, ['asset', 'write', 'tags', 'level=4711']);
  assert.equal((await server.show('level')).value, 4711);
  for (const asset of ['tank', 'tags', 'north.g']) {
    const read = await penstock(gateway, ['asset', 'read', asset]);
    assert.match(read.output, /^level +4711 /m, asset + read.notes);
  }
  assert.match((await penstock(gateway, ['asset', 'read', 'tank'])).output, /^text +Kessel /m);
});

test('a list is read in any encoding that says what it is', async (t) => {
  const gateway = await startGateway(t, { config: { provision } });
  const list = 'Tag Name;Address;Data Type;Description\r\nflow;400001;Word;Zufluß\r\n';
  const read = async (bytes: Uint8Array, ...options: readonly string[]): Promise<readonly unknown[]> => {
    const target = ['kepware', '--asset', 'a', '--driver', 'plc', '--yes', '--replace', ...options];
    const { status, notes } = await importText(gateway, bytes, target);
    const [asset] = await readSection(gateway, 'assets');
    const channels = (asset?.['channels'] ?? []) as Items;
    return status === 0 ? channels.map(({ description }) => description) : [status, notes];
  };
  const wide = Buffer.from(list, 'utf16le');
  assert.deepEqual(await read(Buffer.from(`\u{FEFF}${list}`)), ['Zufluß']);
  assert.deepEqual(await read(Buffer.from(`\u{FEFF}${list}`, 'utf16le')), ['Zufluß']);
  assert.deepEqual(await read(Buffer.from(`\u{FEFF}${list}`, 'utf16le').swap16()), ['Zufluß']);
  assert.deepEqual(await read(wide, '--encoding', 'utf-16le'), ['Zufluß']);
  assert.deepEqual(await read(Buffer.from(list, 'latin1'), '--encoding', 'windows-1252'), ['Zufluß']);
  assert.match(
    String(await read(Buffer.from(list, 'latin1'))),
    /^1,.*is not utf-8; specify another one with --encoding/,
  );
  assert.match(
    String(await read(Buffer.from(list.replace('ß', 's'), 'utf16le'))),
    /^1,.*--encoding utf-16le/,
  );
});

test('a file that cannot be taken over changes nothing and says where', async (t) => {
  const gateway = await startGateway(t, { config: { provision } });
  const target = ['--asset', 'a', '--driver', 'plc', '--yes'];
  const heading = 'Tag Name,Address,Data Type\n';
  for (const [text, words, status, notes] of [
    [heading + 'a,400001,Word\n'.repeat(1_000_000), ['kepware', ...target], 1, /row 100002.*100001 rows/],
    [heading + 'a,400001,Word,,\n'.repeat(1_200_000), ['kepware', ...target], 1, /16 MiB/],
    [`<configurations>${'<configuration pid="a"/>'.repeat(1_000_000)}`, ['kura', '--yes'], 1, /16 MiB/],
    [`<configurations>${'<a/>'.repeat(1_000_000)}</configurations>`, ['kura', '--yes'], 1, /800000 XML tags/],
    [`{"nodes":[${'{},'.repeat(1_000_000)}{}]}`, ['neuron', '--yes'], 1, /300000 objects/],
    [`${heading}"a`, ['kepware', ...target], 1, /row 2/],
    [`${heading}a,DB1.DBW0,Word\n`, ['kepware', ...target, '--unit-id', '900'], 2, /--unit-id/],
    [heading, ['kepware', '--yes'], 2, /--asset/],
    [heading, ['kepware', '--asset', 'a', '--driver', 'none', '--yes'], 1, /unknown driver "none"/],
    [heading, ['kepware', ...target, '--encoding', 'none'], 2, /--encoding/],
    ['<a>', ['kura', '--yes'], 1, /XML/],
    ['{"nodes":[{"name":"a"}]}', ['neuron', '--yes'], 1, /nodes\[0\]/],
    ['{"nodes":[{"name":"a","plugin":"S7"}]}', ['neuron', '--yes'], 1, /nothing to import/],
  ] as const) {
    const outcome = await importText(gateway, text, words);
    assert.equal(outcome.status, status, outcome.notes);
    assert.match(outcome.notes, notes);
  }
  assert.equal((await penstock(gateway, ['import', 'kura', '/nonexistent'])).status, 1);
  assert.deepEqual(await readSection(gateway, 'assets'), []);
  assert.deepEqual(await readSection(gateway, 'drivers'), provision.drivers);
});
