import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Bucket, Aggregate } from '../../daemon/plant/history/bucket-order.ts';
import type { History } from '../../daemon/plant/history/history.ts';
import type { HistoryQuery } from '../../daemon/plant/history/history-query.ts';
import type { NumberedEntry, Sample, Series } from '../../daemon/plant/journal/sample.ts';
import { catchUp, createHistoryBench, readPages, toStored } from '../daemon/plant/history/history-bench.ts';
import { readAll } from '../daemon/plant/journal/plain-journal.ts';
import { createRandom } from '../support/random.ts';

const SEEDS = 8;
const QUERIES = 25;
const AGGREGATES: readonly Aggregate[] = ['mean', 'min', 'max', 'first', 'last', 'count'];

type Random = () => number;

const pick = (random: Random, below: number): number => Math.floor(random() * below);

/** Draws a plant of a few channels, and a function that draws its next round of samples. */
function drawPlant(random: Random) {
  const types = ['DOUBLE', 'FLOAT', 'INTEGER', 'LONG', 'BOOLEAN', 'STRING'] as const;
  const channels = Array.from({ length: 1 + pick(random, 4) }, (_, index) => ({
    series: {
      asset: random() < 0.8 ? 'boiler' : 'pump',
      channel: `channel${index}`,
      valueType: types[pick(random, types.length)] ?? 'DOUBLE',
    } satisfies Series,
    shareOfRounds: random() < 0.5 ? 1 : random(),
    // The clock of a device may be ahead, behind, stopped, or be set.
    lagMs: pick(random, 2000) - 1000,
    setsClock: random() < 0.3,
  }));
  return {
    channels,
    draw(nowMs: number): readonly Sample[] {
      return channels
        .filter(({ shareOfRounds }) => random() < shareOfRounds)
        .map((channel): Sample => {
          if (channel.setsClock && random() < 0.01) channel.lagMs = pick(random, 200_000_000);
          const timestampMs = nowMs - channel.lagMs;
          const { series } = channel;
          const times = { timestampMs, takenAtMs: nowMs };
          if (random() < 0.05) return badSample(series, times);
          const quality = random() < 0.1 ? 'UNCERTAIN' : 'GOOD';
          const value = drawValue(random, series.valueType);
          return Object.assign({ series, recorders: ['all'], value, quality } as const, times);
        });
    },
  };
}

function badSample(series: Series, times: Pick<Sample, 'timestampMs' | 'takenAtMs'>): Sample {
  return { series, recorders: ['all'], value: undefined, quality: 'BAD', status: 'TIMEOUT', ...times };
}

function drawValue(random: Random, valueType: Series['valueType']): Sample['value'] {
  const number = pick(random, 2000) - 1000;
  switch (valueType) {
    case 'DOUBLE':
      return random() < 0.02 ? NaN : number / 10;
    case 'FLOAT':
      return Math.fround(number / 10);
    case 'LONG':
      return BigInt(number);
    case 'BOOLEAN':
      return number > 0;
    case 'STRING':
      return `text ${number}`;
    default:
      return number;
  }
}

/** Returns the samples that a query is about. */
function findSamples(entries: readonly NumberedEntry[], query: HistoryQuery): readonly Sample[] {
  const places = new Map(query.channels.map((channel, index) => [channel, index]));
  const found = entries.flatMap(({ sample, sequence }) => {
    const place = sample?.series.asset === query.asset ? places.get(sample.series.channel) : undefined;
    if (sample === undefined || place === undefined) return [];
    const isInside = sample.timestampMs >= query.fromMs && sample.timestampMs < query.toMs;
    return isInside ? [{ sample, place, sequence }] : [];
  });
  return found
    .toSorted(
      (one, other) =>
        one.sample.timestampMs - other.sample.timestampMs ||
        one.place - other.place ||
        one.sequence - other.sequence,
    )
    .map(({ sample }) => sample);
}

function aggregate(samples: readonly Sample[], query: HistoryQuery): readonly Bucket[] {
  const { fromMs, buckets } = query;
  if (buckets === undefined) throw new Error('no buckets were requested');
  const groups = Map.groupBy(samples, ({ timestampMs }) =>
    Math.floor((timestampMs - fromMs) / buckets.bucketMs),
  );
  return [...groups].flatMap(([number, group]) =>
    query.channels.flatMap((channel) => {
      const own = group.filter(({ series }) => series.channel === channel);
      if (own.length === 0) return [];
      const good = own.filter(({ quality }) => quality === 'GOOD').length;
      const value = summarise(own, buckets.aggregate);
      return {
        channel,
        fromMs: fromMs + number * buckets.bucketMs,
        value,
        valueType: 'DOUBLE',
        count: own.length,
        good,
      };
    }),
  );
}

