import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Asset } from '../../../../daemon/plant/asset/asset.ts';
import type { AssetReading } from '../../../../daemon/plant/asset/asset.ts';
import type { ChannelWrite } from '../../../../daemon/plant/asset/write/prepared-write.ts';
import { deferChannels } from '../../../../daemon/plant/asset/connection/deferred-channels.ts';
import { DriverConnection } from '../../../../daemon/plant/asset/connection/driver-connection.ts';
import { Unavailable } from '../../../../daemon/base/errors.ts';
import type { Channel } from '../../../../daemon/channel/channel.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createRefusal, ScriptedDriver } from '../../../support/scripted-driver.ts';
import { createChannel } from './channel-fixture.ts';

interface Bench {
  readonly driver: ScriptedDriver;
  readonly asset: Asset;
  readonly clock: ManualClock;
  /** How often the channels of the asset were parsed. */
  readonly parses: () => number;
}

const CHANNELS: readonly Channel[] = [
  createChannel({ name: 'a' }),
  createChannel({ name: 'b' }),
  createChannel({ name: 'input', type: 'READ' }),
  createChannel({ name: 'output', type: 'WRITE' }),
  createChannel({ name: 'off', isEnabled: false }),
  createChannel({ name: 'count', valueType: 'INTEGER', valueScale: 10 }),
];

function createBench(channels = CHANNELS, scaleOnWrite = true): Bench {
  const driver = new ScriptedDriver();
  for (const [index, { name }] of channels.entries()) driver.values.set(name, index);
  const clock = new ManualClock();
  const connection = new DriverConnection({
    driver,
    endpoint: 'line 1',
    callDeadlineMs: 1000,
    onStateChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    random: () => 0.5,
  });
  let parses = 0;
  const config = deferChannels({ pid: 'pump', driver: 'line', scaleOnWrite }, () => {
    parses += 1;
    return channels;
  });
  return {
    driver,
    parses: () => parses,
    asset: new Asset(config, connection, {
      clock,
      findSource: () => undefined,
      lastWrites: createLastWrites(clock),
    }),
    clock,
  };
}

/** A record in short: its name, and its value or the code of its failure. */
function summarize(records: readonly ChannelRecord[]): readonly unknown[] {
  return records.map(({ name, value, failure }) => [name, failure?.code ?? value]);
}

async function readSummary(reading: Promise<AssetReading>): Promise<readonly unknown[]> {
  return summarize((await reading).records);
}

const writeOf = (name: string, value: number): ChannelWrite => ({ name, valueType: 'DOUBLE', value });

const isOverloaded = (error: unknown): boolean =>
  error instanceof Unavailable && error.code === 'ASSET_OVERLOADED' && error.retryAfterSeconds >= 1;

test('an asset has its channels parsed when a client first uses them', async () => {
  const { asset, parses } = createBench();
  assert.deepEqual(asset.listFailing(), []);
  assert.equal(parses(), 0);
  await asset.readAll();
  assert.equal(parses(), 1);
});

test('readAll returns every channel that is enabled and readable, in configuration order', async () => {
  const { asset, driver } = createBench();
  assert.deepEqual(await readSummary(asset.readAll()), [
    ['a', 0],
    ['b', 1],
    ['input', 2],
    ['count', 50],
  ]);
  assert.deepEqual(driver.rounds, [['a', 'b', 'input', 'count']]);
});

test('read returns each name once, in the order of its first mention', async () => {
  const { asset } = createBench();
  assert.deepEqual(await readSummary(asset.read(['b', 'a', 'b', 'b', 'a'])), [
    ['b', 1],
    ['a', 0],
  ]);
});

test('read of no names returns no records and does not ask the driver', async () => {
  const { asset, driver } = createBench();
  assert.deepEqual(await readSummary(asset.read([])), []);
  assert.deepEqual([driver.rounds, driver.connects], [[], 0]);
});

test('read does not ask the driver for unknown, disabled and write-only channels', async () => {
  const { asset, driver } = createBench();
  assert.deepEqual(await readSummary(asset.read(['nobody', 'a', 'off', 'output', '__proto__'])), [
    ['nobody', 'CHANNEL_UNKNOWN'],
    ['a', 0],
    ['off', 'CHANNEL_DISABLED'],
    ['output', 'CHANNEL_NOT_READABLE'],
    ['__proto__', 'CHANNEL_UNKNOWN'],
  ]);
  assert.deepEqual(driver.rounds, [['a']]);
  await asset.read(['nobody', 'off', 'output']);
  assert.equal(driver.rounds.length, 1);
});

