import { connectAsync } from 'mqtt';

import { findFreePort } from '../../../support/free-ports.ts';
import { startMosquitto } from '../../../support/mosquitto.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { rebirthRequest } from './made-session.ts';
import { encodePayload } from './payload-decoder.ts';
import { NAME, recordEdgeNode } from './recorded-edge-node.ts';
import type { RecordedEdgeNode, RecordedOptions } from './recorded-edge-node.ts';
import { deviceOf, isRebirthRequest, messagesOf } from './session.ts';
import type { Session } from './session.ts';

const HOST = 'scada';
const PAUSE_MS = 6000;

/** Starts a broker, which ends with the test. */
export type StartBroker = (owner: Owner) => Promise<{ readonly port: number }>;

/** Makes a session with brokers. */
type Scenario = (owner: Owner, startBroker: StartBroker) => Promise<Session>;

/** Sessions of the edge node, by what happens in them; two on one broker must not be at the same time. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'MQTT 3.1.1: values of all types, more than 256 messages, a stop': async (owner, startBroker) =>
    manyValues(owner, startBroker, { protocolVersion: '3.1.1' }),
  'MQTT 5: values of all types, more than 256 messages, a stop': async (owner, startBroker) =>
    manyValues(owner, startBroker, { protocolVersion: '5' }),
  'a host requests births, once and a hundred times': rebirths,
  'a device is cut off and returns, a channel is added': changes,
  'connections that are cut, and a restart with a backlog': cuts,
  'the first broker cannot be reached': unreachable,
  'a value is larger than the packets of the broker': tooLarge,
  'the primary host goes offline while births are prepared': earlyEnd,
  'a primary host that goes from one broker to the other': primaryHost,
  'assets as data sets, with their metrics and instead of them': dataSets,
};

async function manyValues(
  owner: Owner,
  startBroker: StartBroker,
  declared: Readonly<Record<string, unknown>>,
): Promise<Session> {
  const { edge } = await setUp(owner, startBroker, 1, { declared: { ...declared, metricsPerMessage: 1 } });
  edge.start();
  await born(edge, 1);
  for (let value = 0; value < 300; value += 1) edge.take({ asset: 'boiler', channel: 'level', value });
  edge.take({ asset: 'boiler', channel: 'isOn', valueType: 'BOOLEAN', value: true });
  edge.take({ asset: 'boiler', channel: 'count', valueType: 'INTEGER', value: -2_147_483_648 });
  edge.take({ asset: 'boiler', channel: 'total', valueType: 'LONG', value: -(2n ** 63n) });
  edge.take({ asset: 'boiler', channel: 'ratio', valueType: 'FLOAT', value: 0.5, quality: 'UNCERTAIN' });
  edge.take({ asset: 'boiler', channel: 'mode', valueType: 'STRING', value: 'Kühlen' });
  edge.take({ asset: 'boiler', channel: 'image', valueType: 'BYTE_ARRAY', value: Buffer.of(0, 255) });
  edge.take({ asset: 'boiler', channel: 'level', value: undefined, quality: 'BAD' });
  await edge.journal.acknowledgedUpTo(307);
  await edge.stop();
  return finish(edge);
}

async function rebirths(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const { edge, hosts } = await setUp(owner, startBroker, 1);
  edge.start();
  await born(edge, 1);
  const request = async (): Promise<void> => {
    await hosts[0]?.publishAsync(
      `spBv1.0/${NAME.group}/NCMD/${NAME.node}`,
      Buffer.from(encodePayload(rebirthRequest())),
      { qos: 1 },
    );
  };
  await request();
  await edge.recorder.when((events) => events.some(({ type }) => type === 'acknowledge'));
  edge.take({ asset: 'boiler', channel: 'level', value: 1 });
  await born(edge, 2);
  edge.advance(PAUSE_MS);
  await request();
  for (let value = 2; value < 50; value += 1) edge.take({ asset: 'boiler', channel: 'level', value });
  await born(edge, 3);
  await Promise.all(Array.from({ length: 100 }, request));
  await edge.recorder.when((events) => events.filter(isRebirthRequest).length === 102);
  edge.take({ asset: 'pump', channel: 'speed', value: 3 });
  // Births that were sent while requests came are not the last ones.
  await edge.recorder.when((events) => {
    const rest = events.slice(events.findLastIndex(isRebirthRequest));
    return messagesOf(rest, 'NBIRTH').length > 0 && messagesOf(rest, 'DBIRTH').length >= 2;
  });
  await edge.journal.acknowledgedUpTo(50);
  await edge.stop();
  return finish(edge);
}

async function changes(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const { edge } = await setUp(owner, startBroker, 1);
  edge.start();
  await born(edge, 1);
  edge.take({ asset: 'pump', channel: 'speed', value: 10 });
  edge.take({ asset: 'boiler', channel: 'level', value: 10 });
  await edge.journal.acknowledgedUpTo(2);
  edge.recorder.markLost('pump');
  edge.take({ asset: 'pump', channel: 'speed', value: undefined, quality: 'BAD' });
  await edge.recorder.when((events) => messagesOf(events, 'DDEATH').length === 1);
  edge.take({ asset: 'boiler', channel: 'level', value: 11 });
  await edge.journal.acknowledgedUpTo(4);
  edge.take({ asset: 'pump', channel: 'speed', value: 12 });
  await edge.recorder.when(
    (events) => messagesOf(events, 'DBIRTH').filter((birth) => deviceOf(birth) === 'pump').length === 2,
  );
  edge.addChannel('power');
  edge.take({ asset: 'pump', channel: 'power', value: 13 });
  await born(edge, 2);
  await edge.journal.acknowledgedUpTo(6);
  // The device of a sample may have a clock that is behind.
  edge.journal.takeSample({ asset: 'pump', channel: 'speed', value: 14, timestampMs: edge.now() - 9000 });
  edge.journal.takeSample({ asset: 'pump', channel: 'power', value: 15, timestampMs: edge.now() - 20_000 });
  await edge.journal.acknowledgedUpTo(8);
  await edge.stop();
  return finish(edge);
}

async function cuts(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const { edge } = await setUp(owner, startBroker, 1);
  edge.start();
  for (let round = 1; round <= 3; round += 1) {
    await born(edge, round);
    edge.take({ asset: 'boiler', channel: 'level', value: round });
    edge.recorder.cut();
  }
  await born(edge, 4);
  await edge.journal.acknowledgedUpTo(3);
  await edge.stop();
  for (let value = 10; value < 20; value += 1) edge.take({ asset: 'boiler', channel: 'level', value });
  edge.start();
  await born(edge, 5);
  await edge.journal.acknowledgedUpTo(13);
  await edge.stop();
  return finish(edge);
}

async function dataSets(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const declared = { dataSets: ['boiler', 'pump=only'] };
  const { edge } = await setUp(owner, startBroker, 1, { declared });
  edge.start();
  await born(edge, 1);
  const takenAtMs = edge.now();
  edge.take({ asset: 'boiler', channel: 'level', value: 10, takenAtMs });
  edge.take({ asset: 'boiler', channel: 'isOn', valueType: 'BOOLEAN', value: true, takenAtMs });
  edge.take({ asset: 'boiler', channel: 'count', valueType: 'INTEGER', value: -8, takenAtMs });
  edge.take({ asset: 'boiler', channel: 'total', valueType: 'LONG', value: -(2n ** 63n), takenAtMs });
  edge.take({ asset: 'boiler', channel: 'ratio', valueType: 'FLOAT', value: 0.5, takenAtMs });
  edge.take({ asset: 'boiler', channel: 'mode', valueType: 'STRING', value: 'Kühlen', takenAtMs });
  edge.take({ asset: 'boiler', channel: 'image', valueType: 'BYTE_ARRAY', value: Buffer.of(1), takenAtMs });
  edge.take({ asset: 'pump', channel: 'speed', value: 11 });
  edge.take({ asset: 'boiler', channel: 'level', value: undefined, quality: 'BAD' });
  await edge.journal.acknowledgedUpTo(9);
  edge.addChannel('power');
  edge.take({ asset: 'pump', channel: 'power', value: 12 });
  await born(edge, 2);
  await edge.journal.acknowledgedUpTo(10);
  edge.recorder.markLost('pump');
  for (const channel of ['speed', 'power']) {
    edge.take({ asset: 'pump', channel, value: undefined, quality: 'BAD' });
  }
  await edge.recorder.when((events) => messagesOf(events, 'DDEATH').length === 1);
  edge.take({ asset: 'pump', channel: 'power', value: 13 });
  await edge.journal.acknowledgedUpTo(13);
  await edge.stop();
  for (let value = 20; value < 23; value += 1) edge.take({ asset: 'pump', channel: 'speed', value });
  edge.start();
  await born(edge, 3);
  edge.take({ asset: 'boiler', channel: 'level', value: 23 });
  await edge.journal.acknowledgedUpTo(17);
  await edge.stop();
  return finish(edge);
}

async function unreachable(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const { edge } = await setUp(owner, startBroker, 1, { closedPort: await findFreePort() });
  edge.start();
  await born(edge, 1);
  edge.recorder.cut();
  await born(edge, 2);
  await edge.stop();
  return finish(edge);
}

async function tooLarge(owner: Owner): Promise<Session> {
  const lines = ['allow_anonymous true', 'max_packet_size 4000'];
  const startBroker = async (of: Owner) => startMosquitto(of, lines);
  const { edge } = await setUp(owner, startBroker, 1, { declared: { protocolVersion: '5' } });
  edge.start();
  await born(edge, 1);
  edge.take({ asset: 'boiler', channel: 'level', value: 1 });
  await edge.journal.acknowledgedUpTo(1);
  edge.take({ asset: 'boiler', channel: 'mode', valueType: 'STRING', value: 'x'.repeat(5000) });
  // More values than a packet has room for.
  for (let value = 2; value < 300; value += 1) edge.take({ asset: 'boiler', channel: 'level', value });
  await edge.journal.acknowledgedUpTo(300);
  // The births have the value, which is too large for them as well.
  edge.addChannel('power');
  await born(edge, 2);
  edge.take({ asset: 'boiler', channel: 'level', value: 300 });
  await edge.journal.acknowledgedUpTo(301);
  await edge.stop();
  return finish(edge);
}

async function earlyEnd(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const { edge, hosts } = await setUp(owner, startBroker, 1, { primaryHost: HOST });
  const state = async (online: boolean): Promise<void> => {
    const text = JSON.stringify({ online, timestamp: edge.now() });
    await hosts[0]?.publishAsync(`spBv1.0/STATE/${HOST}`, text, { qos: 1, retain: true });
  };
  const release = edge.holdReads();
  const reading = edge.whenReading();
  await state(true);
  edge.start();
  await reading;
  await state(false);
  await edge.recorder.when((events) => {
    const offline = events.findLast((event) => 'text' in event && (event.text ?? '').includes('false'));
    if (offline?.type !== 'delivery') return false;
    return events.some((event) => event.type === 'acknowledge' && event.messageId === offline.messageId);
  });
  release();
  await edge.recorder.when((events) => {
    const connections = events.filter(({ type }) => type === 'connect').length;
    return connections === 2 || messagesOf(events, 'NBIRTH').length > 0;
  });
  await state(true);
  await born(edge, 1);
  await edge.stop();
  return finish(edge);
}

async function primaryHost(owner: Owner, startBroker: StartBroker): Promise<Session> {
  const { edge, hosts } = await setUp(owner, startBroker, 2, {
    primaryHost: HOST,
    declared: { replaySeconds: 0 },
  });
  const begin = edge.now();
  const state = async (broker: number, online: boolean, timestamp: number, host = HOST): Promise<void> => {
    const text = JSON.stringify({ online, timestamp });
    await hosts[broker]?.publishAsync(`spBv1.0/STATE/${host}`, text, { qos: 1, retain: true });
  };
  await state(0, true, begin, 'another');
  await state(0, false, begin);
  edge.start();
  // Neither another host nor a state of the past makes it be born, and each broker has its turn.
  await edge.recorder.when((events) => events.filter(({ type }) => type === 'connect').length === 4);
  await state(1, true, begin + 10);
  await born(edge, 1);
  await state(1, false, begin + 5);
  await edge.recorder.when((events) =>
    events.some((event) => 'text' in event && (event.text ?? '').includes(String(begin + 5))),
  );
  edge.take({ asset: 'boiler', channel: 'level', value: 1 });
  await edge.journal.acknowledgedUpTo(1);
  await state(0, true, begin + 20);
  await state(1, false, begin + 30);
  await born(edge, 2);
  edge.take({ asset: 'boiler', channel: 'level', value: 2 });
  await edge.journal.acknowledgedUpTo(2);
  await edge.stop();
  return finish(edge);
}

async function setUp(
  owner: Owner,
  startBroker: StartBroker,
  brokers: number,
  options: Omit<RecordedOptions, 'brokerPorts'> = {},
) {
  const started = [];
  for (let count = 0; count < brokers; count += 1) started.push(await startBroker(owner));
  const brokerPorts = started.map(({ port }) => port);
  const hosts = await Promise.all(brokerPorts.map(async (port) => connectAsync({ port, host: '127.0.0.1' })));
  owner.after(() => {
    for (const host of hosts) host.end(true);
  });
  const edge = await recordEdgeNode(owner, { brokerPorts, ...options });
  // A journal begins at the tail of the first call.
  await edge.journal.acknowledged();
  return { edge, hosts };
}

/** Resolves when so many births are complete. */
async function born({ recorder }: RecordedEdgeNode, count: number): Promise<void> {
  await recorder.when((events) => {
    const births = messagesOf(events, 'NBIRTH');
    const last = births.at(-1);
    if (births.length < count || last === undefined) return false;
    return messagesOf(events.slice(events.indexOf(last)), 'DBIRTH').length >= 2;
  });
}

async function finish({ recorder }: RecordedEdgeNode): Promise<Session> {
  await recorder.when((events) => events.at(-1)?.type === 'closed');
  return recorder.session;
}
