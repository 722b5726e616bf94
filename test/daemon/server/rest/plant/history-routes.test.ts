import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';
import { AssetAccess } from '../../../../../daemon/plant/access/asset-access.ts';
import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import type { HistoryQuery, HistoryRow } from '../../../../../daemon/plant/history/history-query.ts';
import type { JournalEntry, Sample } from '../../../../../daemon/plant/journal/sample.ts';
import type { Identity } from '../../../../../daemon/security/identity/identity.ts';
import {
  createHistoryRoutes,
  MAXIMUM_READINGS,
} from '../../../../../daemon/server/rest/plant/history-routes.ts';
import { createLastWrites } from '../../../../support/last-writes.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import { catchUp, createHistoryBench } from '../../../plant/history/history-bench.ts';
import { openApplication, toIdentity } from '../../http/application-fixture.ts';

const HEADERS = { Authorization: 'assets' };
const START_MS = Date.parse('2026-03-01T08:00:00Z');
const RANGE = `from=${START_MS}&to=${START_MS + 3_600_000}`;

const DRIVERS = [{ pid: 'line', type: 'scripted', line: '1' }];
const channel = (name: string, valueType: string): object => ({ name, type: 'READ', valueType, address: {} });
const ASSETS = [
  {
    pid: 'boiler',
    driver: 'line',
    channels: [channel('flow', 'DOUBLE'), channel('total', 'LONG'), channel('state', 'INTEGER')],
  },
  { pid: 'pump', driver: 'line', channels: [channel('speed', 'INTEGER')] },
];

interface BenchOptions {
  readonly history?: { read(query: HistoryQuery): AsyncGenerator<readonly HistoryRow[], void, undefined> };
}

async function openBench(t: TestContext, { history }: BenchOptions = {}) {
  const factory = createScriptedFactory();
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger: createMemoryLogger(),
    clock: systemClock,
    lastWrites: createLastWrites(systemClock),
    random: systemRandom,
  });
  const plant = finish(checkPlant([factory], { drivers: DRIVERS, assets: ASSETS }));
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  t.after(() => registry.stop());
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const recorded = history ?? (await bench.openHistory(journal));
  const identities = new Map<string, Identity>();
  const access = new AssetAccess({
    registry,
    identities: { find: (name) => identities.get(name) ?? toIdentity(name) },
    clock: systemClock,
  });
  const state = { isRecording: true };
  const application = await openApplication(
    t,
    createHistoryRoutes({
      access,
      history: () => (state.isRecording ? recorded : undefined),
      listRecorders: async () => [
        {
          recorder: 'minute',
          assets: [{ asset: 'boiler' }, { asset: 'pump', channels: ['speed'] }],
          bytes: 12,
          oldestMs: START_MS,
        },
        { recorder: 'new', assets: [{ asset: 'gone' }], bytes: 0, oldestMs: undefined },
      ],
      listConsumers: () => [{ consumer: 'history', lagSamples: 3, lagBytes: 9, lagSeconds: 1 }],
      logger: bench.logger,
      clock: { ...systemClock, epochMs: () => START_MS + 3_600_000 },
    }),
  );
  const read = async (query: string, accept?: string): Promise<string> => {
    const headers = accept === undefined ? HEADERS : { ...HEADERS, Accept: accept };
    const { status, text } = await application.send('GET', `/services/history/v1/${query}`, { headers });
    assert.equal(status, 200, text);
    return text;
  };
  return {
    ...application,
    state,
    identities,
    read,
    logger: bench.logger,
    record: async (entries: readonly JournalEntry[]): Promise<void> => {
      journal.append(entries);
      await journal.flush();
      if ('status' in recorded) await catchUp(recorded);
    },
  };
}

function sampleAt(second: number, value: Sample['value'], name = 'flow'): { readonly sample: Sample } {
  const valueType = name === 'flow' ? 'DOUBLE' : name === 'state' ? 'STRING' : 'LONG';
  const timestampMs = START_MS + second * 1000;
  return {
    sample: {
      series: { asset: 'boiler', channel: name, valueType },
      recorders: ['minute'],
      value,
      quality: value === undefined ? 'BAD' : 'GOOD',
      ...(value === undefined ? { status: 'MODBUS_NO_RESPONSE' } : {}),
      timestampMs,
      takenAtMs: timestampMs,
    },
  };
}

function rowAt(second: number, value: Sample['value']): HistoryRow {
  const { sample } = sampleAt(second, value);
  const { series, quality, recorders, timestampMs } = sample;
  return { type: 'SAMPLE', series, timeMs: timestampMs, value, tag: { quality, recorders } };
}

const GAP: JournalEntry = {
  gap: {
    reason: 'DEVICE_LOST',
    asset: 'boiler',
    fromMs: START_MS + 2000,
    toMs: START_MS + 9000,
    count: 7,
  },
};

const PLANT: readonly JournalEntry[] = [
  sampleAt(0, 21.5),
  sampleAt(1, undefined),
  GAP,
  sampleAt(10, -3),
  sampleAt(10, 9_007_199_254_740_993n, 'total'),
  sampleAt(11, '=1+1', 'state'),
];

