import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeUnknownChannel } from '../../../../daemon/plant/asset/read/channel-slot.ts';

import { NotFound } from '../../../../daemon/base/errors.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import type { Grant } from '../../../../daemon/security/identity/grant.ts';
import { createAccessBench } from './access-fixture.ts';

const LEVEL: Grant = { assets: ['p*'], channels: ['level'], operations: ['READ'] };
const SPEED: Grant = { assets: ['pump'], channels: ['sp*'], operations: ['WRITE'] };

const textsOf = (records: readonly ChannelRecord[]): readonly string[] =>
  records.map(({ name, value, failure }) =>
    failure === undefined ? `${name}=${String(value)}` : `${name}!${failure.code}`,
  );

/** Returns records as a client sees them, with the name of a channel that does not exist instead of theirs. */
const asNobody = (records: readonly ChannelRecord[]): readonly unknown[] =>
  records.map((record) => JSON.parse(JSON.stringify(record).replaceAll(record.name, 'nobody')) as unknown);

test('a read of everything reads what the caller may read, and shares it with the next one', async () => {
  const { open, driver } = createAccessBench([LEVEL, SPEED]);
  const [first, second] = await Promise.all([open().readAll(), open().readAll()]);
  assert.deepEqual(textsOf(first.records), ['level=7']);
  assert.equal(first.records, second.records);
  assert.deepEqual(driver.rounds, [['level']]);
  const { open: openAll, driver: other } = createAccessBench([{ assets: ['*'], operations: ['READ'] }]);
  assert.deepEqual(textsOf((await openAll().readAll()).records), ['level=7', 'total=1']);
  assert.deepEqual(other.rounds, [['level', 'total']]);
});

test('a write that waits is judged again when its turn comes', async () => {
  const UNTIL = new Date(60_000).toISOString();
  const write = (name: string, ifValue?: number) =>
    ({ name, valueType: 'DOUBLE', value: 3, ifValue }) as const;
  const grants: readonly Grant[] = [
    { ...SPEED, until: UNTIL },
    { ...LEVEL, operations: ['READ', 'WRITE'] },
  ];
  for (const [index, change] of (['ENDED', 'NARROWED', 'DELETED', 'KEPT'] as const).entries()) {
    const bench = createAccessBench(grants);
    const { driver, clock, open, replace } = bench;
    clock.setEpoch(0);
    driver.hold();
    // The attempt to connect waits.
    const pending = open().write([write('speed')]);
    await driver.arrived();
    if (change === 'ENDED') clock.setEpoch(60_000);
    if (change === 'NARROWED') replace({ grants: [LEVEL] });
    if (change === 'DELETED') replace(undefined);
    driver.release();
    const [record] = await pending;
    assert.equal(record?.failure?.code, index < 3 ? 'CHANNEL_NOT_GRANTED' : undefined, change);
    assert.equal(record?.outcome, index < 3 ? 'NOT_SENT' : 'ACKNOWLEDGED', change);
    assert.equal(driver.written.length, index < 3 ? 0 : 1, change);
  }
});

test('a write that compares needs the right to read when its turn comes', async () => {
  const { driver, open, replace } = createAccessBench([{ assets: ['pump'], operations: ['READ', 'WRITE'] }]);
  driver.hold();
  const pending = open().write([{ name: 'level', valueType: 'DOUBLE', value: 3, ifValue: 7 }]);
  await driver.arrived();
  replace({ grants: [{ assets: ['pump'], operations: ['WRITE'] }] });
  driver.release();
  const [record] = await pending;
  assert.deepEqual([record?.outcome, record?.failure?.code], ['NOT_SENT', 'CHANNEL_NOT_GRANTED']);
  assert.deepEqual(driver.written, []);
});

test('a read by name fails for what the caller may not read, which reaches no device', async () => {
  const { open, driver } = createAccessBench([LEVEL, SPEED]);
  const { records } = await open().read(['total', 'level', 'speed', 'nobody', 'level', 'spare']);
  assert.deepEqual(textsOf(records), [
    'total!CHANNEL_UNKNOWN',
    'level=7',
    'speed!CHANNEL_NOT_GRANTED',
    'nobody!CHANNEL_UNKNOWN',
    'spare!CHANNEL_NOT_GRANTED',
  ]);
  assert.deepEqual(driver.rounds, [['level']]);
});

