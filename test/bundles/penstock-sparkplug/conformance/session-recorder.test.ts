import assert from 'node:assert/strict';

import { connectAsync } from 'mqtt';

import { startMosquitto } from '../../../support/mosquitto.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';
import { encodePayload } from './payload-decoder.ts';
import { startSessionRecorder } from './session-recorder.ts';
import type { Payload } from './session.ts';

const { test } = testsThatNeed('mosquitto');

const DEATH: Payload = { metrics: [{ name: 'bdSeq', datatype: 4, longValue: '0' }] };
const BIRTH: Payload = { timestamp: '5', seq: '0', ...DEATH };

for (const version of [4, 5] as const) {
  test(`a recorder has every packet of an edge node in its order, MQTT version ${version}`, async (t) => {
    const { port } = await startMosquitto(t);
    const recorder = await startSessionRecorder(t, [port], { group: 'Plant', node: 'north', writable: [] });
    const host = await connectAsync({ port, host: '127.0.0.1' });
    t.after(() => host.end(true));
    await host.publishAsync('spBv1.0/STATE/scada', '{"online":true}', { retain: true, qos: 1 });

    const [edgePort] = recorder.ports;
    const edge = await connectAsync({
      port: edgePort ?? 0,
      host: '127.0.0.1',
      protocolVersion: version,
      ...(version === 5 ? { properties: { sessionExpiryInterval: 7 } } : {}),
      will: { topic: 'spBv1.0/Plant/NDEATH/north', payload: Buffer.from(encodePayload(DEATH)), qos: 1 },
    });
    t.after(() => edge.end(true));
    await edge.subscribeAsync({ 'spBv1.0/STATE/scada': { qos: 1 }, 'spBv1.0/Plant/NCMD/north': { qos: 0 } });
    await recorder.when((events) => events.some(({ type }) => type === 'acknowledge'));
    await edge.publishAsync('spBv1.0/Plant/NBIRTH/north', Buffer.from(encodePayload(BIRTH)), {
      retain: true,
    });
    await edge.publishAsync('spBv1.0/Plant/NDATA/north', 'no payload', { qos: 1 });
    await host.publishAsync('spBv1.0/Plant/NCMD/north', Buffer.from(encodePayload(BIRTH)));
    await recorder.when((events) => events.filter(({ type }) => type === 'delivery').length === 2);
    recorder.markLost('pump');
    await edge.endAsync(false, version === 5 ? { reasonCode: 4 } : {});
    await recorder.when((events) => events.at(-1)?.type === 'closed');

    const place = { connection: 0, broker: String(port) };
    const publish = { type: 'publish', ...place };
    const messageId = recorder.session.events.find((event) => event.type === 'acknowledge')?.messageId;
    assert.deepEqual(
      JSON.parse(
        JSON.stringify(recorder.session.events, (key, value: unknown) => (key === 'at' ? undefined : value)),
      ),
      [
        {
          type: 'connect',
          version,
          isClean: true,
          ...(version === 5 ? { sessionExpiry: 7 } : {}),
          will: { topic: 'spBv1.0/Plant/NDEATH/north', payload: DEATH, qos: 1, isRetained: false },
          ...place,
        },
        { type: 'accepted', ...place },
        {
          type: 'subscribe',
          filters: [
            { filter: 'spBv1.0/STATE/scada', qos: 1 },
            { filter: 'spBv1.0/Plant/NCMD/north', qos: 0 },
          ],
          ...place,
        },
        { type: 'delivery', topic: 'spBv1.0/STATE/scada', text: '{"online":true}', messageId, ...place },
        { type: 'acknowledge', messageId, ...place },
        { ...publish, topic: 'spBv1.0/Plant/NBIRTH/north', payload: BIRTH, qos: 0, isRetained: true },
        { ...publish, topic: 'spBv1.0/Plant/NDATA/north', qos: 1, isRetained: false },
        { type: 'delivery', topic: 'spBv1.0/Plant/NCMD/north', payload: BIRTH, ...place },
        { type: 'lost', device: 'pump', ...place },
        { type: 'disconnect', ...(version === 5 ? { reasonCode: 4 } : {}), ...place },
        { type: 'closed', ...place },
      ],
    );
  });
}

test('connections are numbered, and a cut closes them', async (t) => {
  const [first, second] = [await startMosquitto(t), await startMosquitto(t)];
  const recorder = await startSessionRecorder(t, [first.port, second.port], {
    group: 'Plant',
    node: 'north',
    writable: [],
  });
  for (const port of recorder.ports) {
    const edge = await connectAsync({ port, host: '127.0.0.1', reconnectPeriod: 0 });
    edge.on('error', () => {});
    recorder.cut();
    await recorder.when((events) => events.at(-1)?.type === 'closed');
    edge.end(true);
  }
  assert.deepEqual(
    recorder.session.events.map(({ type, connection, broker }) => [type, connection, broker]),
    [first, second].flatMap(({ port }, index) =>
      ['connect', 'accepted', 'closed'].map((type) => [type, index, String(port)]),
    ),
  );
});
