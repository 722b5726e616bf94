/** The edge node of penstock-sparkplug with hosts and decoders of other makes; each is fetched and built when it is first needed, or skipped. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { connectAsync } from 'mqtt';

import { judge } from '../bundles/penstock-sparkplug/conformance/rule.ts';
import { RULES } from '../bundles/penstock-sparkplug/conformance/rules/rules.ts';
import { recordEdgeNode } from '../bundles/penstock-sparkplug/conformance/recorded-edge-node.ts';
import { SCENARIOS } from '../bundles/penstock-sparkplug/conformance/scenarios.ts';
import { isRebirthRequest, messagesOf } from '../bundles/penstock-sparkplug/conformance/session.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startMosquitto } from '../support/mosquitto.ts';
import { prepare, start } from './counterpart.ts';
import type { Running } from './counterpart.ts';
import { MQTT_MAKES } from './mqtt-makes.ts';
import { PYSPARKPLUG, TAHU } from './sparkplug-makes.ts';

const NODE = 'Plant/north';
const HOST = 'scada';

/** Values as they are taken, and as hosts and decoders name their types and show them. */
const VALUES = [
  { channel: 'level', valueType: 'DOUBLE', value: 42.5, type: 'Double', tahu: '42.5', python: 42.5 },
  { channel: 'isOn', valueType: 'BOOLEAN', value: true, type: 'Boolean', tahu: 'true', python: true },
  {
    channel: 'count',
    valueType: 'INTEGER',
    value: -2_147_483_648,
    type: 'Int32',
    tahu: '-2147483648',
    python: -2_147_483_648,
  },
  {
    channel: 'total',
    valueType: 'LONG',
    value: -9_007_199_254_740_991n,
    type: 'Int64',
    tahu: '-9007199254740991',
    python: -9_007_199_254_740_991,
  },
  { channel: 'ratio', valueType: 'FLOAT', value: 0.25, type: 'Float', tahu: '0.25', python: 0.25 },
  { channel: 'mode', valueType: 'STRING', value: 'Kühlen', type: 'String', tahu: 'Kühlen', python: 'Kühlen' },
] as const;

interface HostLine {
  readonly event: string;
  readonly from?: string;
  readonly metric?: { readonly name: string; readonly type: string; readonly value: string | null };
}

suite(TAHU.name, async () => {
  const prepared = await prepare(TAHU);
  const options = 'skip' in prepared ? { skip: prepared.skip } : {};
  const directory = 'skip' in prepared ? '' : prepared.directory;

  const setUp = async (t: TestContext, more: Readonly<Record<string, unknown>> = {}) => {
    const { port } = await startMosquitto(t);
    const host = await start(TAHU, directory, { port, host: HOST });
    t.after(() => host.kill());
    // Each sample is a message, so that sequence numbers pass 255.
    const declared = { metricsPerMessage: 1, ...more };
    const edge = await recordEdgeNode(t, { brokerPorts: [port], primaryHost: HOST, declared });
    await edge.journal.acknowledged();
    edge.start();
    return { host, edge, port };
  };

  test('the host sees births and values of each type, and misses no sequence number', options, async (t) => {
    const { host, edge } = await setUp(t);
    await hears(host, ({ event, from }) => event === 'onNodeBirthComplete' && from === NODE);
    for (const device of ['boiler', 'pump']) {
      await hears(
        host,
        ({ event, from }) => event === 'onDeviceBirthComplete' && from === `${NODE}/${device}`,
      );
    }
    for (const { channel, valueType, value } of VALUES) {
      edge.take({ asset: 'boiler', channel, valueType, value });
    }
    for (const { channel, type, tahu } of VALUES) {
      const { metric } = await hears(
        host,
        (line) => line.event === 'onDataMetric' && line.metric?.name === channel,
      );
      assert.deepEqual([metric?.type, metric?.value], [type, tahu], channel);
    }
    for (let value = 0; value < 600; value += 1) edge.take({ asset: 'pump', channel: 'speed', value });
    await hears(host, ({ event, metric }) => event === 'onDataMetric' && metric?.value === '599.0');
    await edge.stop();
    await hears(host, ({ event, from }) => event === 'onNodeDeathComplete' && from === NODE);
    assert.equal(edge.recorder.session.events.filter(isRebirthRequest).length, 0, 'the host missed none');
    judgeAll(edge.recorder.session);
  });

  test('the host reads data sets in births, data and history', options, async (t) => {
    const { host, edge } = await setUp(t, { dataSets: ['boiler=only'] });
    const reads = async (event: string, ...expected: readonly string[]): Promise<void> => {
      const isIt = (line: HostLine): boolean => line.event === event && line.metric?.name === 'Data Set';
      const { metric } = await hears(
        host,
        (line) => isIt(line) && expected.every((part) => line.metric?.value?.includes(part)),
      );
      assert.equal(metric?.type, 'DataSet');
    };
    await reads('onBirthMetric', 'level, isOn, count, total, ratio, mode', '1.5');
    const takenAtMs = edge.now();
    for (const { channel, valueType, value } of VALUES) {
      edge.take({ asset: 'boiler', channel, valueType, value, takenAtMs });
    }
    await reads('onDataMetric', ...VALUES.map(({ tahu }) => tahu));
    edge.take({ asset: 'boiler', channel: 'level', value: undefined, quality: 'BAD' });
    await reads('onDataMetric', 'null', 'true', '-2147483648');
    await edge.stop();
    edge.take({ asset: 'boiler', channel: 'level', value: 4711 });
    edge.start();
    await reads('onDataMetric', '4711.0');
    await edge.stop();
    assert.equal(edge.recorder.session.events.filter(isRebirthRequest).length, 0, 'the host missed none');
    judgeAll(edge.recorder.session);
  });

  test('the host requests births and writes to a device', options, async (t) => {
    const { host, edge } = await setUp(t);
    await hears(host, ({ event }) => event === 'onNodeBirthComplete');
    host.send(command('NCMD', '', { name: 'Node Control/Rebirth', type: 'Boolean', value: true }));
    await edge.recorder.when((events) => messagesOf(events, 'NBIRTH').length === 2);
    host.send(command('DCMD', '/boiler', { name: 'level', type: 'Double', value: 7.25 }));
    host.send(command('DCMD', '/boiler', { name: 'count', type: 'Int32', value: -3 }));
    await edge.written(2);
    assert.deepEqual(edge.writes, [
      ['boiler', 'level', 7.25],
      ['boiler', 'count', -3],
    ]);
    await edge.stop();
    judgeAll(edge.recorder.session);
  });

  test('the edge node ends with the host, and is born for the next one', options, async (t) => {
    const { host, edge, port } = await setUp(t);
    await hears(host, ({ event }) => event === 'onNodeBirthComplete');
    await host.kill();
    await edge.recorder.when((events) => messagesOf(events, 'NDEATH').length === 1);
    edge.take({ asset: 'boiler', channel: 'level', value: 1 });
    const next = await start(TAHU, directory, { port, host: HOST });
    t.after(() => next.kill());
    await hears(next, ({ event, metric }) => event === 'onDataMetric' && metric?.value === '1.0');
    await edge.stop();
    judgeAll(edge.recorder.session);
  });
});

