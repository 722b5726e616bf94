import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Asset } from '../../../../daemon/plant/asset/asset.ts';
import type { SubscriptionEvent } from '../../../../daemon/plant/asset/read/subscriber-feed.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import { ClosedByServer, LinkLost, NoResponse } from '../../../../drivers/opcua/opcua-errors.ts';
import { UnansweredTypes } from '../../../../drivers/opcua/session/unanswered-types.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../../support/asyncua-server.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openPlant } from '../../../support/plant-under-test.ts';
import { layTcpCable } from '../../../support/tcp-cable.ts';
import { needs } from '../../../support/tests-that-need.ts';

/** The end of an element of a Read request for the attribute DataTypeDefinition, 23, before it a NodeId (OPC 10000-4, 7.29). */
const DEFINITION = Buffer.from('17000000ffffffff0000ffffffff', 'hex');
const NODE_ID_BYTES = 4;
const UNAVAILABLE = 'OPCUA_TYPE_UNAVAILABLE';
let server: AsyncuaServer;

suite(
  'with a server on asyncua that breaks the connection when it is asked for a type',
  needs('asyncua'),
  () => {
    before(async () => {
      server = await startAsyncuaServer();
    });
    beforeEach(() => server.reset());
    after(() => server[Symbol.asyncDispose]());

    test('reads: its channel alone fails, and the connection breaks once', async (t) => {
      const { asset, breaks } = await lay(t);
      for (let round = 0; round < 5; round += 1) {
        const { records } = await asset.read(['motor', 'speed', 'level', 'odd']);
        const [motor, speed, level, odd] = records;
        assert.equal(motor?.failure?.code, UNAVAILABLE, motor?.failure?.message);
        assert.match(motor.failure.message, /ends the connection when the type .*nsu=urn:penstock:test;i=/);
        assert.equal(speed?.failure?.code, UNAVAILABLE);
        assert.equal(level?.value, 0);
        if (round > 0) assert.equal(odd?.failure?.code, ODD);
      }
      assert.equal(breaks(), 1);
      assert.ok((asset.connection.status().counters['linkLosses'] ?? 0) <= 1);
    });

    test('listeners: values go on, and the connection breaks once', async (t) => {
      const { asset, breaks } = await lay(t);
      const newest = new Map<string, ChannelRecord>();
      const waiting = Promise.withResolvers<void>();
      let until = (): boolean => false;
      const send = (event: SubscriptionEvent): void => {
        if (event.type === 'gap') return;
        for (const record of event.records) newest.set(record.name, record);
        if (until()) waiting.resolve();
      };
      until = () =>
        newest.get('motor')?.failure?.code === UNAVAILABLE &&
        newest.get('odd')?.failure?.code === ODD &&
        newest.get('level')?.value === 7;
      const output = { isFull: false, send, end: () => undefined };
      const control = asset.listen({ deadbandOf: () => 0, minimumIntervalMs: 50, output });
      t.after(() => control.stop());
      await server.burst('level', [[7, 0, 1000]]);
      await waiting.promise;
      assert.equal(breaks(), 1);
    });
  },
);

test('a type that is not answered is asked for again after a minute, an hour, a day', () => {
  const clock = new ManualClock();
  const types = new UnansweredTypes(clock);
  const name = 'nsu=urn:maker;i=1';
  const lost = new LinkLost('opc.tcp://plc', new ClosedByServer().reasons);
  assert.equal(types.find(name), undefined);
  for (const pauseMs of [60_000, 3_600_000, 86_400_000, 86_400_000]) {
    types.note(name, lost);
    clock.advance(pauseMs - 1);
    assert.equal(types.find(name)?.code, UNAVAILABLE);
    assert.equal(types.find('nsu=urn:maker;i=2'), undefined);
    clock.advance(1);
    assert.equal(types.find(name), undefined);
  }
  types.forget(name);
  types.note(name, new NoResponse('Read', 3000));
  assert.match(types.find(name)?.message ?? '', /does not respond when .*nsu=urn:maker;i=1/);
  clock.advance(60_000);
  assert.equal(types.find(name), undefined);
});

// The library takes no fields of such names, which it finds out when the type is described.
const ODD = 'OPCUA_UNSUPPORTED_TYPE';

const CHANNELS = [
  ['motor', 'STRING', {}],
  ['speed', 'DOUBLE', { nodeId: 'nsu=urn:penstock:test;s=motor', field: 'position.x' }],
  ['level', 'INTEGER', {}],
  ['odd', 'STRING', {}],
] as const;

interface Laid {
  readonly asset: Asset;
  /** How often the connection was broken. */
  readonly breaks: () => number;
}

/** Connects by a cable that breaks whenever the type is asked for that is asked for first. */
async function lay(t: TestContext): Promise<Laid> {
  let type: string | undefined;
  let count = 0;
  const cable = await layTcpCable(server.port, (bytes) => {
    const at = bytes.indexOf(DEFINITION);
    if (at < 0) return false;
    const asked = bytes.subarray(at - NODE_ID_BYTES, at).toString('hex');
    type ??= asked;
    if (type !== asked) return false;
    count += 1;
    return true;
  });
  const registry = await openPlant(t, {
    drivers: [
      {
        pid: 'line',
        type: 'opcua',
        endpointUrl: `opc.tcp://127.0.0.1:${cable.port}`,
        securityMode: 'NONE',
      },
    ],
    assets: [
      {
        pid: 'plant',
        driver: 'line',
        channels: CHANNELS.map(([name, valueType, address]) => ({
          name,
          type: 'READ',
          valueType,
          address: { nodeId: `nsu=urn:penstock:test;s=${name}`, ...address },
        })),
      },
    ],
  });
  t.after(async () => {
    await registry.stop();
    await cable[Symbol.asyncDispose]();
  });
  return { asset: registry.get('plant'), breaks: () => count };
}
