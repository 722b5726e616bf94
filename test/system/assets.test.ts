import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { suite } from 'node:test';
import type { TestContext } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import type { ModbusProcess } from '../support/modbus-process.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { readAssetStatus } from '../../daemon/interface/plant/asset-status.ts';
import { listChannels, readChannels, writeChannels } from '../../daemon/interface/plant/assets.ts';

const { after, before, test } = testsThatNeed('libmodbus');

type Read = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ClientAnswer>;

function holding(
  name: string,
  offset: number,
  dataType: string,
  more: object = {},
  address: object = {},
): object {
  const of = {
    INT16: 'INTEGER',
    INT64: 'LONG',
    FLOAT32: 'FLOAT',
    FLOAT64: 'DOUBLE',
    STRING: 'STRING',
    BYTES: 'BYTE_ARRAY',
  };
  const valueType = (of as Record<string, string>)[dataType] ?? 'INTEGER';
  return {
    name,
    type: 'READ_WRITE',
    valueType,
    address: { table: 'HOLDING_REGISTERS', offset, dataType, ...address },
    ...more,
  };
}

const channels = [
  holding('plain', 7, 'INT16', { type: 'READ', unit: 'rpm' }),
  holding('scaled', 100, 'INT16', { valueType: 'FLOAT', valueScale: 0.1, unit: 'degC' }),
  holding('long', 200, 'INT64'),
  holding('float', 210, 'FLOAT32'),
  holding('double', 220, 'FLOAT64'),
  holding('text', 230, 'STRING', {}, { length: 8 }),
  holding('bytes', 240, 'BYTES', {}, { length: 4 }),
  holding('flag', 250, 'BOOLEAN', { valueType: 'BOOLEAN' }, { bit: 3 }),
  holding('flagRegister', 250, 'INT16', { type: 'READ' }),
  { name: 'coil', type: 'READ_WRITE', valueType: 'BOOLEAN', address: { table: 'COILS', offset: 1 } },
  {
    name: 'input',
    type: 'READ',
    valueType: 'INTEGER',
    address: { table: 'INPUT_REGISTERS', offset: 9, dataType: 'UINT16' },
  },
  holding('missing', 60000, 'INT16'),
  holding('target', 300, 'INT16', { type: 'WRITE' }),
  holding('off', 301, 'INT16', { isEnabled: false }),
];

