import assert from 'node:assert/strict';

import { listDeviceAccess } from '../../../daemon/plant/asset/connection/device-access.ts';
import type { ChannelWrite } from '../../../daemon/plant/asset/write/prepared-write.ts';
import { systemClock } from '../../../daemon/base/clock.ts';
import { isReportingAccess } from '../../../daemon/channel/access-reporting-driver.ts';
import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test, before, beforeEach, after } = testsThatNeed('asyncua');
let server: AsyncuaServer;
let endpointUrl: string;
before(async () => {
  server = await startAsyncuaServer({ many: 1 });
  endpointUrl = `opc.tcp://127.0.0.1:${server.port}`;
});
beforeEach(() => server.reset());
after(() => server[Symbol.asyncDispose]());

const node = (name: string, more: object = {}): object => ({
  name,
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: { nodeId: `nsu=urn:penstock:test;s=${name}` },
  ...more,
});

const write = (name: string, value: number, more: Partial<ChannelWrite> = {}): ChannelWrite => ({
  name,
  valueType: 'INTEGER',
  value,
  ...more,
});

const summarize = (records: readonly ChannelRecord[]): readonly unknown[] =>
  records.flatMap(({ outcome, failure, readBack }) =>
    [outcome, failure?.code, readBack].filter((part) => part !== undefined),
  );

test('nodes of asyncua are written under terms: limits, conditions, comparison, reading back', async (t) => {
  const onlyIf = [{ channel: 'trend', operator: 'LESS_THAN_OR_EQUAL', value: 5 }];
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [
          node('level', { write: { minimum: 0, maximum: 100, maximumStep: 50, onlyIf, verify: {} } }),
          node('trend'),
          node('missing'),
        ],
      },
    ],
  });
  const asset = registry.get('tank');
  assert.deepEqual(summarize(await asset.write([write('level', 101)])), ['NOT_SENT', 'WRITE_LIMIT_EXCEEDED']);
  assert.deepEqual(summarize(await asset.write([write('level', 60)])), ['NOT_SENT', 'WRITE_STEP_EXCEEDED']);
  assert.deepEqual(summarize(await asset.write([write('level', 40)])), ['VERIFIED', 40]);
  const rivals = [41, 42, 43].map((value) => asset.write([write('level', value, { ifValue: 40 })]));
  const outcomes = (await Promise.all(rivals)).flatMap(summarize);
  assert.equal(outcomes.filter((outcome) => outcome === 'VERIFIED').length, 1);
  assert.deepEqual(summarize(await asset.write([write('trend', 6)])), ['ACKNOWLEDGED']);
  assert.deepEqual(summarize(await asset.write([write('level', 44)])), ['NOT_SENT', 'WRITE_CONDITION_FALSE']);
  const [refused] = await asset.write([write('missing', 1)]);
  assert.notEqual(refused?.failure, undefined);
  assert.notEqual(refused?.outcome, 'UNKNOWN');
});

test('limits hold for the value in the type of the node, a trial and a write tell it, and it is verified', async (t) => {
  const double = (terms: object): object => node('level', { valueType: 'DOUBLE', write: terms });
  const asset = (pid: string, channel: object): object => ({ pid, driver: 'line', channels: [channel] });
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
    assets: [
      asset('below', double({ maximum: 62.5, verify: {} })),
      asset('tenths', node('level', { valueType: 'DOUBLE', valueScale: 0.1, write: { maximum: 6.26 } })),
      asset('stepped', double({ maximumStep: 0.5 })),
      asset('free', node('level', { valueType: 'DOUBLE' })),
    ],
  });
  const send = async (pid: string, value: number, isDryRun = false): Promise<readonly unknown[]> => {
    const writes: readonly ChannelWrite[] = [{ name: 'level', valueType: 'DOUBLE', value }];
    const records = await registry.get(pid).write(writes, '', { isDryRun });
    return [...summarize(records), records[0]?.value, records[0]?.requested].filter(
      (part) => part !== undefined,
    );
  };
  assert.deepEqual(await send('below', 62.5), ['NOT_SENT', 'WRITE_LIMIT_EXCEEDED']);
  assert.deepEqual(await send('below', 62.4, true), [62, 62.4]);
  assert.deepEqual(await send('below', 62.4), ['VERIFIED', 62, 62, 62.4]);
  assert.deepEqual(await send('tenths', 6.26), ['NOT_SENT', 'WRITE_LIMIT_EXCEEDED']);
  assert.deepEqual(await send('stepped', 62.5), ['NOT_SENT', 'WRITE_STEP_EXCEEDED']);
  assert.deepEqual(await send('free', 10.5), ['ACKNOWLEDGED', 11, 10.5]);
  const { records } = await registry.get('free').read(['level']);
  assert.equal(records[0]?.value, 11);
});