function summarise(samples: readonly Sample[], kind: Aggregate): Bucket['value'] {
  if (kind === 'count') return samples.length;
  const values = samples.map(({ value }) => value).filter((value) => value !== undefined);
  if (kind === 'first') return values[0];
  if (kind === 'last') return values.at(-1);
  const numbers = values
    .filter((value) => typeof value !== 'string')
    .map(Number)
    .filter(Number.isFinite);
  if (numbers.length === 0) return undefined;
  if (kind === 'min') return Math.min(...numbers);
  if (kind === 'max') return Math.max(...numbers);
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Draws a query over the time of a plant. */
function drawQuery(
  random: Random,
  beginMs: number,
  endMs: number,
  channels: readonly string[],
): HistoryQuery {
  const spanMs = endMs - beginMs;
  const isWide = random() < 0.3;
  const fromMs = isWide ? beginMs - 300_000_000 : beginMs + pick(random, spanMs);
  const toMs = isWide ? endMs + 1 : fromMs + 1 + pick(random, spanMs);
  const range = {
    asset: random() < 0.8 ? 'boiler' : 'pump',
    channels: channels.filter(() => random() < 0.8),
    fromMs,
    toMs,
    limit: random() < 0.3 ? 100_000 : 1 + pick(random, 3000),
  };
  if (random() < 0.4) return range;
  const kind = AGGREGATES[pick(random, AGGREGATES.length)] ?? 'mean';
  const bucketMs = [1000, 7777, 60_000, 3_600_000, 90_000_000][pick(random, 5)] ?? 1000;
  return { ...range, buckets: { bucketMs, aggregate: kind } };
}

async function compare(
  history: History,
  entries: readonly NumberedEntry[],
  query: HistoryQuery,
): Promise<void> {
  const pages = await readPages(history, query);
  const rows = pages.flat();
  const samples = findSamples(entries, query);
  if (query.buckets === undefined) {
    const found = rows.flatMap((row) =>
      row.type === 'SAMPLE' ? { ...toStored(row), takenAtMs: undefined } : [],
    );
    assert.deepEqual(
      found,
      samples.map((sample) => ({ ...sample, takenAtMs: undefined })),
    );
  } else {
    const found = rows.flatMap((row) => (row.type === 'BUCKET' ? row.bucket : []));
    const expected = aggregate(samples, query);
    assert.equal(found.length, expected.length);
    for (const [index, { value, valueType: _, ...bucket }] of found.entries()) {
      const { value: right, valueType: __, ...others } = expected[index] ?? assert.fail('a bucket too many');
      assert.deepEqual(bucket, others);
      if (typeof value === 'number' && typeof right === 'number' && Number.isFinite(right))
        assert.ok(Math.abs(value - right) <= 1e-9 * Math.max(1, Math.abs(right)), `${value} is not ${right}`);
      else assert.deepEqual(value, right);
    }
  }
}

test('histories of drawn plants answer as the journal does, also after losses of power', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = createRandom(seed);
    const bench = createHistoryBench(t);
    const { clock, cursors } = bench;
    // Keeps all of the journal.
    cursors.acknowledge({ consumer: 'test', sequence: 0, timeMs: 0 });
    const journal = await bench.openJournal();
    let history = await bench.openHistory(journal);
    const plant = drawPlant(random);
    const beginMs = clock.epochMs();
    for (let round = 0; round < 2000; round += 1) {
      clock.advance(random() < 0.01 ? pick(random, 1_000_000) : 1000);
      journal.append(plant.draw(clock.epochMs()).map((sample) => ({ sample })));
      if (random() < 0.1) await journal.flush();
      if (random() < 0.05) await catchUp(history);
      if (random() < 0.003) {
        bench.moveToCopy();
        history = await bench.openHistory(journal);
      }
    }
    await journal.flush();
    await catchUp(history);
    const entries = await readAll(journal, 0, 100_000);
    const channels = plant.channels.map(({ series }) => series.channel);
    for (let query = 0; query < QUERIES; query += 1) {
      const drawn = drawQuery(random, beginMs, clock.epochMs(), channels);
      await compare(history, entries, drawn).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${JSON.stringify(drawn)}`, { cause: error });
      });
    }
  }
});
