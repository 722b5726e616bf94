import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChangeHistory } from '../../../../daemon/plant/asset/change-history.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import type { ChannelValue } from '../../../../daemon/channel/value-type.ts';
import { createChannel } from './channel-fixture.ts';

const channel = createChannel();
const record = (value: ChannelValue): ChannelRecord => ({ channel, name: 'level', value, timestampMs: 1 });

test('an empty history holds everything after its beginning, and nothing else', () => {
  const history = createChangeHistory();
  assert.deepEqual([history.end, history.holdsAfter(0), history.holdsAfter(1)], [0, true, false]);
  assert.deepEqual(history.listAfter(0), []);
});

test('listAfter returns the changes after one, in order', () => {
  const history = createChangeHistory();
  for (const value of [1, 2, 3]) history.append({ records: [record(value)], atMs: value });
  assert.deepEqual(
    [0, 1, 2, 3].map((position) => history.listAfter(position).map(({ atMs }) => atMs)),
    [[1, 2, 3], [2, 3], [3], []],
  );
});

test('the oldest changes are dropped when there are too many records', () => {
  const history = createChangeHistory({ maximumRecords: 4 });
  for (const value of [1, 2, 3]) history.append({ records: [record(value), record(value)], atMs: value });
  assert.deepEqual([history.holdsAfter(0), history.holdsAfter(1)], [false, true]);
  assert.deepEqual(
    history.listAfter(1).map(({ atMs }) => atMs),
    [2, 3],
  );
});

test('a long text counts as several records, and the newest change stays however large it is', () => {
  const history = createChangeHistory({ maximumRecords: 4 });
  history.append({ records: [record(1)], atMs: 1 });
  history.append({ records: [record('x'.repeat(6400))], atMs: 2 });
  assert.deepEqual([history.holdsAfter(0), history.holdsAfter(1)], [false, true]);
  history.append({ records: [record(Buffer.alloc(64))], atMs: 3 });
  assert.deepEqual([history.holdsAfter(1), history.holdsAfter(2)], [false, true]);
});
