import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PendingEntries } from '../../../../daemon/plant/journal/pending-entries.ts';
import { listSamples } from '../../../support/journal-entries.ts';
import type { AppendedEntry, Sample } from '../../../../daemon/plant/journal/sample.ts';
import { delayToMultiple } from '../../../../daemon/plant/recorder/interval-task.ts';
import { Recorders } from '../../../../daemon/plant/recorder/recorders.ts';
import type { RecorderConfig } from '../../../../daemon/plant/recorder/recorders.ts';
import { ScriptedDriver } from '../../../support/scripted-driver.ts';
import { SubscribingScriptedDriver } from '../../../support/subscribing-driver.ts';
import { createListeningBench } from '../asset/listening-fixture.ts';

const secondly: RecorderConfig = { pid: 'secondly', intervalMs: 1000, assets: [{ asset: 'pump' }] };
const changes: RecorderConfig = {
  pid: 'changes',
  onChange: true,
  minimumIntervalMs: 500,
  assets: [{ asset: 'pump', channels: ['level'] }],
};

function createBench<D extends ScriptedDriver>(driver: D) {
  const bench = createListeningBench(driver);
  // No multiple of an interval.
  bench.clock.advance(100);
  const entries: AppendedEntry[] = [];
  const recorders = new Recorders({
    findAsset: (pid) => (pid === 'pump' ? bench.asset : undefined),
    journal: { append: (more) => entries.push(...more) },
    clock: bench.clock,
  });
  return {
    ...bench,
    recorders,
    entries,
    samples: (): readonly Sample[] => entries.flatMap(({ sample }) => sample ?? []),
    /** Each entry in short: `level=7 secondly`, `level! DEVICE_NO_VALUE`, `gap DEVICE_LOST level`. */
    texts: () =>
      entries.map(({ sample, gap }) => {
        if (gap !== undefined) return ['gap', gap.reason, gap.channel ?? 'all'].join(' ');
        const { series, value, quality, status, recorders: pids } = sample;
        const shown = quality === 'GOOD' ? `=${String(value)}` : `! ${status}`;
        return `${series.channel}${shown} ${pids.join('+')}`;
      }),
    /** Returns the samples of a channel that are written, and takes the next ones. */
    write: (channel: string): readonly Sample[] => {
      const pending = new PendingEntries(Infinity);
      for (const entry of entries.splice(0)) pending.add(entry);
      const columns = pending.list().samples.find(({ series }) => series.channel === channel);
      return columns === undefined ? [] : listSamples(columns);
    },
  };
}

test('an interval recorder samples every readable channel at multiples of its interval, changed or not', async () => {
  const { recorders, driver, pass, clock, samples, texts } = createBench(new ScriptedDriver());
  recorders.apply([secondly]);
  await pass(2900);
  assert.deepEqual(
    texts(),
    [1, 2, 3].flatMap(() => ['level=7 secondly', 'total=1 secondly']),
  );
  assert.equal(driver.rounds.length, 3);
  assert.deepEqual(
    samples().map(({ takenAtMs }) => takenAtMs % 1000),
    Array(6).fill(0),
  );
  assert.equal(samples().at(-1)?.takenAtMs, clock.epochMs());
});

test('a value with the same device time is confirmed later, by the clock of the device', async () => {
  const { recorders, driver, pass, samples } = createBench(new ScriptedDriver());
  driver.timestampMs = 1_600_000_000_000;
  recorders.apply([{ ...secondly, assets: [{ asset: 'pump', channels: ['level'] }] }]);
  await pass(2000);
  driver.timestampMs = 1_600_000_002_000;
  await pass(1000);
  assert.deepEqual(
    samples().map(({ timestampMs }) => timestampMs),
    [1_600_000_000_000, 1_600_000_001_000, 1_600_000_002_000],
  );
});

test('a time that no device can mean is replaced by that of the gateway', async () => {
  for (const timestampMs of [Number.NaN, Infinity, 8e15, -8e15]) {
    const { recorders, driver, pass, samples } = createBench(new ScriptedDriver());
    driver.timestampMs = timestampMs;
    recorders.apply([secondly]);
    await pass(1000);
    assert.equal(samples().length, 2);
    for (const sample of samples()) assert.equal(sample.timestampMs, sample.takenAtMs);
  }
});

