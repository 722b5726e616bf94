import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EventLog } from '../../../../daemon/server/event/event-log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function createLog(maximumEvents = 3): { readonly log: EventLog; readonly publish: (count: number) => void } {
  const log = new EventLog({ clock: new ManualClock(5), maximumEvents });
  const publish = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      log.publish({ type: 'CONFIGURATION_CHANGED', snapshot: log.end + 1 });
    }
  };
  return { log, publish };
}

test('findAfter returns the events after a position in order, with time and id', () => {
  const { log, publish } = createLog();
  publish(2);
  assert.deepEqual(log.findAfter(0), {
    id: log.toId(1),
    timeMs: 5,
    event: { type: 'CONFIGURATION_CHANGED', snapshot: 1 },
  });
  assert.equal(log.findAfter(1)?.id, log.toId(2));
  assert.equal(log.findAfter(2), undefined);
});

test('the oldest events are dropped', () => {
  const { log, publish } = createLog(3);
  publish(5);
  assert.deepEqual([log.start, log.end], [2, 5]);
  assert.equal(log.findAfter(1), undefined);
  assert.equal(log.findAfter(2)?.id, log.toId(3));
});

test('findPosition knows the ids of this run whose events are all kept, and no other', () => {
  const { log, publish } = createLog(3);
  publish(5);
  assert.deepEqual(
    [1, 2, 5, 6].map((position) => log.findPosition(log.toId(position))),
    [undefined, 2, 5, undefined],
  );
  const { log: other } = createLog();
  for (const id of [other.toId(0), '', '3', `${log.toId(3)} `])
    assert.equal(log.findPosition(id), undefined, id);
});

test('watch calls the listener after each event until the watch ends', () => {
  const { log, publish } = createLog();
  let calls = 0;
  const stop = log.watch(() => (calls += 1));
  publish(2);
  stop();
  publish(1);
  assert.equal(calls, 2);
});
