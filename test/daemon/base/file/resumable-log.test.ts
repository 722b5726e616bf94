import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ResumableLog } from '../../../../daemon/base/file/resumable-log.ts';

function createLog(entries: readonly string[], maximumWeight = 3): ResumableLog<string> {
  const log = new ResumableLog<string>({ maximumWeight });
  for (const entry of entries) log.append(entry);
  return log;
}

test('an empty log holds everything after its beginning, and nothing else', () => {
  const log = createLog([]);
  assert.deepEqual([log.start, log.end, log.holdsAfter(0), log.holdsAfter(1)], [0, 0, true, false]);
  assert.deepEqual(log.listAfter(0), []);
  assert.equal(log.findAfter(0), undefined);
});

test('listAfter returns the entries after a position, in order', () => {
  const log = createLog(['a', 'b', 'c']);
  assert.deepEqual(
    [0, 1, 2, 3].map((position) => log.listAfter(position)),
    [['a', 'b', 'c'], ['b', 'c'], ['c'], []],
  );
});

test('findAfter returns the entry that follows a position, and undefined when it is not kept', () => {
  const log = createLog(['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((position) => log.findAfter(position)),
    [undefined, undefined, 'c', 'd', 'e', undefined],
  );
});

test('the oldest entries are dropped beyond the maximum weight', () => {
  const log = createLog(['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual([log.start, log.end], [2, 5]);
  assert.deepEqual(
    [1, 2, 5, 6].map((position) => log.holdsAfter(position)),
    [false, true, true, false],
  );
});

test('a heavy entry counts as several, and the newest entry stays however heavy it is', () => {
  const log = new ResumableLog<string>({ maximumWeight: 4, weigh: ({ length }) => length });
  log.append('a');
  log.append('bbbbbbbb');
  assert.deepEqual(log.listAfter(log.start), ['bbbbbbbb']);
  log.append('cc');
  log.append('dd');
  assert.deepEqual(log.listAfter(log.start), ['cc', 'dd']);
});

test('findPosition knows the ids of this log whose entries are all kept, and no other', () => {
  const log = createLog(['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(
    [1, 2, 5, 6].map((position) => log.findPosition(log.toId(position))),
    [undefined, 2, 5, undefined],
  );
  for (const id of [createLog([]).toId(3), '', '3', `${log.toId(3)} `, log.toId(-1), log.toId(2.5)]) {
    assert.equal(log.findPosition(id), undefined, id);
  }
});
