import assert from 'node:assert/strict';
import { test } from 'node:test';

import { groupSamples } from '../../../../bundles/penstock-sparkplug/delivery/batch-samples.ts';
import type { GroupOptions } from '../../../../bundles/penstock-sparkplug/delivery/batch-samples.ts';
import { RowValues } from '../../../../bundles/penstock-sparkplug/node/data-set-row.ts';
import { AliasBook, defineNode } from '../../../../bundles/penstock-sparkplug/node/node-definition.ts';
import { MemoryJournal } from '../../../support/memory-journal.ts';

const LIMITS = { upTo: Infinity, maximumMetrics: 4, maximumBytes: 10_000 };
const CHANNELS = ['level', 'speed'].map((channel) => ({
  asset: 'boiler',
  channel,
  valueType: 'DOUBLE',
  isWritable: false,
}));
const definition = defineNode(CHANNELS, new AliasBook());
const NOTHING = new RowValues(() => undefined, false);

/** Returns channel and time of the samples of each message. */
async function groupTaken(
  taken: readonly (readonly [channel: string, timestampMs: number])[],
): Promise<readonly (readonly string[])[]> {
  const journal = new MemoryJournal();
  for (const [channel, timestampMs] of taken) journal.takeSample({ asset: 'boiler', channel, timestampMs });
  const { groups } = groupSamples(await journal.read({ after: 0 }), definition, { ...LIMITS, rows: NOTHING });
  return groups.map(({ samples }) =>
    samples.map(({ metric, timestampMs }) => `${metric.channel} ${timestampMs}`),
  );
}

test('a message has its samples in order of time', async () => {
  const groups = await groupTaken([
    ['level', 30],
    ['speed', 10],
    ['level', 30],
    ['speed', 20],
  ]);
  assert.deepEqual(groups, [['speed 10', 'speed 20', 'level 30', 'level 30']]);
});

test('samples of a channel whose time goes back are in the order in which they were taken, in two messages', async () => {
  const groups = await groupTaken([
    ['level', 30],
    ['speed', 10],
    ['level', 20],
    ['speed', 15],
  ]);
  assert.deepEqual(groups, [
    ['speed 10', 'level 30'],
    ['speed 15', 'level 20'],
  ]);
});

test('a message that is full is followed by another one', async () => {
  const groups = await groupTaken([1, 2, 3, 4, 5].map((timestampMs) => ['level', timestampMs]));
  assert.deepEqual(groups, [['level 1', 'level 2', 'level 3', 'level 4'], ['level 5']]);
});

/** Returns the metrics of each message that has a data set: channel and value, or time and elements of a row. */
async function groupRows(
  use: 'ADDED' | 'ONLY',
  taken: readonly Partial<Parameters<MemoryJournal['takeSample']>[0]>[],
  options: Partial<GroupOptions> = {},
): Promise<readonly (readonly string[])[]> {
  const forms = { arrays: new Map(), dataSets: new Map([['boiler', use]]) };
  const withDataSet = defineNode(CHANNELS, new AliasBook(), forms);
  const journal = new MemoryJournal();
  for (const sample of taken) journal.takeSample({ asset: 'boiler', ...sample });
  const { groups } = groupSamples(await journal.read({ after: 0 }), withDataSet, {
    ...LIMITS,
    rows: new RowValues(() => undefined, false),
    ...options,
  });
  return groups.map(({ samples }) =>
    samples
      .filter(({ metric }) => metric.isBorn)
      .map(({ metric, value, timestampMs, quality }) =>
        typeof value === 'object' && 'elements' in value
          ? `${timestampMs}: ${value.elements.map(String).join(' ')}, ${quality}`
          : `${metric.channel} ${String(value)}`,
      ),
  );
}

const ROUNDS = [
  { channel: 'level', value: 1, timestampMs: 10, takenAtMs: 10 },
  { channel: 'speed', value: 2, timestampMs: 11, takenAtMs: 10 },
  { channel: 'level', value: 3, timestampMs: 20, takenAtMs: 20 },
];

test('samples that were taken together make a row with the values of all channels, at their newest time', async () => {
  assert.deepEqual(await groupRows('ADDED', ROUNDS, { maximumMetrics: 9 }), [
    ['level 1', 'speed 2', '11: 1 2, 192', 'level 3', '20: 3 2, 192'],
  ]);
});

test('a data set alone takes the place of the samples of its columns', async () => {
  assert.deepEqual(await groupRows('ONLY', ROUNDS), [['11: 1 2, 192', '20: 3 2, 192']]);
});

test('a row counts as a metric, and the samples of its columns alone do not', async () => {
  assert.deepEqual(await groupRows('ONLY', ROUNDS, { maximumMetrics: 1 }), [
    ['11: 1 2, 192'],
    ['20: 3 2, 192'],
  ]);
});

test('an element without value makes the quality of its row that of a value in doubt', async () => {
  const bad = { channel: 'speed', value: undefined, quality: 'BAD', timestampMs: 12, takenAtMs: 12 } as const;
  assert.deepEqual(await groupRows('ONLY', [...ROUNDS.slice(0, 2), bad]), [
    ['11: 1 2, 192', '12: 1 undefined, 500'],
  ]);
});

test('a row of the past has no value that is newer than it', async () => {
  const later = { value: 9, quality: 192, timestampMs: 15 } as const;
  for (const [isHistorical, expected] of [
    [true, '10: 1 undefined, 500'],
    [false, '10: 1 9, 192'],
  ] as const) {
    const rows = new RowValues(({ channel }) => (channel === 'speed' ? later : undefined), isHistorical);
    assert.deepEqual(await groupRows('ONLY', ROUNDS.slice(0, 1), { rows }), [[expected]]);
  }
});
