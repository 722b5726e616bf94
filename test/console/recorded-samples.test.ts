import assert from 'node:assert/strict';
import { test } from 'node:test';

import { JoinedSeries } from '../../daemon/console/trend/joined-series.ts';
import { readBuckets, readSamples } from '../../daemon/console/trend/recorded-samples.ts';
import { Samples } from '../../daemon/console/trend/samples.ts';
import type { Series } from '../../daemon/console/trend/samples.ts';
import { listPoints } from '../../daemon/console/trend/trend-points.ts';
import type { HistoryPage } from '../../daemon/interface/plant/history.ts';

type Row = NonNullable<HistoryPage['samples']>[number];
type Bucket = NonNullable<HistoryPage['buckets']>[number];

const CAUSES = {
  reasons: {
    RETENTION: 'deleted',
    DISK: 'disk full',
    DAMAGED: 'damaged',
    STOPPED: 'stopped',
    DEVICE_LOST: 'no answer',
  },
  named: (code: string) => `named ${code}`,
  bad: 'bad',
  ended: 'not recorded',
} as const;
const UNHEARD = { isUnheard: true } as const;

const partUntil = (untilMs: number, isEnded = false) => ({
  channel: 'flow',
  fromMs: 0,
  untilMs,
  isEnded,
  causes: CAUSES,
});
const good = (timestamp: number, value: NonNullable<Row['value']>): Row => ({
  channel: 'flow',
  timestamp,
  value,
  quality: 'GOOD',
});
const bad = (timestamp: number): Row => ({
  channel: 'flow',
  timestamp,
  quality: 'BAD',
  status: 'MODBUS_NO_RESPONSE',
});
const gap = (from: number, to: number, reason: HistoryPage['gaps'][number]['reason']) => ({
  from,
  to,
  count: 0,
  reason,
});

function collect(
  values: readonly (readonly [ms: number, value: number])[],
  gaps: Series['gaps'] = [],
): Samples {
  const samples = new Samples(gaps);
  for (const [ms, value] of values) samples.add(ms, value);
  return samples;
}

const listSamples = (series: Series): readonly (readonly [number, string])[] =>
  Array.from({ length: series.length }, (_sample, index) => [series.timeAt(index), series.textAt(index)]);

test('recorded samples keep every digit, and a failure with its gap is one gap', () => {
  const series = readSamples(
    {
      samples: [
        good(1000, 1),
        bad(20_000),
        good(90_000, '9007199254740993'),
        { ...good(95_000, 5), channel: 'other' },
      ],
      gaps: [gap(20_400, 90_000, 'DEVICE_LOST'), { ...gap(92_000, 94_000, 'DISK'), channel: 'other' }],
    },
    partUntil(100_000),
  );
  assert.deepEqual(listSamples(series), [
    [1000, '1'],
    [90_000, '9007199254740993'],
  ]);
  assert.deepEqual(series.gaps, [{ fromMs: 20_000, untilMs: 90_000, cause: 'no answer' }]);
});

test('a failure that lasts has the status of its sample, until the gateway was stopped', () => {
  const lasting = readSamples({ samples: [good(1000, 1), bad(2000)], gaps: [] }, partUntil(50_000));
  assert.deepEqual(lasting.gaps, [{ fromMs: 2000, untilMs: 50_000, cause: 'named MODBUS_NO_RESPONSE' }]);
  const stopped = readSamples(
    { samples: [bad(2000), good(45_000, 3)], gaps: [gap(20_000, 44_000, 'STOPPED')] },
    partUntil(50_000),
  );
  assert.deepEqual(stopped.gaps, [
    { fromMs: 2000, untilMs: 20_000, cause: 'named MODBUS_NO_RESPONSE' },
    { fromMs: 20_000, untilMs: 44_000, cause: 'stopped' },
  ]);
});

test('gaps begin with the range and do not overlap', () => {
  const { gaps } = readSamples(
    { samples: [], gaps: [gap(5000, 9000, 'DISK'), gap(-1000, 6000, 'RETENTION')] },
    partUntil(8000),
  );
  assert.deepEqual(gaps, [
    { fromMs: 0, untilMs: 6000, cause: 'deleted' },
    { fromMs: 6000, untilMs: 8000, cause: 'disk full' },
  ]);
});

