import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldTopics } from '../../../../bundles/penstock-mqtt/delivery/held-topics.ts';

const hold = (held: HeldTopics, topic: string, after: number): boolean =>
  held.hold({ topic, after, reason: 'not authorized', dueMs: 0 });

test('a topic is held from the earliest of its samples that did not arrive', () => {
  const held = new HeldTopics();
  assert.equal(held.after, Infinity);
  hold(held, 'a', 10);
  hold(held, 'b', 5);
  hold(held, 'a', 20);
  held.skip('a', 8);
  held.skip('a', 30);
  held.skip('unknown', 1);
  assert.deepEqual(
    held.list().map(({ topic, after }) => [topic, after]),
    [
      ['b', 5],
      ['a', 8],
    ],
  );
  assert.equal(held.after, 5);
});

test('a cursor is advanced from where it is alone: an earlier refusal that comes late is not passed', () => {
  const held = new HeldTopics();
  hold(held, 'a', 10);
  hold(held, 'a', 7);
  held.advance('a', 10, 50);
  assert.equal(held.find('a')?.after, 7);
  held.advance('a', 7, 50);
  assert.equal(held.after, 50);
  held.release('a');
  assert.equal(held.count, 0);
});

test('a limited number of topics is held', () => {
  const held = new HeldTopics();
  for (let index = 0; index < 500; index += 1) assert.ok(hold(held, `t${index}`, index));
  assert.equal(hold(held, 'another', 1), false);
  assert.equal(hold(held, 't3', 1), true);
  held.clear();
  assert.equal(held.count, 0);
});

test('a wait for a topic ends when one is held, and with its signal', async () => {
  const held = new HeldTopics();
  const controller = new AbortController();
  const ended = held.whenHeld(controller.signal);
  controller.abort(new Error('stopped'));
  await assert.rejects(ended, /stopped/);
  const waiting = held.whenHeld(new AbortController().signal);
  hold(held, 'a', 1);
  await waiting;
  await held.whenHeld(new AbortController().signal);
});
