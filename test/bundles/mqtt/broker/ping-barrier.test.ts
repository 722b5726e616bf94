import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { PingBarrier } from '../../../../bundles/mqtt/broker/ping-barrier.ts';

/** A barrier whose pings are counted, and are sent at once. */
function createBarrier() {
  let pings = 0;
  const arrived: string[] = [];
  const barrier: PingBarrier = new PingBarrier(() => {
    pings += 1;
    barrier.onSent();
  });
  return {
    barrier,
    arrived,
    pings: () => pings,
    add: (name: string) => barrier.add(() => void arrived.push(name)),
  };
}

test('messages of one turn share a PINGREQ, and arrive with its PINGRESP', async () => {
  const { barrier, arrived, pings, add } = createBarrier();
  add('a');
  add('b');
  await setImmediate();
  assert.deepEqual([pings(), arrived], [1, []]);
  barrier.onReceived();
  assert.deepEqual(arrived, ['a', 'b']);
});

test('a message after a PINGREQ waits for the next one', async () => {
  const { barrier, arrived, pings, add } = createBarrier();
  add('a');
  await setImmediate();
  add('b');
  await setImmediate();
  assert.equal(pings(), 1);
  barrier.onReceived();
  assert.deepEqual([pings(), arrived], [2, ['a']]);
  barrier.onReceived();
  assert.deepEqual(arrived, ['a', 'b']);
});

test('a PINGREQ for the keep-alive counts as well, and a PINGRESP that was not requested does not', () => {
  const { barrier, arrived, add } = createBarrier();
  barrier.onReceived();
  add('a');
  barrier.onSent();
  barrier.onReceived();
  assert.deepEqual(arrived, ['a']);
});
