import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import { AssetRegistry } from '../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createScriptedFactory } from '../../../support/scripted-driver.ts';

const channel = (name: string, changes: object = {}): object => {
  return { name, type: 'READ_WRITE', valueType: 'DOUBLE', address: {}, ...changes };
};
const FROM_SCALE = { scaleFrom: { channel: 'scale' } };

/** A meter with a power with its scale in `scale`, and more channels. */
async function openMeter(t: TestContext, changes: object = {}, more: readonly object[] = []) {
  const factory = createScriptedFactory();
  const clock = new ManualClock();
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    lastWrites: createLastWrites(clock),
    logger: createMemoryLogger(),
    clock,
    random: systemRandom,
  });
  t.after(() => registry.stop());
  const channels = [
    channel('power', { ...FROM_SCALE, ...changes }),
    channel('scale', { valueType: 'INTEGER' }),
    ...more,
  ];
  const plant = finish(
    checkPlant([factory], {
      drivers: [{ pid: 'line', type: 'scripted', line: '1' }],
      assets: [{ pid: 'meter', driver: 'line', channels }],
    }),
  );
  assert.equal(plant.faults, undefined);
  await registry.apply(plant.value ?? { drivers: [], assets: [] });
  const [[driver] = []] = [...factory.made.values()];
  if (driver === undefined) throw new RangeError('the driver is made');
  driver.values.set('power', 2315);
  driver.values.set('scale', -1);
  driver.timestampMs = clock.epochMs();
  const asset = registry.get('meter');
  const read = async (name = 'power') => (await asset.read([name])).records[0];
  const write = async (value: ChannelValue, valueType: ValueType = 'DOUBLE', isDryRun = false) =>
    (await asset.write([{ name: 'power', valueType, value }], '', { isDryRun }))[0];
  return { driver, asset, read, write };
}

function summarize(record: ChannelRecord | undefined): readonly unknown[] {
  const { outcome, failure, value, requested, readBack } = record ?? {};
  return [outcome, failure?.code, value, requested, readBack].filter((part) => part !== undefined);
}

test('the scale is read in the round of its value, also when a client reads the value only', async (t) => {
  const { driver, asset, read } = await openMeter(t);
  const { records } = await asset.readAll();
  assert.deepEqual(
    records.map(({ name, value }) => [name, value]),
    [
      ['power', 231.5],
      ['scale', -1],
    ],
  );
  assert.equal((await read())?.value, 231.5);
  driver.values.set('scale', 2);
  assert.equal((await read())?.value, 231_500);
  assert.equal((await read('scale'))?.value, 2);
  assert.deepEqual(driver.rounds, [['power', 'scale'], ['power', 'scale'], ['power', 'scale'], ['scale']]);
});

const VALUES: readonly (readonly [
  changes: object,
  raw: ChannelValue,
  scale: ChannelValue,
  value: ChannelValue,
])[] = [
  [{}, 3, -1, 0.3],
  [{}, -1, -3, -0.001],
  [{}, 12.5, 2, 1250],
  [{ valueScale: 0.001 }, 2315, -1, 0.2315],
  [{ valueScale: 0.1, valueOffset: 5 }, 3, 0, 5.3],
  [{ scaleFrom: { channel: 'scale', kind: 'FACTOR' } }, 3, 10, 30],
  [{ valueType: 'INTEGER' }, 2319, -1, 231],
  [{ valueType: 'INTEGER', valueScale: 3, valueOffset: 1 }, 2319, -1, 696],
  [{ valueType: 'LONG' }, 9_007_199_254_740_993n, 1, 90_071_992_547_409_930n],
  [{ valueType: 'LONG' }, 9_007_199_254_740_991, 2, 900_719_925_474_099_100n],
  [{ valueType: 'FLOAT' }, 2315, -1, 231.5],
];

