import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { AnswerOf } from '../../daemon/interface/endpoint.ts';
import { readChannels, writeChannels } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import type { ModbusProcess } from '../support/modbus-process.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';

const PASSWORD = 'value-layouts-password';
const { after, before, test } = testsThatNeed('libmodbus');
let server: ModbusProcess;
before(async () => {
  server = await startLibmodbusServer();
});
after(() => server.close());

const holding = (name: string, valueType: string, address: object): object => ({
  name,
  type: 'READ_WRITE',
  valueType,
  address: { table: 'HOLDING_REGISTERS', ...address },
});

const channels = [
  holding('numbers', 'STRING', { offset: 100, dataType: 'INT16', count: 3 }),
  holding('longs', 'STRING', { offset: 110, dataType: 'UINT64', count: 2 }),
  holding('coils', 'STRING', { table: 'COILS', offset: 10, count: 4 }),
  holding('decimal', 'INTEGER', { offset: 200, dataType: 'BCD32' }),
  holding('digits', 'INTEGER', { offset: 0xab, dataType: 'BCD16' }),
  holding('clock', 'STRING', { offset: 210, dataType: 'CP56TIME2A', timeZone: 'Europe/Berlin' }),
  holding('clockMs', 'LONG', { offset: 210, dataType: 'CP56TIME2A', timeZone: 'Europe/Berlin' }),
  holding('label', 'STRING', {
    offset: 220,
    dataType: 'STRING',
    length: 8,
    encoding: 'latin1',
    padding: 'SPACE',
  }),
];

async function start(t: TestContext): Promise<SessionClient> {
  const provision = {
    identities: [{ name: 'scada', permissions: ['rest.assets'], password: PASSWORD }],
    drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: server.port }],
    assets: [{ pid: 'plant', driver: 'line1', channels }],
  };
  const gateway = await startGateway(t, { config: { provision } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('scada', PASSWORD);
  return client;
}

async function call(
  client: SessionClient,
  path: string,
  list: readonly unknown[],
): Promise<AnswerOf<typeof readChannels>> {
  const answer = await client.send('POST', `/services/assets/plant/${path}`, {
    body: JSON.stringify({ channels: list }),
    headers: { 'Content-Type': 'application/json' },
  });
  assert.equal(answer.status, 200, answer.text);
  return answerOf(path === '_read' ? readChannels : writeChannels, answer);
}

test('arrays, decimals, times and texts are written and read as values of the seven types', async (t) => {
  const client = await start(t);
  const values = [
    { name: 'numbers', type: 'STRING', value: '[-32768, 0, 32767]' },
    { name: 'longs', type: 'STRING', value: '[18446744073709551615,9007199254740993]' },
    { name: 'coils', type: 'STRING', value: '[true,false,false,true]' },
    { name: 'decimal', type: 'INTEGER', value: 12_345_678 },
    { name: 'clock', type: 'STRING', value: '2026-07-01T14:00:00.5+02:00' },
    { name: 'label', type: 'STRING', value: 'Öl 1' },
  ];
  const written = await call(client, '_write', values);
  assert.deepEqual(
    written.map(({ channelStatus }) => channelStatus.channelFlag),
    values.map(() => 'SUCCESS'),
  );
  const read = await call(client, '_read', [...values.map(({ name }) => name), 'clockMs']);
  assert.deepEqual(
    read.map(({ value }) => value),
    [
      '[-32768,0,32767]',
      '[18446744073709551615,9007199254740993]',
      '[true,false,false,true]',
      12_345_678,
      '2026-07-01T12:00:00.500Z',
      'Öl 1',
      Date.UTC(2026, 6, 1, 12, 0, 0, 500),
    ],
  );
});

test('an element that does not fit is named by its index, and nothing is written', async (t) => {
  const client = await start(t);
  const earlier = await call(client, '_read', ['numbers']);
  const records = await call(client, '_write', [
    { name: 'numbers', type: 'STRING', value: '[1,2,40000]' },
    { name: 'numbers', type: 'STRING', value: '[1,2]' },
    { name: 'numbers', type: 'STRING', value: 'one' },
  ]);
  assert.deepEqual(
    records.map(({ channelStatus }) => channelStatus),
    [
      'element [2]: 40000 is out of range for INT16',
      'expected 3 elements, not 2',
      'the text is no JSON array such as [1,2.5]',
    ].map((exceptionMessage) => ({ channelFlag: 'FAILURE', exceptionMessage })),
  );
  assert.deepEqual((await call(client, '_read', ['numbers']))[0]?.value, earlier[0]?.value);
});

test('registers that are no decimal digits are a failure without a value', async (t) => {
  // Registers hold their offset, here 00ab.
  const [record] = await call(await start(t), '_read', ['digits']);
  assert.equal(record?.value, undefined);
  assert.deepEqual(record?.channelStatus, {
    channelFlag: 'FAILURE',
    exceptionMessage: 'the device holds 00ab, which is not a BCD number',
  });
});