test('a channel without any grant looks like one that does not exist', async () => {
  const { open, asset } = createAccessBench([LEVEL]);
  const nobody = ['nobody'];
  const unknown = {
    read: asNobody((await asset.read(nobody)).records),
    plan: asset.describeRead(nobody),
    write: asNobody(await asset.write([{ name: 'nobody', valueType: 'DOUBLE', value: 3 }])),
  };
  for (const name of ['total', 'speed', 'spare', 'nobody']) {
    assert.deepEqual(asNobody((await open().read([name])).records), unknown.read, name);
    assert.deepEqual(
      asNobody(await open().write([{ name, valueType: 'DOUBLE', value: 3 }])),
      unknown.write,
      name,
    );
    const plan = JSON.stringify(open().describeRead([name])).replaceAll(name, 'nobody');
    assert.equal(plan, JSON.stringify(unknown.plan), name);
    const decoding = JSON.stringify(await open().decode(name)).replaceAll(name, 'nobody');
    assert.equal(decoding, JSON.stringify({ failure: describeUnknownChannel('nobody') }));
  }
});

test('a write reaches the device for what the caller may write, in order, and fails for everything else', async () => {
  const { open, driver } = createAccessBench([LEVEL, SPEED]);
  const write = (name: string) => ({ name, valueType: 'DOUBLE', value: 3 }) as const;
  const records = await open().write(['total', 'speed', 'level', 'nobody', 'spare'].map(write));
  assert.deepEqual(textsOf(records), [
    'total!CHANNEL_UNKNOWN',
    'speed=3',
    'level!CHANNEL_NOT_GRANTED',
    'nobody!CHANNEL_UNKNOWN',
    'spare!CHANNEL_DISABLED',
  ]);
  assert.deepEqual(driver.written, [['speed', 3]]);
  const [refused] = records;
  assert.deepEqual(refused?.asked, { valueType: 'DOUBLE', value: 3 });
});

test('the channels of an asset are those that the caller may read or write', () => {
  const { open } = createAccessBench([LEVEL, SPEED]);
  assert.deepEqual(
    open()
      .listChannels()
      .map(({ name }) => name),
    ['level', 'speed', 'spare'],
  );
  assert.deepEqual(
    open()
      .listReadable()
      .map(({ name }) => name),
    ['level'],
  );
});

test('a plan holds what the caller may read', () => {
  const { open } = createAccessBench([LEVEL, { ...LEVEL, channels: ['spare'] }]);
  const namesOf = (names?: readonly string[]): unknown =>
    open()
      .describeRead(names)
      .refused.map(({ name, failure }) => `${name}!${failure.code}`);
  assert.deepEqual(namesOf(), ['spare!CHANNEL_DISABLED']);
  assert.deepEqual(namesOf(['total', 'level', 'spare']), ['total!CHANNEL_UNKNOWN', 'spare!CHANNEL_DISABLED']);
});

test('a request is judged at its moment: a grant ends at its time, and one that is taken away is gone at once', async () => {
  const { open, clock, replace, access, caller } = createAccessBench([
    LEVEL,
    { ...SPEED, until: '2023-11-14T22:13:21Z' },
  ]);
  const write = async (): Promise<readonly string[]> =>
    textsOf(await open().write([{ name: 'speed', valueType: 'DOUBLE', value: 3 }]));
  assert.equal(clock.epochMs(), Date.parse('2023-11-14T22:13:20Z'));
  clock.advance(999);
  assert.deepEqual(await write(), ['speed=3']);
  clock.advance(1);
  assert.deepEqual(await write(), ['speed!CHANNEL_UNKNOWN']);
  assert.deepEqual(
    access.list(caller()).map(({ config }) => config.pid),
    ['pump'],
  );
  replace({ grants: [{ ...LEVEL, assets: ['boiler'] }] });
  assert.throws(open, { code: 'ASSET_NOT_GRANTED' });
  assert.deepEqual(access.list(caller()), []);
});

test('an asset without a grant is refused in the words of one that does not exist', () => {
  const { access, caller } = createAccessBench([{ ...LEVEL, assets: ['boiler'] }]);
  const detailOf = (pid: string): string => {
    try {
      access.open(caller(), pid);
    } catch (error) {
      assert.ok(error instanceof NotFound);
      return error.detail.replace(pid, 'it');
    }
    throw new Error('the asset was opened');
  };
  assert.equal(detailOf('pump'), detailOf('nobody'));
});

test('a grant for channels that an asset does not have does not show the asset', () => {
  const { open, access, caller } = createAccessBench([{ ...LEVEL, channels: ['pressure'] }]);
  assert.throws(open, { code: 'ASSET_NOT_GRANTED' });
  assert.deepEqual(access.list(caller()), []);
});

test('a value that the caller may write and not read is not compared for it', async () => {
  const { open, driver } = createAccessBench([LEVEL, SPEED]);
  const records = await open().write([{ name: 'speed', valueType: 'DOUBLE', value: 3, ifValue: 1 }]);
  assert.deepEqual(textsOf(records), ['speed!CHANNEL_NOT_GRANTED']);
  assert.deepEqual(
    records.map(({ outcome }) => outcome),
    ['NOT_SENT'],
  );
  assert.deepEqual([driver.rounds, driver.written], [[], []]);
});