for (const [changes, raw, scale, value] of VALUES) {
  test(`raw ${String(raw)} with scale ${String(scale)} is ${String(value)} for ${JSON.stringify(changes)}`, async (t) => {
    const { driver, read } = await openMeter(t, changes);
    driver.values.set('power', raw);
    driver.values.set('scale', scale);
    assert.equal((await read())?.value, value);
  });
}

test('a factor with decimals yields exact decimals', async (t) => {
  const { driver, read } = await openMeter(t, { scaleFrom: { channel: 'factor', kind: 'FACTOR' } }, [
    channel('factor'),
  ]);
  driver.values.set('factor', 0.1);
  driver.values.set('power', 3);
  assert.equal((await read())?.value, 0.3);
});

const UNUSABLE: readonly (readonly [kind: string, scale: ChannelValue | undefined, code: string])[] = [
  ['EXPONENT', undefined, 'DEVICE_NO_VALUE'],
  ['EXPONENT', -32_768, 'VALUE_NOT_AVAILABLE'],
  ['EXPONENT', 32_768, 'VALUE_NOT_AVAILABLE'],
  ['EXPONENT', 23, 'SCALE_UNUSABLE'],
  ['EXPONENT', 0.5, 'SCALE_UNUSABLE'],
  ['EXPONENT', Number.NaN, 'SCALE_UNUSABLE'],
  ['FACTOR', 0, 'SCALE_UNUSABLE'],
  ['FACTOR', Number.NaN, 'SCALE_UNUSABLE'],
];

for (const [kind, scale, code] of UNUSABLE) {
  test(`a value with the ${kind} ${String(scale)} fails with ${code} and names the scale channel`, async (t) => {
    const scaleFrom = { channel: 'other', kind };
    const { driver, read, write } = await openMeter(t, { scaleFrom }, [channel('other')]);
    if (scale !== undefined) driver.values.set('other', scale);
    const record = await read();
    assert.equal(record?.failure?.code, code);
    assert.match(record.failure.message, /^scale channel "other"/);
    const written = await write(5);
    assert.deepEqual([written?.outcome, written?.failure?.code], ['NOT_SENT', code]);
    assert.deepEqual(driver.written, []);
  });
}

test('notAvailable compares the raw value, not the product', async (t) => {
  const { driver, read, write } = await openMeter(t, { notAvailable: [-32_768] });
  driver.values.set('power', -32_768);
  assert.equal((await read())?.failure?.code, 'VALUE_NOT_AVAILABLE');
  driver.values.set('power', -327_680);
  assert.equal((await read())?.value, -32_768);
  assert.equal((await write(-3276.8))?.failure?.code, 'VALUE_NOT_AVAILABLE');
  assert.equal((await write(-32_768))?.outcome, 'ACKNOWLEDGED');
});

test('a disabled scale channel is not read, and its value fails', async (t) => {
  const { driver, read, write } = await openMeter(t, { scaleFrom: { channel: 'off' } }, [
    channel('off', { isEnabled: false }),
  ]);
  driver.values.set('off', 1);
  assert.equal((await read())?.failure?.code, 'CHANNEL_DISABLED');
  assert.deepEqual(driver.rounds, [['power']]);
  assert.equal((await write(1))?.failure?.code, 'CHANNEL_DISABLED');
});

test('a write undoes a scale that is read right before it, and no other write comes in between', async (t) => {
  const { driver, asset, write } = await openMeter(t, {}, [channel('other')]);
  driver.values.set('other', 0);
  driver.hold();
  const first = write(12.3);
  await driver.arrived();
  driver.letPass();
  const second = asset.write([{ name: 'other', valueType: 'DOUBLE', value: 7 }]);
  driver.release();
  await Promise.all([first, second]);
  assert.deepEqual(
    driver.written.map(([name]) => name),
    ['power', 'other'],
  );
  driver.values.set('scale', -2);
  assert.deepEqual(summarize(await write(12.34)), ['ACKNOWLEDGED', 12.34]);
  assert.deepEqual(driver.written.at(-1), ['power', 1234]);
});

