import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { answerOf } from '../support/answer-of.ts';
import { writeChannels, listChannels } from '../../daemon/interface/plant/assets.ts';

const PASSWORD = 'turbine-password';
const CONFIGURATION = '/services/configuration/v1';
const SHEET = `${CONFIGURATION}/assets/of-a-sheet/_tags`;

const address = (offset: number): object => ({
  unitId: 1,
  table: 'HOLDING_REGISTERS',
  offset,
  dataType: 'INT16',
});
const TERMS = {
  minimum: 10,
  maximum: 200,
  maximumStep: 20,
  verify: { tolerance: 0, withinMs: 500 },
  onlyIf: [{ channel: 'interlock', operator: 'EQUALS', value: 1, maximumAgeMs: 5000 }],
};
const RATE = { maximumChangePerSecond: 0.001 };

/** The channels of an asset, in registers of its own; every register holds its offset at first. */
function makeChannels(first: number, terms: object = TERMS): readonly object[] {
  const common = { type: 'READ_WRITE', valueType: 'INTEGER' };
  return [
    { ...common, name: 'setpoint', address: address(first), write: terms },
    { ...common, name: 'interlock', address: address(first + 1) },
    { ...common, name: 'ramp', address: address(first + 2), write: RATE },
  ];
}

const cell = (value: object | string): string => `"json:${JSON.stringify(value).replaceAll('"', '""')}"`;

/** The same channels as a sheet, with the conditions as they are given. */
function makeSheet(first: number, { minimum = '10', onlyIf = cell(TERMS.onlyIf) } = {}): string {
  const columns = [
    'minimum',
    'maximum',
    'maximumStep',
    'maximumChangePerSecond',
    'verify.withinMs',
    'onlyIf',
  ];
  const head = ['name', 'type', 'valueType', 'address', ...columns.map((name) => `write.${name}`)];
  const common = ['READ_WRITE', 'INTEGER'];
  return [
    head,
    ['setpoint', ...common, cell(address(first)), minimum, '200', '20', '', '500', onlyIf],
    ['interlock', ...common, cell(address(first + 1)), '', '', '', '', '', ''],
    ['ramp', ...common, cell(address(first + 2)), '', '', '', '0.001', '', ''],
  ]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');
}

const template = (name: string, channels: readonly object[]): string =>
  JSON.stringify({
    name,
    title: 'Boiler',
    manufacturer: 'Example',
    model: 'B1',
    source: 'Register list, revision 1',
    driver: 'modbus',
    parameters: {},
    channels,
  });

test(
  'terms of writes hold wherever they are given: provision files, templates and tag sheets',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const identities = [
      { name: 'engineer', permissions: ['rest.configuration', 'rest.assets'], password: PASSWORD },
    ];
    const gateway = await startGateway(t, {
      config: {
        provision: {
          identities,
          drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [
            { pid: 'of-a-file', driver: 'line', channels: makeChannels(100) },
            { pid: 'of-a-sheet', driver: 'line', channels: [] },
          ],
        },
      },
    });
    mkdirSync(path.join(gateway.dataDirectory, 'templates'), { recursive: true });
    writeFileSync(
      path.join(gateway.dataDirectory, 'templates/boiler.yaml'),
      template('boiler', makeChannels(120)),
    );
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login('engineer', PASSWORD);
    const change = async (method: string, place: string, body: string | object): Promise<void> => {
      const type = typeof body === 'string' ? 'text/csv' : 'application/json';
      const headers = { 'Content-Type': type, 'If-Match': '*' };
      const answer = await client.send(method, place, { body, headers });
      assert.equal(answer.status, 200, answer.text);
    };
    await change('PUT', `${CONFIGURATION}/assets/of-a-template`, { driver: 'line', template: 'boiler' });
    await change('PUT', SHEET, makeSheet(140));

    for (const [pid, first] of [
      ['of-a-file', 100],
      ['of-a-template', 120],
      ['of-a-sheet', 140],
    ] as const) {
      const write = async (name: string, value: number): Promise<string> => {
        const body = { channels: [{ name, type: 'INTEGER', value }] };
        const { json } = await client.send('POST', `/services/assets/${pid}/_write`, { body });
        const [record] = answerOf(writeChannels, { json });
        return `${record?.outcome} ${record?.statusCode ?? ''}`.trim();
      };
      const { json } = await client.send('GET', `/services/assets/${pid}`);
      const [setpoint, , ramp] = answerOf(listChannels, { json });
      assert.deepEqual([setpoint?.write, ramp?.write], [TERMS, RATE], pid);

      assert.equal(await write('setpoint', first + 1), 'NOT_SENT WRITE_CONDITION_FALSE', pid);
      assert.equal(await write('interlock', 1), 'ACKNOWLEDGED', pid);
      assert.equal(await write('setpoint', 9), 'NOT_SENT WRITE_LIMIT_EXCEEDED', pid);
      assert.equal(await write('setpoint', 201), 'NOT_SENT WRITE_LIMIT_EXCEEDED', pid);
      assert.equal(await write('setpoint', first + 21), 'NOT_SENT WRITE_STEP_EXCEEDED', pid);
      assert.equal(await write('setpoint', first + 20), 'VERIFIED', pid);
      assert.equal(await write('ramp', 5), 'ACKNOWLEDGED', pid);
      assert.equal(await write('ramp', 1000), 'NOT_SENT WRITE_RATE_EXCEEDED', pid);
    }
  },
);