test('what a listener reads in the same interval is not read again', async () => {
  const { recorders, driver, pass, listen, samples, settle } = createBench(new ScriptedDriver());
  listen({ minimumIntervalMs: 500 });
  await settle();
  await pass(2200);
  recorders.apply([secondly, { ...changes, minimumIntervalMs: 500 }]);
  await settle();
  driver.rounds.length = 0;
  await pass(10_000);
  assert.equal(driver.rounds.length, 20);
  const ofInterval = samples().filter((sample) => sample.recorders.includes('secondly'));
  assert.equal(ofInterval.length, 20);
});

test('what a device reports is not read', async () => {
  const { recorders, driver, pass, settle, texts } = createBench(new SubscribingScriptedDriver());
  recorders.apply([{ ...changes, assets: [{ asset: 'pump' }] }]);
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await pass(600);
  driver.report('level', { value: 8, timestampMs: 2 });
  await pass(600);
  assert.deepEqual(texts(), ['level=7 changes', 'total=1 changes', 'level=8 changes']);
  recorders.apply([{ ...changes, assets: [{ asset: 'pump' }] }, secondly]);
  await pass(1000);
  assert.deepEqual(texts().slice(3), ['level=8 secondly', 'total=1 secondly']);
  assert.deepEqual(driver.rounds, []);
});

test('a device that reports less often than a recorder samples is read', async () => {
  const { recorders, driver, pass, settle, texts } = createBench(new SubscribingScriptedDriver());
  recorders.apply([{ ...changes, minimumIntervalMs: 60_000, assets: [{ asset: 'pump' }] }]);
  await settle();
  driver.report('level', { value: 5, timestampMs: 1 });
  driver.report('total', { value: 5n, timestampMs: 1 });
  await pass(600);
  recorders.apply([secondly]);
  await pass(1000);
  assert.deepEqual(texts().slice(2), ['level=7 secondly', 'total=1 secondly']);
  assert.equal(driver.rounds.length, 1);
});

test('a change recorder that is renewed takes the present values again', async () => {
  const { recorders, pass, settle, texts } = createBench(new ScriptedDriver());
  recorders.apply([changes]);
  await settle();
  recorders.renew();
  await pass(600);
  assert.deepEqual(texts(), ['level=7 changes', 'level=7 changes']);
});

test('a change recorder takes changes beyond the deadband, and each change of quality', async () => {
  const { recorders, driver, pass, texts, settle } = createBench(new ScriptedDriver());
  recorders.apply([{ ...changes, deadband: 1 }]);
  await settle();
  for (const value of [7.5, 8, 8.5, 9]) {
    driver.values.set('level', value);
    await pass(500);
  }
  driver.values.delete('level');
  await pass(2000);
  driver.values.set('level', 9);
  await pass(500);
  assert.deepEqual(
    texts(),
    [
      'level=7 changes',
      'level=8.5 changes',
      'level! DEVICE_NO_VALUE changes',
      'gap DEVICE_LOST level',
      'level=9 changes',
    ].map((text) => text.replace('gap DEVICE_LOST level', 'gap DEVICE_LOST all')),
  );
});

test('a silent device is one sample of each channel and one gap, however long it lasts', async () => {
  const { recorders, driver, pass, entries, texts } = createBench(new ScriptedDriver());
  recorders.apply([secondly]);
  await pass(1000);
  driver.values.clear();
  await pass(60_000);
  driver.values.set('level', 9).set('total', 2n);
  await pass(1000);
  assert.deepEqual(texts(), [
    'level=7 secondly',
    'total=1 secondly',
    'level! DEVICE_NO_VALUE secondly',
    'total! DEVICE_NO_VALUE secondly',
    'gap DEVICE_LOST all',
    'level=9 secondly',
    'total=2 secondly',
  ]);
  const gap = entries.find((entry) => entry.gap !== undefined)?.gap;
  assert.deepEqual([(gap?.toMs ?? 0) - (gap?.fromMs ?? 0), gap?.count, gap?.asset], [60_000, 0, 'pump']);
});

test('a channel that fails alone has a gap of its own', async () => {
  const { recorders, driver, pass, texts } = createBench(new ScriptedDriver());
  recorders.apply([secondly]);
  await pass(1000);
  driver.values.delete('level');
  await pass(3000);
  driver.values.set('level', 9);
  await pass(1000);
  assert.deepEqual(
    texts().filter((text) => text.includes('gap')),
    ['gap DEVICE_LOST level'],
  );
});