test('a dry run reads the scale and sends nothing', async (t) => {
  const { driver, write } = await openMeter(t, { write: { maximum: 100 } });
  const tried = await write(12.3, 'DOUBLE', true);
  assert.deepEqual([tried?.isDryRun, tried?.value], [true, 12.3]);
  assert.equal((await write(100.1, 'DOUBLE', true))?.failure?.code, 'WRITE_LIMIT_EXCEEDED');
  assert.deepEqual(driver.written, []);
  assert.deepEqual(driver.rounds, [['scale'], ['scale']]);
});

test('a value that the scale cannot represent is refused', async (t) => {
  const { driver, write } = await openMeter(t, { valueType: 'INTEGER' });
  driver.values.set('scale', 2);
  assert.deepEqual(summarize(await write(1250, 'INTEGER')), ['NOT_SENT', 'VALUE_NOT_REPRESENTABLE']);
  assert.deepEqual(summarize(await write(1200, 'INTEGER')), ['ACKNOWLEDGED', 1200]);
  assert.deepEqual(driver.written, [['power', 12]]);
});

test('limits, steps, conditions and verification use the scaled value', async (t) => {
  const { driver, asset, write } = await openMeter(t, {
    write: {
      minimum: 0,
      maximumStep: 10,
      verify: { withinMs: 1000 },
      onlyIf: [{ channel: 'scale', operator: 'EQUALS', value: -1, maximumAgeMs: 1000 }],
    },
  });
  assert.deepEqual(summarize(await write(-1)), ['NOT_SENT', 'WRITE_LIMIT_EXCEEDED']);
  assert.deepEqual(summarize(await write(250)), ['NOT_SENT', 'WRITE_STEP_EXCEEDED']);
  assert.deepEqual(driver.rounds.at(-1), ['scale', 'power', 'scale']);
  const found = await write(235.1);
  assert.deepEqual([found?.outcome, found?.failure?.code], ['VERIFIED', undefined]);
  assert.deepEqual([found?.readBack, found?.before?.value], [235.1, 231.5]);
  assert.deepEqual(driver.written, [['power', 2351]]);
  const [changed] = await asset.write([{ name: 'power', valueType: 'DOUBLE', value: 236, ifValue: 231.5 }]);
  assert.equal(changed?.failure?.code, 'WRITE_VALUE_CHANGED');
  const [same] = await asset.write([{ name: 'power', valueType: 'DOUBLE', value: 236, ifValue: 235.1 }]);
  assert.equal(same?.outcome, 'VERIFIED');
});

test('the order of a request is kept around a write with a scale', async (t) => {
  const { driver, asset } = await openMeter(t, {}, [channel('a'), channel('b')]);
  for (const name of ['a', 'b']) driver.values.set(name, 0);
  const records = await asset.write(
    ['a', 'power', 'b'].map((name, index) => ({ name, valueType: 'DOUBLE', value: index })),
  );
  assert.deepEqual(
    records.map(({ name, outcome }) => [name, outcome]),
    [
      ['a', 'ACKNOWLEDGED'],
      ['power', 'ACKNOWLEDGED'],
      ['b', 'ACKNOWLEDGED'],
    ],
  );
  assert.deepEqual(driver.written, [
    ['a', 0],
    ['power', 10],
    ['b', 2],
  ]);
});

test('the scale of an address is read under a name of its own', async (t) => {
  const { driver, read } = await openMeter(t, { scaleFrom: { address: { register: 7 } } });
  driver.values.set('power:scale', -2);
  assert.equal((await read())?.value, 23.15);
  driver.values.delete('power:scale');
  const record = await read();
  assert.equal(record?.failure?.message, 'scale channel "power:scale": the device has no such value');
  assert.deepEqual(driver.rounds.at(-1), ['power', 'power:scale']);
});
