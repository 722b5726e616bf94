import assert from 'node:assert/strict';
import { test } from 'node:test';

import { groupSamples } from '../../../../bundles/penstock-sparkplug/delivery/batch-samples.ts';
import { AliasBook, defineNode } from '../../../../bundles/penstock-sparkplug/node/node-definition.ts';
import { MemoryJournal } from '../../../support/memory-journal.ts';

const LIMITS = { upTo: Infinity, maximumMetrics: 4, maximumBytes: 10_000 };
const definition = defineNode(
  ['level', 'speed'].map((channel) => ({ asset: 'boiler', channel, valueType: 'DOUBLE', isWritable: false })),
  new AliasBook(),
);

/** Returns channel and time of the samples of each message. */
async function groupTaken(
  taken: readonly (readonly [channel: string, timestampMs: number])[],
): Promise<readonly (readonly string[])[]> {
  const journal = new MemoryJournal();
  for (const [channel, timestampMs] of taken) journal.takeSample({ asset: 'boiler', channel, timestampMs });
  const { groups } = groupSamples(await journal.read({ after: 0 }), definition, LIMITS);
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