test('a record that several recorders take is one sample, until it has been written', async () => {
  const { recorders, pass, write } = createBench(new ScriptedDriver());
  const level = [{ asset: 'pump', channels: ['level'] }];
  recorders.apply([
    { ...secondly, assets: level },
    { pid: 'other', intervalMs: 1000, assets: level },
  ]);
  for (let round = 0; round < 2; round += 1) {
    await pass(1000);
    assert.deepEqual(
      write('level').map(({ recorders: pids }) => pids),
      [['other', 'secondly']],
    );
  }
});

test('a value that a device does not report again is a sample of each round', async () => {
  const { recorders, driver, pass, settle, write } = createBench(new SubscribingScriptedDriver());
  const fast = { pid: 'fast', intervalMs: 100, assets: [{ asset: 'pump' }] };
  recorders.apply([{ ...changes, minimumIntervalMs: 100, assets: [{ asset: 'pump' }] }, fast]);
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await pass(1000);
  const samples = write('level').filter(({ recorders: pids }) => pids.includes('fast'));
  assert.ok(samples.length >= 9, `${samples.length} samples`);
});

test('recorders that stay lose nothing when others change', async () => {
  const { recorders, pass, samples } = createBench(new ScriptedDriver());
  recorders.apply([secondly]);
  for (let round = 0; round < 10; round += 1) {
    await pass(500);
    recorders.apply([secondly, { pid: `other${round}`, intervalMs: 700, assets: [{ asset: 'pump' }] }]);
    await pass(500);
    recorders.apply([secondly, changes]);
  }
  const times = samples()
    .filter(({ series, recorders: pids }) => series.channel === 'level' && pids.includes('secondly'))
    .map(({ takenAtMs }) => takenAtMs);
  assert.equal(times.length, 10);
  // Each is at most as old as the interval, since others may have read it.
  const startMs = Math.floor((times[0] ?? 0) / 1000) * 1000;
  for (const [index, time] of times.entries()) {
    const ageMs = startMs + index * 1000 - time;
    assert.ok(ageMs >= 0 && ageMs < 1000, times.join());
  }
  assert.deepEqual(
    recorders.list().map(({ pid }) => pid),
    ['secondly', 'changes'],
  );
  assert.equal(recorders.list()[0]?.samples, 20);
});

test('nothing is sampled after the stop, and a removed recorder reads nothing', async () => {
  const { recorders, driver, pass, entries } = createBench(new ScriptedDriver());
  recorders.apply([secondly]);
  await pass(1000);
  recorders.apply([]);
  recorders.stop();
  const [rounds, count] = [driver.rounds.length, entries.length];
  await pass(5000);
  assert.deepEqual([driver.rounds.length, entries.length], [rounds, count]);
});

test('a change recorder goes on when its asset is replaced', async () => {
  const { recorders, driver, asset, pass, texts, settle } = createBench(new ScriptedDriver());
  recorders.apply([changes]);
  await settle();
  asset.endListening('ASSET_CHANGED');
  driver.values.set('level', 8);
  recorders.apply([changes]);
  await pass(1000);
  assert.deepEqual(texts(), ['level=7 changes', 'level=8 changes']);
});

test('a round that lasts longer than the interval is followed by the next multiple', async () => {
  const { recorders, driver, pass, samples, settle } = createBench(new ScriptedDriver());
  recorders.apply([secondly]);
  driver.hold();
  await pass(1900);
  driver.release();
  await settle();
  await pass(3000);
  const times = samples().filter(({ series }) => series.channel === 'level');
  const distances = times.slice(1).map(({ takenAtMs }, index) => takenAtMs - (times[index]?.takenAtMs ?? 0));
  assert.ok(distances.length >= 2);
  assert.ok(
    distances.every((distance) => distance > 500),
    distances.join(),
  );
});

test('delayToMultiple leads to the next multiple that is far enough away', () => {
  const rows: readonly [epochMs: number, intervalMs: number, leastMs: number, delayMs: number][] = [
    [1_000_000, 1000, 0, 0],
    [1_000_001, 1000, 0, 999],
    // A timer that was a millisecond early does not sample the same multiple twice.
    [999_999, 1000, 500, 1001],
    [1_000_000, 1000, 500, 1000],
    [1_000_400, 1000, 500, 600],
    [1_000_600, 1000, 500, 1400],
  ];
  for (const [epochMs, intervalMs, leastMs, delayMs] of rows)
    assert.equal(delayToMultiple(epochMs, intervalMs, leastMs), delayMs, `${epochMs}`);
});