for (const make of MQTT_MAKES) {
  suite(`the broker ${make.name}`, async () => {
    const prepared = await prepare(make);
    const options = 'skip' in prepared ? { skip: prepared.skip } : {};
    const directory = 'skip' in prepared ? '' : prepared.directory;
    let running: { readonly port: number; readonly broker: Running } | undefined;
    const folder = mkdtempSync(path.join(tmpdir(), 'penstock-sparkplug-'));
    after(async () => {
      await running?.broker.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    for (const [name, record] of Object.entries(SCENARIOS)) {
      test(`every rule holds: ${name}`, options, async (t) => {
        if (running === undefined) {
          const port = await findFreePort();
          const settings = { port, maximumBytes: 1_000_000, denied: 'denied', directory: folder };
          running = { port, broker: await start(make, directory, settings) };
        }
        // A second broker is of the usual make.
        const ports = [running.port];
        judgeAll(
          await record(t, async (owner) => ({ port: ports.pop() ?? (await startMosquitto(owner)).port })),
        );
      });
    }
  });
}

suite(PYSPARKPLUG.name, async () => {
  const prepared = await prepare(PYSPARKPLUG);
  const options = 'skip' in prepared ? { skip: prepared.skip } : {};
  const directory = 'skip' in prepared ? '' : prepared.directory;

  const setUp = async (t: TestContext, declared: Readonly<Record<string, unknown>> = {}) => {
    const { port } = await startMosquitto(t);
    const decoder = await start(PYSPARKPLUG, directory, {});
    t.after(() => decoder.kill());
    const edge = await recordEdgeNode(t, { brokerPorts: [port], declared });
    await edge.journal.acknowledged();
    const listener = await connectAsync({ port, host: '127.0.0.1' });
    t.after(() => listener.end(true));
    listener.on('message', (topic, payload) => decoder.send(`${topic} ${payload.toString('hex')}`));
    await listener.subscribeAsync('spBv1.0/#');
    edge.start();
    await edge.recorder.when((events) => messagesOf(events, 'DBIRTH').length === 2);
    const takenAtMs = edge.now();
    for (const { channel, valueType, value } of VALUES) {
      edge.take({ asset: 'boiler', channel, valueType, value, takenAtMs });
    }
    await edge.journal.acknowledgedUpTo(VALUES.length);
    await edge.stop();
    await decoder.find((line) => line.includes('/NDEATH/'));
    return decoder;
  };

  test('it decodes every message, with the values that were taken', options, async (t) => {
    const decoder = await setUp(t);
    for (const { channel, type, python } of VALUES) {
      const line = await decoder.find((each) => each.includes('/DDATA/') && each.includes(`"${channel}"`));
      assert.deepEqual(JSON.parse(line), {
        topic: `spBv1.0/Plant/DDATA/north/boiler`,
        name: channel,
        type: type.toUpperCase(),
        value: python,
      });
    }
  });

  test('its schema decodes data sets, with the values that were taken', options, async (t) => {
    const decoder = await setUp(t, { dataSets: ['boiler=only'] });
    const line = await decoder.find((each) => each.includes('/DDATA/') && each.includes('"Data Set"'));
    const { type, value } = JSON.parse(line) as { readonly type: string; readonly value: readonly unknown[] };
    assert.equal(type, 'DATASET');
    // Numbers of the schema are unsigned.
    const total = Number(BigInt.asUintN(64, -9_007_199_254_740_991n));
    const unsigned = { count: 2_147_483_648, total };
    const expected = Object.fromEntries(VALUES.map(({ channel, python }) => [channel, python]));
    assert.deepEqual(value, [{ ...expected, ...unsigned }]);
  });
});

async function hears(host: Running, matches: (line: HostLine) => boolean): Promise<HostLine> {
  return JSON.parse(await host.find((line) => matches(JSON.parse(line) as HostLine))) as HostLine;
}

function command(verb: string, device: string, metric: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ topic: `spBv1.0/Plant/${verb}/north${device}`, metrics: [metric] });
}

function judgeAll(session: Parameters<typeof judge>[1][number]): void {
  for (const rule of RULES) assert.deepEqual(judge(rule, [session]).violations, [], rule.title);
}
