import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ErrorCode } from '../../../../daemon/base/error-codes.ts';
import type { ConnectionStatus } from '../../../../daemon/plant/asset/connection/connection-status.ts';
import { FailingChannels } from '../../../../daemon/plant/asset/failing-channels.ts';
import type { Channel } from '../../../../daemon/channel/channel.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import type { UnitStatus } from '../../../../daemon/channel/driver.ts';
import { SubscribingScriptedDriver } from '../../../support/subscribing-driver.ts';
import { createChannel } from './channel-fixture.ts';
import { createListeningBench } from './listening-fixture.ts';

const CHANNELS = ['level', 'flow', 'pressure'].map((name) => createChannel({ name }));
const REFUSED = 'MODBUS_ILLEGAL_DATA_ADDRESS';
const SILENT = 'MODBUS_NO_RESPONSE';

interface Plant {
  readonly failing: FailingChannels;
  /** Notes a round: codes of failures by the name of a channel, all others have a value. */
  readonly read: (failures?: Readonly<Record<string, ErrorCode>>, timestampMs?: number) => void;
  readonly list: () => readonly string[];
  connection: Partial<ConnectionStatus>;
  unit: Partial<UnitStatus>;
}

function createPlant(): Plant {
  const plant = { connection: {}, unit: {} } as Pick<Plant, 'connection' | 'unit'>;
  const connection = {
    get isConnected(): boolean {
      return (plant.connection.state ?? 'CONNECTED') === 'CONNECTED';
    },
    unitOf: () => 'unit 1',
    status: (): ConnectionStatus => ({
      state: 'CONNECTED',
      sinceMs: 0,
      counters: {},
      units: [{ name: 'unit 1', state: 'ANSWERING', counters: {}, ...plant.unit }],
      ...plant.connection,
    }),
  };
  const failing = new FailingChannels({ asset: { channels: CHANNELS }, connection });
  const read: Plant['read'] = (failures = {}, timestampMs = 1) =>
    failing.note(CHANNELS.map((channel) => toRecord(channel, failures[channel.name], timestampMs)));
  return Object.assign(plant, { failing, read, list: () => failing.list().map(({ name }) => name) });
}

function toRecord(channel: Channel, code: ErrorCode | undefined, timestampMs: number): ChannelRecord {
  const { name } = channel;
  if (code === undefined) return { channel, name, value: 1, timestampMs, quality: 'GOOD' };
  return { channel, name, failure: { code, message: `${name}: ${code}` }, timestampMs };
}

test('a channel fails from its first failure until it has a value', () => {
  const { failing, read, list } = createPlant();
  read();
  assert.deepEqual(list(), []);
  read({ pressure: REFUSED, flow: REFUSED }, 20);
  read({ pressure: 'VALUE_OUT_OF_RANGE' }, 30);
  assert.deepEqual(failing.list(), [
    {
      name: 'pressure',
      failure: { code: 'VALUE_OUT_OF_RANGE', message: 'pressure: VALUE_OUT_OF_RANGE' },
      sinceMs: 20,
    },
  ]);
  read({ flow: REFUSED, pressure: REFUSED, level: REFUSED }, 40);
  assert.deepEqual(
    failing.list().map(({ name, sinceMs }) => [name, sinceMs]),
    [
      ['level', 40],
      ['flow', 40],
      ['pressure', 20],
    ],
  );
  read();
  assert.deepEqual(list(), []);
});

test('what says nothing of a channel is no failure of it, and a device that has no value gives an answer', () => {
  const { read, list } = createPlant();
  const unasked = [
    'VALUE_PENDING',
    'CHANNEL_DISABLED',
    'MODBUS_QUEUE_FULL',
    'OPCUA_SUBSCRIPTION_LOST',
  ] as const;
  for (const code of unasked) {
    read({ flow: code });
    assert.deepEqual(list(), [], code);
  }
  read({ flow: REFUSED });
  read({ flow: 'OPCUA_NO_VALUE' });
  assert.deepEqual(list(), []);
});

test('a device that is away is told by its unit or connection, and not by each of its channels', () => {
  const plant = createPlant();
  const all = { level: SILENT, flow: SILENT, pressure: SILENT } as const;
  plant.read({ flow: REFUSED });
  plant.unit = { state: 'SUSPENDED' };
  plant.read(all);
  assert.deepEqual(plant.list(), []);
  // It is back, and nobody has read it since.
  plant.unit = { state: 'ANSWERING' };
  assert.deepEqual(plant.list(), []);
  plant.read({ flow: REFUSED });
  plant.connection = { state: 'BACKING_OFF', lostSinceMs: 5 };
  plant.read(all);
  assert.deepEqual(plant.list(), []);
  plant.connection = { state: 'CONNECTING', lostSinceMs: 5 };
  assert.deepEqual(plant.list(), []);
  plant.connection = {};
  assert.deepEqual(plant.list(), ['flow']);
});

test('a channel that alone gets no answer fails, unless its unit lists the address', () => {
  const plant = createPlant();
  plant.read({ flow: SILENT });
  assert.deepEqual(plant.list(), ['flow']);
  const address = 'HOLDING_REGISTERS 9';
  plant.unit = { silentAddresses: [{ address, operation: 'READ', sinceMs: 1, nextAttemptAtMs: 2 }] };
  assert.deepEqual(plant.list(), []);
});

test('an instrument that gives no answer, which no unit tells, has its channels fail', () => {
  const plant = createPlant();
  plant.unit = { state: 'UNKNOWN' };
  plant.read({ level: 'SERIAL_NO_RESPONSE', flow: 'SERIAL_NO_RESPONSE', pressure: 'SERIAL_NO_RESPONSE' });
  assert.deepEqual(plant.list(), ['level', 'flow', 'pressure']);
});

test('a unit of which a gateway reports at once that it is silent is not suspended: its channels fail', () => {
  const plant = createPlant();
  const report = 'MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND';
  plant.read({ level: report, flow: report, pressure: report });
  assert.deepEqual(plant.list(), ['level', 'flow', 'pressure']);
});

test('of several records of a channel at once the newest counts', () => {
  const { failing } = createPlant();
  const [channel = createChannel()] = CHANNELS;
  failing.note([toRecord(channel, REFUSED, 1), toRecord(channel, undefined, 2)]);
  assert.deepEqual(failing.list(), []);
  failing.note([toRecord(channel, undefined, 1), toRecord(channel, REFUSED, 2)]);
  assert.equal(failing.list().length, 1);
});

test('an asset tells of failures that reads see, those of one channel alone included, and of those that the device reports', async () => {
  const { driver, asset, listen, settle } = createListeningBench(new SubscribingScriptedDriver());
  const list = () => asset.listFailing().map(({ name, failure }) => [name, failure.code]);
  driver.values.delete('level');
  await asset.readAll();
  assert.deepEqual(list(), [['level', 'DEVICE_NO_VALUE']]);
  driver.values.set('level', 7);
  await asset.read(['level']);
  assert.deepEqual(list(), []);
  driver.values.delete('total');
  await asset.read(['total', 'speed', 'spare', 'unknown']);
  assert.deepEqual(list(), [['total', 'DEVICE_NO_VALUE']]);
  listen();
  await settle();
  driver.report('level', { failure: { code: 'OPCUA_BAD_SENSOR_FAILURE', message: 'bad' }, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await settle();
  assert.deepEqual(list(), [['level', 'OPCUA_BAD_SENSOR_FAILURE']]);
  driver.report('level', { value: 7, timestampMs: 2 });
  await settle();
  assert.deepEqual(list(), []);
});
