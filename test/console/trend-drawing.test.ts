import assert from 'node:assert/strict';
import { test } from 'node:test';

import { slotTimes, toSlots } from '../../daemon/console/trend/columns.ts';
import { Samples } from '../../daemon/console/trend/samples.ts';
import { writeInstant } from '../../daemon/console/text/csv.ts';
import { writeCsv } from '../../daemon/console/trend/trend-csv.ts';
import { parseCurves, writeCurves } from '../../daemon/console/trend/trend-curve.ts';
import { joinGaps, toPanels } from '../../daemon/console/trend/trend-panel.ts';
import { listPoints } from '../../daemon/console/trend/trend-points.ts';
import { boundsOf, fitRange } from '../../daemon/console/trend/value-range.ts';

const HOURS_8 = 8 * 3_600_000;

function collect(values: readonly (readonly [ms: number, value: number])[]): Samples {
  const samples = new Samples();
  for (const [ms, value] of values) samples.add(ms, value);
  return samples;
}

test('a peak of one sample is drawn in a span of eight hours', () => {
  const samples = collect(
    Array.from({ length: 28_800 }, (_sample, second) => [second * 1000, second === 12_345 ? 99 : second % 2]),
  );
  const span = { fromMs: 0, untilMs: HOURS_8, knownUntilMs: HOURS_8 };
  const slots = toSlots(listPoints(samples, span), span, 800);
  assert.equal(slots.length, slotTimes(span, 800).length);
  assert.equal(slots.filter((value) => value === 99).length, 1);
});

test('a gap is never bridged, and the value before it is held until it begins', () => {
  const samples = collect([[1000, 5]]);
  samples.openGap(4000, 'no answer');
  samples.closeGap(8000);
  samples.add(8000, 7);
  const span = { fromMs: 0, untilMs: 10_000, knownUntilMs: 9000 };
  assert.deepEqual(
    [...listPoints(samples, span)],
    [
      { ms: 1000, value: 5 },
      { ms: 4000, value: 5 },
      { ms: 4000, value: null },
      { ms: 8000, value: 7 },
      { ms: 9000, value: 7 },
    ],
  );
  const slots = toSlots(listPoints(samples, span), span, 2);
  // Columns of four slots: the gap is one until the value that follows it.
  assert.deepEqual(slots, [5, undefined, 5, null, null, null, 7, 7]);
  assert.equal(samples.gapAt(5000)?.cause, 'no answer');
  assert.equal(samples.gapAt(8500), undefined);
});

test('a gap within one column of pixels breaks the curve, and keeps its extremes', () => {
  const samples = collect([
    [10, 1],
    [20, 9],
  ]);
  samples.openGap(30, 'lost');
  samples.closeGap(40);
  samples.add(50, 4);
  const span = { fromMs: 0, untilMs: 100, knownUntilMs: 100 };
  const slots = toSlots(listPoints(samples, span), span, 1);
  assert.deepEqual(slots, [1, 9, null, 4]);
});

test('a value that was held is drawn level until shortly before it changed', () => {
  const samples = collect([
    [0, 1],
    [60_000, 2],
  ]);
  const points = [...listPoints(samples, { fromMs: 0, untilMs: 60_000, knownUntilMs: 60_000 })];
  assert.deepEqual(points.slice(0, 3), [
    { ms: 0, value: 1 },
    { ms: 59_000, value: 1 },
    { ms: 60_000, value: 2 },
  ]);
});

test('another cause ends a gap, and one that was filled after all is dropped', () => {
  const samples = collect([[0, 1]]);
  samples.openGap(10, 'no connection');
  samples.openGap(20, 'device busy');
  assert.deepEqual(samples.gaps, [
    { fromMs: 10, untilMs: 20, cause: 'no connection' },
    { fromMs: 20, untilMs: undefined, cause: 'device busy' },
  ]);
  samples.dropGap();
  assert.equal(samples.gapAt(30), undefined);
});

test('what is older than the longest span is forgotten, but for the value that was held then', () => {
  const samples = collect(Array.from({ length: 1000 }, (_sample, index) => [index * 10, index]));
  samples.prune(5005);
  assert.equal(samples.timeAt(0), 5000);
  assert.equal(samples.valueAt(samples.length - 1), 999);
});

test('an axis grows at once, and shrinks after ten seconds', () => {
  const first = fitRange(undefined, [0, 100], 0);
  assert.deepEqual([first?.low, first?.high], [-5, 105]);
  const wider = fitRange(first, [0, 200], 1000);
  assert.ok((wider?.high ?? 0) >= 200);
  assert.equal(fitRange(wider, [0, 10], 9000), wider);
  assert.ok((fitRange(wider, [0, 10], 12_000)?.high ?? Infinity) < 20);
  assert.equal(fitRange(undefined, undefined, 0), undefined);
  assert.equal(boundsOf([[null, undefined]]), undefined);
});

const UNITS = ['°C', 'W', 'bar', 'W'].map((unit, index) => ({
  key: `a/${index}`,
  label: `${index}`,
  index,
  unit,
  isStepped: false,
  isBoolean: false,
}));

for (const { name, isNarrow, panels } of [
  {
    name: 'a third unit has a second panel',
    isNarrow: false,
    panels: [
      { units: ['°C', 'W'], curves: [0, 1, 3] },
      { units: ['bar'], curves: [2] },
    ],
  },
  {
    name: 'on a phone each unit has a panel, so that one axis takes room from the curves',
    isNarrow: true,
    panels: [
      { units: ['°C'], curves: [0] },
      { units: ['W'], curves: [1, 3] },
      { units: ['bar'], curves: [2] },
    ],
  },
]) {
  test(name, () => {
    assert.deepEqual(
      toPanels(UNITS, { isNarrow }).map(({ units, curves }) => ({
        units,
        curves: curves.map(({ index }) => index),
      })),
      panels,
    );
  });
}

test('a gap that all curves have is named once, and one of some with their names', () => {
  const lost = { fromMs: 1000, untilMs: 2000, cause: 'lost' };
  const busy = { fromMs: 5000, untilMs: undefined, cause: 'busy' };
  const joined = joinGaps(
    new Map([
      ['a', [lost]],
      ['b', [lost, busy]],
    ]),
  );
  assert.deepEqual(joined, [
    { ...lost, labels: [] },
    { ...busy, labels: ['b'] },
  ]);
});

test('CSV has every digit, times with their distance from UTC, gaps, and no formulas', () => {
  const samples = new Samples();
  samples.add(1000, Number('9007199254740993'), '9007199254740993');
  samples.openGap(2000, '=cmd "x"');
  const csv = writeCsv(
    [{ asset: 'pump', channel: 'count', unit: 'm³', samples }],
    { fromMs: 0, untilMs: 3000 },
    (ms) => writeInstant(ms, true),
  );
  assert.equal(
    csv,
    [
      'time,asset,channel,value,unit,gap\r\n',
      '1970-01-01T00:00:01.000Z,pump,count,9007199254740993,m³,\r\n',
      `1970-01-01T00:00:02.000Z,pump,count,,m³,"'=cmd ""x"""\r\n`,
    ].join(''),
  );
  assert.match(writeInstant(0, false), /^(?:1970-01-01|1969-12-31)T\d\d:\d\d:00\.000[+-]\d\d:\d\d$/);
});

test('a link names at most six curves, each once, and what is none is left out', () => {
  const curves = parseCurves('a/b,a/b,c,d/e/f, g/h,1/1,2/2,3/3,4/4,5/5');
  assert.equal(writeCurves(curves), 'a/b,g/h,1/1,2/2,3/3,4/4');
});