test('buckets show both extremes, in the order of a slope, and no line crosses a gap', () => {
  const bucket = (from: number, value: number | undefined, count = 10): Bucket => ({
    channel: 'flow',
    from,
    ...(value === undefined ? {} : { value }),
    count,
    good: value === undefined ? 0 : 10,
  });
  const pageOf = (values: readonly (number | undefined)[]): HistoryPage => ({
    buckets: [0, 1000, 2000, 4000].map((from, index) => bucket(from, values[index])),
    gaps: [gap(1500, 1800, 'STOPPED')],
  });
  const series = readBuckets(
    { low: pageOf([1, 0, undefined, 7]), high: pageOf([5, 4, undefined, 7]) },
    1000,
    partUntil(5000),
  );
  assert.deepEqual(listSamples(series), [
    [0, '1'],
    [500, '5'],
    [1000, '4'],
    [1250, '0'],
    [1800, '0'],
    [4000, '7'],
  ]);
  assert.deepEqual(series.gaps, [
    { fromMs: 1500, untilMs: 1800, cause: 'stopped' },
    { fromMs: 2000, untilMs: 4000, cause: 'bad' },
  ]);
  const span = { fromMs: 0, untilMs: 5000, knownUntilMs: 5000 };
  const points = [...listPoints(series, span)];
  assert.deepEqual(
    points.filter(({ value }) => value === null).map(({ ms }) => ms),
    [1500, 2000],
  );
});

test('a failure that begins within a bucket ends the curve until there are values again', () => {
  const buckets = [
    { channel: 'flow', from: 0, value: 3, count: 4, good: 3 },
    { channel: 'flow', from: 5000, value: 4, count: 4, good: 4 },
  ];
  const series = readBuckets(
    { low: { buckets, gaps: [] }, high: { buckets, gaps: [] } },
    1000,
    partUntil(6000),
  );
  assert.deepEqual(series.gaps, [{ fromMs: 1000, untilMs: 5000, cause: 'bad' }]);
});

test('at the seam of recorded and received values no point is doubled or missing', () => {
  const live = collect([
    [10_000, 10],
    [11_000, 11],
  ]);
  const samples = collect([8000, 9000, 10_000, 11_000, 12_000].map((ms) => [ms, ms / 1000]));
  const joined = new JoinedSeries(live, { samples, askedMs: 13_000, isOngoing: false }, 10_200);
  assert.deepEqual(
    listSamples(joined).map(([ms]) => ms),
    [8000, 9000, 10_000, 11_000],
  );
  assert.equal(joined.indexAt(9500), 1);
  assert.equal(joined.startMs, 8000);
});

test('a value that the device dates long before hides nothing that was recorded since', () => {
  const live = collect([
    [1000, 1],
    [20_000, 2],
  ]);
  const samples = collect(
    [
      [1000, 1],
      [8000, 1],
    ],
    [{ fromMs: 3000, untilMs: 8000, cause: 'stopped' }],
  );
  const joined = new JoinedSeries(live, { samples, askedMs: 20_000, isOngoing: false }, 15_000);
  assert.deepEqual(
    listSamples(joined).map(([ms]) => ms),
    [1000, 8000, 20_000],
  );
  assert.equal(joined.gapAt(5000)?.cause, 'stopped');
});

test('the first value that the page receives is not hidden by the end of the recording', () => {
  const live = collect([[9000, 9]]);
  const span = { fromMs: 0, untilMs: 12_000, knownUntilMs: 12_000 };
  for (const askedMs of [9100, 12_000]) {
    const samples = collect([[1000, 1]], [{ fromMs: 1000, untilMs: askedMs, cause: 'not recorded' }]);
    const joined = new JoinedSeries(live, { samples, askedMs, isOngoing: false }, 9200);
    assert.deepEqual(joined.gaps, [{ fromMs: 1000, untilMs: 9000, cause: 'not recorded' }]);
    assert.deepEqual([...listPoints(joined, span)].at(-1), { ms: 12_000, value: 9 });
  }
});