test('samples are returned as JSON in the order of time, with gaps', async (t) => {
  const { read, record } = await openBench(t);
  await record(PLANT);
  assert.equal(
    await read(`boiler?${RANGE}`),
    '{"samples":[' +
      '{"channel":"flow","timestamp":1772352000000,"value":21.5,"quality":"GOOD"},' +
      '{"channel":"flow","timestamp":1772352001000,"quality":"BAD","status":"MODBUS_NO_RESPONSE"},' +
      '{"channel":"flow","timestamp":1772352010000,"value":-3,"quality":"GOOD"},' +
      '{"channel":"total","timestamp":1772352010000,"value":9007199254740993,"quality":"GOOD"},' +
      '{"channel":"state","timestamp":1772352011000,"value":"=1+1","quality":"GOOD"}],' +
      '"gaps":[{"from":1772352002000,"to":1772352009000,"count":7,"reason":"DEVICE_LOST"}]}',
  );
});

test('NDJSON has one object with its type on each line', async (t) => {
  const { read, record } = await openBench(t);
  await record(PLANT);
  const lines = (await read(`boiler?${RANGE}&channels=flow&limit=2`, 'application/x-ndjson'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  assert.deepEqual(lines, [
    { type: 'SAMPLE', channel: 'flow', timestamp: START_MS, value: 21.5, quality: 'GOOD' },
    {
      type: 'SAMPLE',
      channel: 'flow',
      timestamp: START_MS + 1000,
      quality: 'BAD',
      status: 'MODBUS_NO_RESPONSE',
    },
    { type: 'GAP', from: START_MS + 2000, to: START_MS + 9000, count: 7, reason: 'DEVICE_LOST' },
    { type: 'NEXT', next: START_MS + 10_000 },
  ]);
});

test('CSV has times with an offset, gaps without a value, and no formulas', async (t) => {
  const { read, record } = await openBench(t);
  await record(PLANT);
  assert.equal(
    await read(`boiler?${RANGE}`, 'text/csv'),
    'timestamp,channel,value,quality,status\r\n' +
      '2026-03-01T08:00:00.000+00:00,flow,21.5,GOOD,\r\n' +
      '2026-03-01T08:00:01.000+00:00,flow,,BAD,MODBUS_NO_RESPONSE\r\n' +
      '2026-03-01T08:00:02.000+00:00,,,,DEVICE_LOST\r\n' +
      '2026-03-01T08:00:10.000+00:00,flow,-3,GOOD,\r\n' +
      '2026-03-01T08:00:10.000+00:00,total,9007199254740993,GOOD,\r\n' +
      '2026-03-01T08:00:11.000+00:00,state,"json:""=1+1""",GOOD,\r\n',
  );
});

test('buckets have the aggregate, the number of samples and that of good ones', async (t) => {
  const { read, record } = await openBench(t);
  await record(PLANT);
  const query = `boiler?${RANGE}&bucketMs=5000&channels=flow,state`;
  const bucketsOf = async (aggregate: string): Promise<unknown> =>
    (JSON.parse(await read(`${query}&aggregate=${aggregate}`)) as { readonly buckets: unknown }).buckets;
  const at = (second: number) => START_MS + second * 1000;
  assert.deepEqual(await bucketsOf('max'), [
    { channel: 'flow', from: at(0), value: 21.5, count: 2, good: 1 },
    { channel: 'flow', from: at(10), value: -3, count: 1, good: 1 },
    { channel: 'state', from: at(10), count: 1, good: 1 },
  ]);
  assert.deepEqual(await bucketsOf('last'), [
    { channel: 'flow', from: at(0), value: 21.5, count: 2, good: 1 },
    { channel: 'flow', from: at(10), value: -3, count: 1, good: 1 },
    { channel: 'state', from: at(10), value: '=1+1', count: 1, good: 1 },
  ]);
  assert.equal(
    await read(`${query}&aggregate=count`, 'text/csv'),
    'timestamp,channel,value,count,good,status\r\n' +
      '2026-03-01T08:00:00.000+00:00,flow,2,2,1,\r\n' +
      '2026-03-01T08:00:02.000+00:00,,,,,DEVICE_LOST\r\n' +
      '2026-03-01T08:00:10.000+00:00,flow,1,1,1,\r\n' +
      '2026-03-01T08:00:10.000+00:00,state,1,1,1,\r\n',
  );
});

test('an unknown asset is answered with 404, an invalid query with 400, an unknown type with 406', async (t) => {
  const { send } = await openBench(t);
  const statusOf = async (target: string, accept = '*/*'): Promise<number> => {
    const headers = { ...HEADERS, Accept: accept };
    return (await send('GET', `/services/history/v1/${target}`, { headers })).status;
  };
  assert.equal(await statusOf('other'), 404);
  assert.equal(await statusOf('boiler?from=5&to=4'), 400);
  assert.equal(await statusOf('boiler?from=yesterday'), 400);
  assert.equal(await statusOf('boiler?from=2026-03-01T08:00'), 400);
  assert.equal(await statusOf('boiler?limit=0'), 400);
  assert.equal(await statusOf('boiler?limit=100001'), 400);
  assert.equal(await statusOf('boiler?aggregate=mean'), 400);
  assert.equal(await statusOf('boiler?bucketMs=1&aggregate=median'), 400);
  assert.equal(await statusOf('boiler', 'text/html'), 406);
  assert.equal(await statusOf('boiler', 'text/csv'), 200);
});

test('times are milliseconds or ISO 8601, and the default is the last hour', async (t) => {
  const { read, record } = await openBench(t);
  await record([sampleAt(0, 1), sampleAt(1800, 2), sampleAt(3600, 3)]);
  const valuesOf = async (query: string): Promise<readonly unknown[]> => {
    const { samples } = JSON.parse(await read(`boiler${query}`)) as {
      readonly samples: readonly { readonly value: unknown }[];
    };
    return samples.map(({ value }) => value);
  };
  assert.deepEqual(await valuesOf(''), [1, 2]);
  assert.deepEqual(await valuesOf('?from=2026-03-01T09:00:00.000%2B01:00&to=2026-03-01T08:30:00Z'), [1]);
  assert.deepEqual(await valuesOf('?from=2026-03-01T09:30:00+01:00'), [2]);
  assert.deepEqual(await valuesOf('?from=2026-03-01&to=2026-03-02'), [1, 2, 3]);
});

test('nothing recorded is 200 with empty lists', async (t) => {
  const { read, state } = await openBench(t);
  assert.equal(await read('pump'), '{"samples":[],"gaps":[]}');
  state.isRecording = false;
  assert.equal(await read('boiler'), '{"samples":[],"gaps":[]}');
  assert.equal(await read('boiler?bucketMs=1000'), '{"buckets":[],"gaps":[]}');
});

test('a right that ends in the middle ends the answer', async (t) => {
  const { promise: isRead, resolve: noteRead } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: noteTaken } = Promise.withResolvers<void>();
  const rows = [rowAt(0, 1)];
  const { port, identities, logger } = await openBench(t, {
    history: {
      async *read() {
        yield rows;
        noteRead();
        await isTaken;
        yield rows;
      },
    },
  });
  const request = get({
    port,
    host: '127.0.0.1',
    path: '/services/history/v1/boiler',
    headers: HEADERS,
    agent: false,
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const { promise: isClosed, resolve: noteClosed } = Promise.withResolvers<void>();
  answer
    .on('error', () => undefined)
    .on('close', noteClosed)
    .resume();
  await isRead;
  identities.set('assets', { ...toIdentity('assets'), permissions: [] });
  noteTaken();
  await isClosed;
  assert.equal(answer.complete, false);
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['history.answerEnded'],
  );
});

test('a client that goes away ends the reading', async (t) => {
  const { promise: isEnded, resolve: noteEnded } = Promise.withResolvers<void>();
  const rows = Array.from({ length: 1000 }, () => rowAt(0, 1));
  let pieces = 0;
  const { port } = await openBench(t, {
    history: {
      async *read() {
        try {
          for (;;) {
            pieces += 1;
            yield rows;
          }
        } finally {
          noteEnded();
        }
      },
    },
  });
  const request = get({
    port,
    host: '127.0.0.1',
    path: '/services/history/v1/boiler',
    headers: HEADERS,
    agent: false,
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  // Nothing is read, so that little is written.
  answer.pause().on('error', () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  request.destroy();
  await isEnded;
  assert.ok(pieces < 1000, `${pieces} pieces were written to a client that does not read`);
});

test('more answers at once than memory allows are refused with 503', async (t) => {
  const { promise: isOver, resolve: noteOver } = Promise.withResolvers<void>();
  const { port, send } = await openBench(t, {
    history: {
      async *read() {
        await isOver;
        yield [];
      },
    },
  });
  const path = '/services/history/v1/boiler';
  const statusOf = async (): Promise<number> => (await send('GET', path, { headers: HEADERS })).status;
  const answers: IncomingMessage[] = [];
  for (let index = 0; index < MAXIMUM_READINGS; index += 1) {
    const request = get({ port, host: '127.0.0.1', path, headers: HEADERS, agent: false });
    answers.push(...((await once(request, 'response')) as [IncomingMessage]));
  }
  assert.equal(await statusOf(), 503);
  noteOver();
  await Promise.all(answers.map((answer) => once(answer.resume(), 'end')));
  assert.equal(await statusOf(), 200);
});

test('the list has the recorders of visible assets, and consumers for administrators alone', async (t) => {
  const { send } = await openBench(t);
  const listed = async (role: string): Promise<unknown> =>
    (await send('GET', '/services/history/v1', { headers: { Authorization: role } })).json;
  const assets = [{ asset: 'boiler' }, { asset: 'pump', channels: ['speed'] }];
  const recorders = [{ recorder: 'minute', assets, bytes: 12, oldest: START_MS }];
  assert.deepEqual(await listed('assets'), { recorders });
  assert.deepEqual(await listed('admin'), {
    recorders,
    consumers: [{ consumer: 'history', lagSamples: 3, lagBytes: 9, lagSeconds: 1 }],
  });
});