test('a failure record names its channel, unless no channel has the name', async () => {
  const { asset, clock } = createBench();
  const { records } = await asset.read(['off', 'nobody']);
  assert.deepEqual(
    records.map(({ channel, timestampMs }) => [channel?.name, timestampMs]),
    [
      ['off', clock.epochMs()],
      [undefined, clock.epochMs()],
    ],
  );
});

test('a record has the time that the device reported', async () => {
  const { asset, driver } = createBench();
  driver.timestampMs = 1234;
  const { records } = await asset.read(['a']);
  assert.equal(records[0]?.timestampMs, 1234);
});

test('a read returns values that were sampled after it arrived', async () => {
  const { asset, driver } = createBench();
  await asset.read(['b']);
  driver.rounds.splice(0);
  driver.hold();
  const early = asset.read(['a']);
  await driver.arrived();
  driver.values.set('a', 99);
  const late = asset.read(['a']);
  driver.release();
  assert.deepEqual(await readSummary(early), [['a', 0]]);
  assert.deepEqual(await readSummary(late), [['a', 99]]);
});

test('100 equal reads at once cost at most two rounds on the device', async () => {
  const { asset, driver } = createBench();
  await asset.read(['b']);
  driver.rounds.splice(0);
  driver.hold();
  const first = asset.read(['a', 'b']);
  await driver.arrived();
  const others = Array.from({ length: 99 }, () => asset.read(['a', 'b']));
  driver.release();
  await Promise.all([first, ...others]);
  assert.equal(driver.rounds.length, 2);
});

test('equal lists share a plan', async () => {
  const { asset, driver } = createBench();
  await asset.read(['a', 'b']);
  await asset.read(['a', 'b', 'a']);
  assert.equal(driver.plans, 1);
});

test('a device value that does not fit is a failure of its channel only', async () => {
  const { asset, driver } = createBench();
  driver.values.set('a', 'text');
  driver.values.set('count', 2 ** 30);
  assert.deepEqual(await readSummary(asset.read(['a', 'b', 'count'])), [
    ['a', 'VALUE_TYPE_MISMATCH'],
    ['b', 1],
    ['count', 'VALUE_OUT_OF_RANGE'],
  ]);
});

test('a channel that the device refuses fails alone', async () => {
  const { asset, driver } = createBench();
  driver.values.delete('b');
  assert.deepEqual(await readSummary(asset.read(['a', 'b'])), [
    ['a', 0],
    ['b', 'DEVICE_NO_VALUE'],
  ]);
});

test('while a link is down every record is a failure, and the read does not throw', async () => {
  const { asset, driver } = createBench();
  driver.connectFault = createRefusal();
  assert.deepEqual(await readSummary(asset.read(['a', 'nobody', 'b'])), [
    ['a', 'DEVICE_REFUSED'],
    ['nobody', 'CHANNEL_UNKNOWN'],
    ['b', 'DEVICE_REFUSED'],
  ]);
});

test('while a device is silent past the deadline every record is a failure', async () => {
  const { asset, driver, clock } = createBench();
  await asset.read(['a']);
  driver.hold();
  const reading = asset.read(['a', 'b']);
  await driver.arrived();
  clock.advance(1000);
  assert.deepEqual(await readSummary(reading), [
    ['a', 'DEADLINE_EXCEEDED'],
    ['b', 'DEADLINE_EXCEEDED'],
  ]);
});

test('a defect of the driver makes every record a failure, and the read does not throw', async () => {
  const { asset, driver } = createBench();
  driver.callFault = new TypeError('x is undefined');
  assert.deepEqual(await readSummary(asset.read(['a'])), [['a', 'DRIVER_FAULT']]);
});

test('a driver that returns too few readings or outcomes leads to failures for the missing ones', async () => {
  const { asset, driver } = createBench();
  driver.missingAnswers = 1;
  assert.deepEqual(await readSummary(asset.read(['a', 'b'])), [
    ['a', 0],
    ['b', 'DRIVER_FAULT'],
  ]);
  assert.deepEqual(summarize(await asset.write([writeOf('a', 5), writeOf('b', 6)])), [
    ['a', 5],
    ['b', 'DRIVER_FAULT'],
  ]);
});