test('a time in which the page did not listen is filled with what was recorded', () => {
  const live = collect([[1000, 1]]);
  live.openGap(2000, 'lost', UNHEARD);
  live.add(9000, 9);
  live.closeGap(9000);
  const samples = collect(
    [
      [1000, 1],
      [3000, 3],
      [8000, 8],
      [9000, 9],
    ],
    [{ fromMs: 4000, untilMs: 8000, cause: 'no answer' }],
  );
  const early = new JoinedSeries(live, { samples, askedMs: 9500, isOngoing: false }, 1000);
  assert.deepEqual(
    early.gaps.map(({ cause }) => cause),
    ['lost'],
  );
  const joined = new JoinedSeries(live, { samples, askedMs: 12_000, isOngoing: false }, 1000);
  assert.deepEqual(listSamples(joined), [
    [1000, '1'],
    [3000, '3'],
    [8000, '8'],
    [9000, '9'],
  ]);
  assert.deepEqual(joined.gaps, [{ fromMs: 4000, untilMs: 8000, cause: 'no answer' }]);
});

test('a gap after the end of the recording stays, as does a failure that the page has seen', () => {
  const live = collect([[1000, 1]]);
  live.openGap(2000, 'lost', UNHEARD);
  live.closeGap(3000);
  live.add(3000, 3);
  live.openGap(4000, 'no response');
  live.closeGap(6000);
  live.add(6000, 6);
  const join = (recorded: Samples) =>
    new JoinedSeries(live, { samples: recorded, askedMs: 9000, isOngoing: false }, 1000);
  const ended = join(collect([[500, 0]]));
  assert.deepEqual(
    ended.gaps.map(({ cause }) => cause),
    ['lost', 'no response'],
  );
  const lasting = join(
    collect([
      [500, 0],
      [5000, 5],
    ]),
  );
  assert.deepEqual(
    lasting.gaps.map(({ cause }) => cause),
    ['no response'],
  );
  for (const joined of [ended, lasting])
    assert.deepEqual(
      listSamples(joined).map(([ms]) => ms),
      [500, 1000, 3000, 6000],
    );
});

test('the time after the end of a recording is a gap, however the last value was', () => {
  const ended = (samples: readonly Row[], gaps: HistoryPage['gaps'] = []) =>
    readSamples({ samples: [...samples], gaps }, partUntil(90_000, true)).gaps;
  assert.deepEqual(ended([good(1000, 1), good(2000, 2)]), [
    { fromMs: 2000, untilMs: 90_000, cause: 'not recorded' },
  ]);
  assert.deepEqual(ended([good(1000, 1), bad(2000)]), [
    { fromMs: 2000, untilMs: 2001, cause: 'named MODBUS_NO_RESPONSE' },
    { fromMs: 2001, untilMs: 90_000, cause: 'not recorded' },
  ]);
  assert.deepEqual(ended([good(1000, 1)], [gap(50_000, 60_000, 'STOPPED')]), [
    { fromMs: 1000, untilMs: 90_000, cause: 'not recorded' },
  ]);
  assert.deepEqual(ended([]), []);
  const page = { buckets: [{ channel: 'flow', from: 0, value: 3, count: 4, good: 4 }], gaps: [] };
  assert.deepEqual(readBuckets({ low: page, high: page }, 1000, partUntil(90_000, true)).gaps, [
    { fromMs: 1000, untilMs: 90_000, cause: 'not recorded' },
  ]);
});

test('a time in which nothing changed is filled although the recorder takes no value afterwards', () => {
  const live = collect([[1000, 1]]);
  live.openGap(2000, 'lost', UNHEARD);
  live.add(9000, 1);
  live.closeGap(9000);
  const samples = collect([[500, 1]]);
  const countGaps = (askedMs: number, isOngoing: boolean): number =>
    new JoinedSeries(live, { samples, askedMs, isOngoing }, 1000).gaps.length;
  assert.equal(countGaps(20_000, true), 1);
  assert.equal(countGaps(39_000, true), 0);
  assert.equal(countGaps(39_000, false), 1);
});

test('a channel that the page has not received yet shows what was recorded', () => {
  const samples = collect([[500, 0]], [{ fromMs: 100, untilMs: 400, cause: 'deleted' }]);
  const joined = new JoinedSeries(new Samples(), { samples, askedMs: 600, isOngoing: false }, 0);
  assert.deepEqual(listSamples(joined), [[500, '0']]);
  assert.equal(joined.startMs, 100);
});