test('terms of writes that are wrong are refused at their place, and nothing is changed', async (t) => {
  const identities = [
    { name: 'engineer', permissions: ['rest.configuration', 'rest.assets'], password: PASSWORD },
  ];
  const drivers = [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: 9 }];
  const asset = { pid: 'of-a-sheet', driver: 'line', channels: makeChannels(0) };
  const gateway = await startGateway(t, { config: { provision: { identities, drivers, assets: [asset] } } });
  mkdirSync(path.join(gateway.dataDirectory, 'templates'), { recursive: true });
  const { onlyIf } = TERMS;
  const crossed = makeChannels(0, { minimum: 5, maximum: 1, onlyIf });
  writeFileSync(path.join(gateway.dataDirectory, 'templates/crossed.yaml'), template('crossed', crossed));
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('engineer', PASSWORD);
  const put = async (place: string, body: string | object, type: string): Promise<string> => {
    const headers = { 'Content-Type': type, 'If-Match': '*' };
    const { status, text } = await client.send('PUT', place, { body, headers });
    assert.equal(status, 400, text);
    return text;
  };
  const before = (await client.send('GET', CONFIGURATION)).text;

  const sheets = [
    [makeSheet(0, { minimum: 'ten' }), 'write.minimum'],
    [makeSheet(0, { minimum: '300' }), 'write.m'],
    [makeSheet(0, { onlyIf: cell([{ channel: 'nothing', value: 1 }]) }), 'write.onlyIf.0.channel'],
    [
      makeSheet(0, { onlyIf: cell([{ channel: 'ramp', value: 1, operator: 'IS' }]) }),
      'write.onlyIf.0.operator',
    ],
    [makeSheet(0, { onlyIf: 'json:[' }), 'write.onlyIf'],
  ] as const;
  for (const [sheet, column] of sheets) {
    const { faults } = JSON.parse(await put(SHEET, sheet, 'text/csv')) as {
      readonly faults: readonly { readonly row: number; readonly column: string }[];
    };
    assert.equal(faults[0]?.row, 2, column);
    assert.ok(faults[0].column.startsWith(column), `${faults[0].column} for ${column}`);
  }
  const templated = { driver: 'line', template: 'crossed' };
  const refused = await put(`${CONFIGURATION}/assets/other`, templated, 'application/json');
  assert.match(refused, /template \\"crossed\\", channels\[0\]\.write/);
  const direct = { driver: 'line', channels: makeChannels(0, { maximumStep: -1 }) };
  assert.match(
    await put(`${CONFIGURATION}/assets/other`, direct, 'application/json'),
    /channels.*write.*maximumStep/,
  );
  assert.equal((await client.send('GET', CONFIGURATION)).text, before);

  const folder = path.join(gateway.directory, 'provision.d');
  mkdirSync(folder);
  const wrong = { ...asset, pid: 'of-a-file', channels: makeChannels(0, { ...TERMS, minimum: '10' }) };
  writeFileSync(path.join(folder, 'boiler.yaml'), JSON.stringify({ assets: [wrong] }));
  gateway.process.kill('SIGHUP');
  const { reason } = await gateway.line('reload.failed');
  assert.match(String(reason), /boiler\.yaml:1: assets\[0\]\.channels\[0\]\.write\.minimum: /);
});