test('values within the maximum age are served with their age, without asking the device', async () => {
  const { asset, driver, clock } = createBench();
  await asset.readAll();
  driver.values.set('a', 77);
  clock.advance(1500);
  const { records, ageMs } = await asset.readAll(1500);
  assert.deepEqual(summarize(records)[0], ['a', 0]);
  assert.equal(ageMs, 1500);
  assert.equal(driver.rounds.length, 1);
});

test('values beyond the maximum age are read again, with age 0', async () => {
  const { asset, driver, clock } = createBench();
  await asset.read(['a']);
  driver.values.set('a', 77);
  clock.advance(1501);
  const { records, ageMs } = await asset.read(['a'], 1500);
  assert.deepEqual(summarize(records), [['a', 77]]);
  assert.equal(ageMs, 0);
});

test('the age counts from the start of the round, before which nothing was sampled', async () => {
  const { asset, driver, clock } = createBench();
  await asset.read(['a']);
  driver.hold();
  const reading = asset.read(['a']);
  await driver.arrived();
  clock.advance(400);
  driver.release();
  await reading;
  assert.equal((await asset.read(['a'], 10_000)).ageMs, 400);
});

test('a write discards the values that were kept', async () => {
  const { asset } = createBench();
  await asset.read(['a']);
  await asset.readAll();
  await asset.write([writeOf('a', 5)]);
  assert.deepEqual(await readSummary(asset.read(['a'], 60_000)), [['a', 5]]);
  assert.deepEqual((await readSummary(asset.readAll(60_000)))[0], ['a', 5]);
});

test('a round that began before a write is not kept when it ends after the write', async () => {
  const { asset, driver } = createBench();
  await asset.read(['a']);
  driver.hold();
  const reading = asset.read(['a']);
  await driver.arrived();
  driver.letPass();
  await asset.write([writeOf('a', 5)]);
  driver.release();
  await reading;
  assert.deepEqual(await readSummary(asset.read(['a'], 60_000)), [['a', 5]]);
});

test('write returns one record per write in the order given, with the requested value', async () => {
  const { asset, driver } = createBench();
  const records = await asset.write([writeOf('b', 1.5), writeOf('output', 2.5), writeOf('b', 3.5)]);
  assert.deepEqual(summarize(records), [
    ['b', 1.5],
    ['output', 2.5],
    ['b', 3.5],
  ]);
  assert.deepEqual(driver.written, [
    ['b', 1.5],
    ['output', 2.5],
    ['b', 3.5],
  ]);
});

test('write sends an unscaled value where the asset is configured so, and a read still scales', async () => {
  const { asset, driver } = createBench(CHANNELS, false);
  const written = await asset.write([{ name: 'count', valueType: 'INTEGER', value: 7 }]);
  assert.deepEqual(summarize(written), [['count', 7]]);
  assert.equal(driver.values.get('count'), 7);
  assert.deepEqual(await readSummary(asset.read(['count'])), [['count', 70]]);
});

test('write undoes scale and offset, and a channel reads back what was written', async () => {
  const { asset, driver } = createBench();
  await asset.write([{ name: 'count', valueType: 'INTEGER', value: 120 }]);
  assert.deepEqual(driver.written, [['count', 12]]);
  assert.deepEqual(await readSummary(asset.read(['count'])), [['count', 120]]);
});

test('write does not ask the driver for unknown, disabled and read-only channels, other types and values', async () => {
  const { asset, driver } = createBench();
  const records = await asset.write([
    writeOf('nobody', 1),
    writeOf('off', 1),
    writeOf('a', 8),
    writeOf('input', 1),
    { name: 'b', valueType: 'FLOAT', value: 1 },
    { name: 'count', valueType: 'INTEGER', value: 15 },
    writeOf('b', 9),
  ]);
  assert.deepEqual(summarize(records), [
    ['nobody', 'CHANNEL_UNKNOWN'],
    ['off', 'CHANNEL_DISABLED'],
    ['a', 8],
    ['input', 'CHANNEL_NOT_WRITABLE'],
    ['b', 'VALUE_TYPE_MISMATCH'],
    ['count', 'VALUE_NOT_REPRESENTABLE'],
    ['b', 9],
  ]);
  assert.deepEqual(records[4]?.asked, { valueType: 'FLOAT', value: 1 });
  assert.deepEqual(records[5]?.asked, { valueType: 'INTEGER', value: 15 });
  assert.deepEqual(driver.written, [
    ['a', 8],
    ['b', 9],
  ]);
});

