import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ChangeHistory } from '../../../daemon/asset/change-history.ts';
import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { createChannel } from './channel-fixture.ts';

const channel = createChannel();
const record = (value: ChannelValue): ChannelRecord => ({ channel, name: 'level', value, timestampMs: 1 });

test('an empty history holds everything after its beginning, and nothing else', () => {
  const history = new ChangeHistory();
  assert.deepEqual([history.newest, history.holdsAfter(0), history.holdsAfter(1)], [0, true, false]);
  assert.deepEqual(history.listAfter(0), []);
});

test('listAfter gives the changes after one, in order', () => {
  const history = new ChangeHistory();
  for (const value of [1, 2, 3]) history.add([record(value)], value);
  assert.deepEqual(
    [0, 1, 2, 3].map((sequence) => history.listAfter(sequence).map((entry) => entry.sequence)),
    [[1, 2, 3], [2, 3], [3], []],
  );
});

test('the oldest changes give way when there are too many records', () => {
  const history = new ChangeHistory(4);
  for (const value of [1, 2, 3]) history.add([record(value), record(value)], value);
  assert.deepEqual([history.holdsAfter(0), history.holdsAfter(1)], [false, true]);
  assert.deepEqual(
    history.listAfter(1).map(({ sequence }) => sequence),
    [2, 3],
  );
});

test('a long text counts as many, and the newest change stays however large it is', () => {
  const history = new ChangeHistory(4);
  history.add([record(1)], 1);
  history.add([record('x'.repeat(6400))], 2);
  assert.deepEqual([history.holdsAfter(0), history.holdsAfter(1)], [false, true]);
  history.add([record(Buffer.alloc(64))], 3);
  assert.deepEqual([history.holdsAfter(1), history.holdsAfter(2)], [false, true]);
});