suite('assets over Modbus TCP', () => {
  let server: ModbusProcess;
  before(async () => {
    server = await startLibmodbusServer();
  });
  after(() => server.close());

  async function start(t: TestContext): Promise<{ gateway: RunningGateway; call: Read }> {
    const gateway = await startGateway(t, { config: { provision: plantOn(server.port) } });
    return { gateway, call: await callerOf(gateway) };
  }

  test('assets and channels are listed in configuration order, without addresses and settings', async (t) => {
    const { call } = await start(t);
    assert.deepEqual((await call('GET', '/services/assets/')).json, ['plant', 'empty', 'single']);
    const { json, text } = await call('GET', '/services/assets/plant');
    assert.deepEqual(
      answerOf(listChannels, { json }).map(({ name }) => name),
      namesOf(channels),
    );
    assert.deepEqual(answerOf(listChannels, { json })[1], {
      name: 'scaled',
      type: 'READ_WRITE',
      valueType: 'FLOAT',
      scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
      valueScale: 0.1,
      valueOffset: 0,
      unit: 'degC',
      isEnabled: true,
    });
    assert.ok(!text.includes('offset"') && !text.includes('127.0.0.1'));
    assert.equal((await call('GET', '/services/assets/nothing')).status, 404);
    assert.deepEqual((await call('GET', '/services/assets/empty/_read')).json, []);
  });

  test('a read returns every channel that can be read, each with its own outcome', async (t) => {
    const { call } = await start(t);
    const beforeMs = Date.now();
    const { status, json } = await call('GET', '/services/assets/plant/_read');
    const records = answerOf(readChannels, { json });
    assert.equal(status, 200);
    assert.deepEqual(
      records.map(({ name }) => name),
      namesOf(channels).slice(0, -2),
    );
    const { timestamp, ...plain } = records[0] ?? assert.fail();
    assert.deepEqual(plain, {
      channelStatus: { channelFlag: 'SUCCESS' },
      name: 'plain',
      valueType: 'INTEGER',
      value: 7,
      unit: 'rpm',
      quality: 'GOOD',
    });
    assert.ok(timestamp >= beforeMs && timestamp <= Date.now());
    const missing = records.find(({ name }) => name === 'missing');
    assert.equal(missing?.channelStatus.channelFlag, 'FAILURE');
    assert.match(missing?.channelStatus.exceptionMessage ?? '', /ILLEGAL DATA ADDRESS/);
    assert.equal(missing?.value, undefined);
    assert.deepEqual([missing?.quality, missing?.statusCode], ['BAD', 'MODBUS_EXCEPTION_2']);
    assert.equal(records.filter(({ channelStatus }) => channelStatus.channelFlag === 'SUCCESS').length, 11);
  });

  test('a read by name answers once per name, in order, and only the unreadable ones fail', async (t) => {
    const { call } = await start(t);
    const read = (list: unknown) => call('POST', '/services/assets/plant/_read', { channels: list });
    const records = answerOf(readChannels, await read(['input', 'nope', 'plain', 'input', 'target', 'off']));
    assert.deepEqual(
      records.map(({ name, value, valueType, channelStatus }) => [
        name,
        channelStatus.channelFlag,
        value,
        valueType,
      ]),
      [
        ['input', 'SUCCESS', 9, 'INTEGER'],
        ['nope', 'FAILURE', undefined, undefined],
        ['plain', 'SUCCESS', 7, 'INTEGER'],
        ['target', 'FAILURE', undefined, 'INTEGER'],
        ['off', 'FAILURE', undefined, 'INTEGER'],
      ],
    );
    assert.deepEqual((await read([])).json, []);
  });

  test('a written value reads back, for every type, scaled and unscaled', async (t) => {
    const { call } = await start(t);
    const values: readonly (readonly [name: string, type: string, value: string])[] = [
      ['scaled', 'FLOAT', '21.5'],
      ['long', 'LONG', '9007199254740993'],
      ['long', 'LONG', '-9223372036854775808'],
      ['float', 'FLOAT', '12.34'],
      ['double', 'DOUBLE', '0.1'],
      ['double', 'DOUBLE', '"-Infinity"'],
      ['float', 'FLOAT', '"NaN"'],
      ['text', 'STRING', '"Pümpe 1"'],
      ['bytes', 'BYTE_ARRAY', '"AAEC/w=="'],
      ['flag', 'BOOLEAN', 'true'],
      ['coil', 'BOOLEAN', 'false'],
    ];
    for (const [name, type, value] of values) {
      const written = await call(
        'POST',
        '/services/assets/plant/_write',
        `{"channels":[{"name":"${name}","type":"${type}","value":${value}}]}`,
      );
      assert.match(written.text, /"SUCCESS"/, `${name}: ${written.text}`);
      assert.ok(written.text.includes(`"value":${value},`), `${name}: the write echoes the value asked for`);
      const read = await call('POST', '/services/assets/plant/_read', { channels: [name] });
      assert.ok(read.text.includes(`"value":${value},`), `${name}: ${read.text}`);
    }
  });

  test('a write to an asset with scaleOnWrite false puts the value into the register as it is', async (t) => {
    const plant = plantOn(server.port);
    const [drivers, raw] = [plant.drivers, { ...plant.assets[0], pid: 'raw', scaleOnWrite: false }];
    const provision = { ...plant, drivers, assets: [...plant.assets, raw] };
    const gateway = await startGateway(t, { config: { provision } });
    const call = await callerOf(gateway);
    const write = { channels: [{ name: 'scaled', type: 'FLOAT', value: 215 }] };
    const valueOf = async (pid: string): Promise<unknown> => {
      const { json } = await call('POST', `/services/assets/${pid}/_read`, { channels: ['scaled'] });
      return answerOf(readChannels, { json })[0]?.value;
    };
    await call('POST', '/services/assets/raw/_write', write);
    assert.deepEqual([await valueOf('raw'), await valueOf('plant')], [21.5, 21.5]);
    await call('POST', '/services/assets/plant/_write', write);
    assert.deepEqual([await valueOf('raw'), await valueOf('plant')], [215, 215]);
  });

  test('a write of a bit leaves the other bits of its register alone', async (t) => {
    const { call } = await start(t);
    const writeFlag = (value: boolean) =>
      call('POST', '/services/assets/plant/_write', { channels: [{ name: 'flag', type: 'BOOLEAN', value }] });
    const readRegister = async (): Promise<unknown> => {
      const { json } = await call('POST', '/services/assets/plant/_read', { channels: ['flagRegister'] });
      return answerOf(readChannels, { json })[0]?.value;
    };
    // The server's registers hold their offset at first, and bit 3 of 250 is set.
    await writeFlag(false);
    assert.equal(await readRegister(), 250 - 8);
    await writeFlag(true);
    assert.equal(await readRegister(), 250);
  });

  test('a write answers once per element, in order with the value asked for, and refuses values that the channel does not take', async (t) => {
    const { call } = await start(t);
    const answer = await call('POST', '/services/assets/plant/_write', {
      channels: [
        { name: 'plain', type: 'INTEGER', value: 1 },
        { name: 'target', type: 'INTEGER', value: '17' },
        { name: 'target', type: 'LONG', value: 17 },
        { name: 'nope', type: 'STRING', value: 'x' },
        { name: 'off', type: 'INTEGER', value: 1 },
        { name: 'scaled', type: 'FLOAT', value: 1e6 },
        { name: 'missing', type: 'INTEGER', value: 1 },
      ],
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(
      answerOf(writeChannels, answer).map(({ name, channelStatus, value }) => [
        name,
        channelStatus.channelFlag,
        value,
      ]),
      [
        ['plain', 'FAILURE', 1],
        ['target', 'SUCCESS', 17],
        ['target', 'FAILURE', 17],
        ['nope', 'FAILURE', 'x'],
        ['off', 'FAILURE', 1],
        ['scaled', 'FAILURE', 1e6],
        ['missing', 'FAILURE', 1],
      ],
    );
  });

  test('a body that the endpoint does not take is refused with its error, and nothing is written', async (t) => {
    const { call } = await start(t);
    await call('POST', '/services/assets/plant/_write', {
      channels: [{ name: 'scaled', type: 'FLOAT', value: 1 }],
    });
    const cases: readonly (readonly [operation: string, body: string, named: RegExp])[] = [
      ['_read', '{}', /channels/],
      ['_read', '[]', /object/],
      ['_read', '{"channels":"plain"}', /channels/],
      ['_read', '{"channels":[1]}', /channels\[0\]/],
      ['_read', '{"channels":["plain"]', /JSON/],
      ['_read', '{"__proto__":{"channels":[]}}', /__proto__|channels/],
      ['_write', '{"channels":[{"name":"scaled","type":"FLOAT"}]}', /channels\[0\]\.value/],
      ['_write', '{"channels":[{"name":"scaled","value":2}]}', /channels\[0\]\.type/],
      ['_write', '{"channels":[{"type":"FLOAT","value":2}]}', /channels\[0\]\.name/],
      ['_write', '{"channels":[{"name":"scaled","type":"REAL","value":2}]}', /channels\[0\]\.type/],
      [
        '_write',
        '{"channels":[{"name":"scaled","type":"FLOAT","value":2},{"name":"long","type":"LONG","value":"x"}]}',
        /"long"/,
      ],
      ['_write', '{"channels":[{"name":"scaled","type":"FLOAT","value":1e999}]}', /scaled|channels\[0\]/],
      ['_write', '{"channels":[{"name":"flag","type":"BOOLEAN","value":"yes"}]}', /"flag"/],
      ['_write', '{"channels":[{"name":"long","type":"LONG","value":9223372036854775808}]}', /"long"/],
      ['_write', '{"channels":[{"name":"scaled","type":"FLOAT","value":null}]}', /channels\[0\]\.value/],
    ];
    for (const [operation, body, named] of cases) {
      const { status, json } = await call('POST', `/services/assets/plant/${operation}`, body);
      assert.equal(status, 400, body);
      assert.match(failureOf({ json }).message, named, body);
    }
    const { text } = await call('POST', '/services/assets/plant/_read', { channels: ['scaled'] });
    assert.ok(text.includes('"value":1,'), text);
  });

  test('one hundred equal reads at once cost at most two rounds on the bus', async (t) => {
    // A pause after each request slows the device down, so that all clients ask while the first is being served.
    const plant = plantOn(server.port, { delayBetweenRequestsMs: 6000, callDeadlineMs: 60_000 });
    const call = await callerOf(await startGateway(t, { config: { provision: plant } }));
    const askAll = (path: string) => Promise.all(Array.from({ length: 100 }, () => call('GET', path)));
    await askAll('/services/assets');
    await call('GET', '/services/assets/single/_read');
    await server.countRequests();
    const answers = await askAll('/services/assets/single/_read');
    assert.ok(answers.every(({ text }) => text.includes('"value":7,')));
    const requests = await server.countRequests();
    assert.ok(requests <= 2, `${requests} requests`);
  });

  test('values may be as old as the client allows, and Age shows how old they are', async (t) => {
    const { call } = await start(t);
    const headers = { 'Cache-Control': 'max-age=60' };
    await call('POST', '/services/assets/plant/_read', { channels: ['plain'] });
    await server.countRequests();
    const kept = await call('POST', '/services/assets/plant/_read', { channels: ['plain'] }, headers);
    assert.match(kept.headers.age ?? '', /^\d+$/);
    assert.equal(await server.countRequests(), 0);
    const fresh = await call('POST', '/services/assets/plant/_read', { channels: ['plain'] });
    assert.equal(fresh.headers.age, undefined);
    assert.equal(await server.countRequests(), 1);
  });

  test('the status names the connection, its state and the units behind it', async (t) => {
    const { call } = await start(t);
    await call('GET', '/services/assets/plant/_read');
    const { driver, units } = answerOf(readAssetStatus, await call('GET', '/services/assets/plant/_status'));
    assert.deepEqual(
      [driver['pid'], driver['type'], driver['endpoint'], driver['state']],
      ['line1', 'modbus', `127.0.0.1:${server.port}`, 'CONNECTED'],
    );
    assert.deepEqual(
      units.map(({ name, state }) => [name, state]),
      [['unit 1', 'ANSWERING']],
    );
  });

  test('a change of one asset leaves the connections of the others open', async (t) => {
    const { gateway, call } = await start(t);
    await call('GET', '/services/assets/plant/_read');
    const plant = plantOn(server.port);
    const reloaded = await gateway.reload({
      provision: {
        ...plant,
        assets: [...plant.assets, { pid: 'third', driver: 'line1', channels: [channels[0]] }],
      },
    });
    assert.equal(reloaded.event, 'reloaded');
    assert.deepEqual((await call('GET', '/services/assets')).json, ['plant', 'empty', 'single', 'third']);
    const { driver } = answerOf(readAssetStatus, await call('GET', '/services/assets/third/_status'));
    assert.deepEqual([driver.state, driver.counters['connects']], ['CONNECTED', 1]);
  });
});

test('a device that is absent at the start yields failures, and values once it is there', async (t) => {
  const absent = await startLibmodbusServer();
  await absent.close();
  const gateway = await startGateway(t, { config: { provision: plantOn(absent.port) } });
  const call = await callerOf(gateway);
  const { status, json } = await call('GET', '/services/assets/plant/_read');
  assert.equal(status, 200);
  for (const { channelStatus, value } of answerOf(readChannels, { json })) {
    assert.equal(channelStatus.channelFlag, 'FAILURE');
    assert.match(channelStatus.exceptionMessage ?? '', new RegExp(`127.0.0.1:${absent.port}`));
    assert.equal(value, undefined);
  }
  const write = await call('POST', '/services/assets/plant/_write', {
    channels: [{ name: 'target', type: 'INTEGER', value: 1 }],
  });
  assert.equal(answerOf(writeChannels, write)[0]?.channelStatus.channelFlag, 'FAILURE');
});

function plantOn(port: number, settings: object = {}) {
  return {
    rest: { statelessCertificateAuthenticationEnabled: true },
    identities: [{ name: 'scada', permissions: ['rest.assets'] }],
    drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port, ...settings }],
    assets: [
      { pid: 'plant', driver: 'line1', channels },
      { pid: 'empty', driver: 'line1', channels: [] },
      { pid: 'single', driver: 'line1', channels: channels.slice(0, 1) },
    ],
  };
}

async function callerOf({ clientAuthPorts: [port = 0] }: RunningGateway): Promise<Read> {
  const pair = await getClientCertificate('scada');
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 100,
    rejectUnauthorized: false,
    cert: pair.certificate,
    key: pair.privateKey,
  });
  return (method, path, body, headers = {}) => send({ port, agent }, method, path, { body, headers });
}

function namesOf(list: readonly object[]): readonly string[] {
  return (list as readonly { readonly name: string }[]).map(({ name }) => name);
}