test('write without any writable channel does not connect', async () => {
  const { asset, driver } = createBench();
  await asset.write([writeOf('nobody', 1)]);
  assert.deepEqual(await asset.write([]), []);
  assert.equal(driver.connects, 0);
});

test('a write that the device refuses fails alone, and the others are carried out', async () => {
  const { asset, driver } = createBench();
  driver.values.delete('a');
  assert.deepEqual(summarize(await asset.write([writeOf('a', 1), writeOf('b', 2)])), [
    ['a', 'DEVICE_NO_VALUE'],
    ['b', 2],
  ]);
});

test('a write over a link that is down fails and is never repeated', async () => {
  const { asset, driver } = createBench();
  driver.connectFault = createRefusal();
  assert.deepEqual(summarize(await asset.write([writeOf('a', 1), writeOf('nobody', 2)])), [
    ['a', 'DEVICE_REFUSED'],
    ['nobody', 'CHANNEL_UNKNOWN'],
  ]);
  driver.connectFault = undefined;
  assert.deepEqual(driver.written, []);
});

test('one identity leaves room for others, and an operation beyond its share is refused as overload', async () => {
  const { asset, driver } = createBench();
  await asset.read(['a']);
  driver.hold();
  const waiting = Array.from({ length: 32 }, () => asset.write([writeOf('a', 1)], 'greedy'));
  await driver.arrived(32);
  await assert.rejects(asset.write([writeOf('b', 2)], 'greedy'), isOverloaded);
  const other = asset.write([writeOf('b', 3)], 'operator');
  await driver.arrived(33);
  driver.release();
  await Promise.all([...waiting, other]);
  assert.equal(driver.written.length, 33);
  assert.deepEqual(summarize(await asset.write([writeOf('b', 2)], 'greedy')), [['b', 2]]);
});

test('the 65th waiting operation is refused as overload, and none of its values is written', async () => {
  const { asset, driver } = createBench();
  await asset.read(['a']);
  driver.hold();
  const waiting = Array.from({ length: 64 }, (_, index) => asset.write([writeOf('a', 1)], `client ${index}`));
  await driver.arrived(64);
  await assert.rejects(asset.write([writeOf('b', 2)]), isOverloaded);
  await assert.rejects(asset.read(['b']), isOverloaded);
  await assert.rejects(asset.readAll(), isOverloaded);
  driver.release();
  await Promise.all(waiting);
  assert.equal(driver.written.length, 64);
  assert.deepEqual(await readSummary(asset.read(['b'])), [['b', 1]]);
});

test('an overloaded asset still serves kept values, and failures that need no device', async () => {
  const { asset, driver } = createBench();
  await asset.read(['a']);
  driver.hold();
  const waiting = Array.from({ length: 64 }, () => asset.read(['b', 'a']).then(() => undefined));
  const writes = Array.from({ length: 63 }, (_, index) =>
    asset.write([writeOf('output', 1)], `client ${index}`),
  );
  await driver.arrived(64);
  await assert.rejects(asset.write([writeOf('b', 2)]), isOverloaded);
  assert.deepEqual(await readSummary(asset.read(['a'], 60_000)), [['a', 0]]);
  assert.deepEqual(summarize(await asset.write([writeOf('off', 2)])), [['off', 'CHANNEL_DISABLED']]);
  driver.release();
  await Promise.all([...waiting, ...writes]);
});

test('reads that join a round count once', async () => {
  const { asset, driver } = createBench();
  await asset.read(['a']);
  driver.hold();
  const reads = Array.from({ length: 1000 }, () => asset.read(['a']));
  await driver.arrived();
  driver.release();
  assert.equal((await Promise.all(reads)).length, 1000);
});

test('lists beyond the number kept, and very long lists, are still read', async () => {
  const channels = Array.from({ length: 2100 }, (_, index) => createChannel({ name: `c${index}` }));
  const { asset } = createBench(channels);
  for (const { name } of channels.slice(0, 100)) await asset.read([name]);
  const names = channels.map(({ name }) => name);
  assert.equal((await asset.read(names)).records.length, 2100);
  assert.deepEqual(await readSummary(asset.read(['c0'])), [['c0', 0]]);
});