test('what the server lets the gateway do is told before the first write, and asked once', async (t) => {
  const double = (name: string, more: object = {}): object => node(name, { valueType: 'DOUBLE', ...more });
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [
          double('tank.Temperature'),
          double('tank.Setpoint', { type: 'READ' }),
          node('tank.Hidden', { type: 'WRITE' }),
          node('missing'),
          {
            ...node('named', { type: 'READ', valueType: 'STRING' }),
            address: { nodeId: 'nsu=urn:penstock:test;s=tank.Temperature', attribute: 'DisplayName' },
          },
        ],
      },
    ],
  });
  const asset = registry.get('tank');
  const { connection, config } = asset;
  const read = () => asset.read(['tank.Temperature', 'tank.Setpoint']);
  const list = () => listDeviceAccess(connection, config.channels, systemClock);
  const counters = (): Readonly<Record<string, number>> => connection.status().counters;
  const nothing = [undefined, undefined, undefined, undefined, undefined];
  assert.deepEqual(await list(), nothing);
  assert.equal(counters()['connects'], 0, 'to list channels is no reason to connect');
  await read();
  const former = counters()['reads'] ?? 0;
  assert.deepEqual(await list(), ['READ', 'READ_WRITE', 'NONE', undefined, undefined]);
  assert.equal(counters()['reads'], former + 1);
  assert.deepEqual(await Promise.all([list(), list()]), [await list(), await list()]);
  assert.equal(counters()['reads'], former + 1);
  await read();
  assert.equal(counters()['reads'], former + 2, 'a poll asks for nothing more');
  assert.equal(counters()['writes'], 0);
});

test('what the server lets nobody write is not sent, and a trial says so as the write does', async (t) => {
  const double = (name: string): object => node(name, { valueType: 'DOUBLE' });
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [double('tank.Temperature'), double('tank.Setpoint'), node('tank.Hidden'), node('missing')],
      },
    ],
  });
  const asset = registry.get('tank');
  const { connection } = asset;
  const access = () =>
    asset.config.channels.map((channel) => connection.find(isReportingAccess)?.findDeviceAccess(channel));
  assert.deepEqual(access(), [undefined, undefined, undefined, undefined]);
  const writes: readonly ChannelWrite[] = [
    { ...write('tank.Temperature', 3), valueType: 'DOUBLE' },
    { ...write('tank.Setpoint', 3), valueType: 'DOUBLE' },
    write('tank.Hidden', 3),
    write('missing', 3),
  ];
  const tried = await asset.write(writes, '', { isDryRun: true });
  const codes = [
    'OPCUA_NODE_NOT_WRITABLE',
    undefined,
    'OPCUA_NODE_NOT_WRITABLE',
    'OPCUA_BAD_NODE_ID_UNKNOWN',
  ];
  assert.deepEqual(
    tried.map(({ failure }) => failure?.code),
    codes,
  );
  assert.deepEqual(access(), ['READ', 'READ_WRITE', 'NONE', undefined]);
  const { writes: requests } = connection.status().counters;
  assert.equal(requests, 0);
  const written = await asset.write(writes);
  assert.deepEqual(
    written.map(({ failure }) => failure?.code),
    codes,
  );
  assert.deepEqual(
    written.map(({ outcome }) => outcome),
    ['NOT_SENT', 'ACKNOWLEDGED', 'NOT_SENT', 'NOT_SENT'],
  );
});
