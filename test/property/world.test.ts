import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { EventQueue } from '../simulation/world/event-queue.ts';
import type { ScheduledEvent } from '../simulation/world/event-queue.ts';
import { Random } from '../simulation/world/random.ts';
import { propertyTest } from './property-test.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), dueMs: fc.nat(20) }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('take' as const), untilMs: fc.nat(24) }),
);

propertyTest(
  'events come in the order of their times, those of one time in the order in which they were added, cancelled ones never',
  fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
    const queue = new EventQueue();
    const events: ScheduledEvent[] = [];
    // A plain list that is searched each time.
    let waiting: { readonly dueMs: number; readonly index: number }[] = [];
    for (const given of steps) {
      if (given.kind === 'add') {
        waiting.push({ dueMs: given.dueMs, index: events.length });
        events.push(queue.add(given.dueMs, () => undefined));
      } else if (given.kind === 'cancel') {
        const index = given.which % Math.max(1, events.length);
        const event = events[index];
        const isWaiting = waiting.some((one) => one.index === index);
        if (event !== undefined && isWaiting) queue.cancel(event);
        waiting = waiting.filter((one) => one.index !== index);
      } else {
        const [first] = waiting.toSorted((a, b) => a.dueMs - b.dueMs || a.index - b.index);
        const expected = first !== undefined && first.dueMs <= given.untilMs ? first : undefined;
        const taken = queue.take(given.untilMs);
        assert.equal(taken === undefined ? undefined : events.indexOf(taken), expected?.index);
        waiting = waiting.filter((one) => one !== expected);
      }
      assert.equal(queue.size, waiting.length);
    }
  }),
);

propertyTest(
  'what is cancelled in great numbers is forgotten, and the others keep their order',
  fc.property(
    fc.array(fc.tuple(fc.nat(50), fc.boolean()), { minLength: 150, maxLength: 400, size: 'max' }),
    (given) => {
      const queue = new EventQueue();
      const events = given.map(([dueMs]) => queue.add(dueMs, () => undefined));
      for (const [index, [, isCancelled]] of given.entries()) {
        const event = events[index];
        if (isCancelled && event !== undefined) queue.cancel(event);
      }
      const left = given.flatMap(([dueMs, isCancelled], index) => (isCancelled ? [] : [{ dueMs, index }]));
      const expected = left
        .toSorted((a, b) => a.dueMs - b.dueMs || a.index - b.index)
        .map(({ index }) => index);
      const taken: number[] = [];
      for (let event = queue.take(1000); event !== undefined; event = queue.take(1000))
        taken.push(events.indexOf(event));
      assert.deepEqual(taken, expected);
    },
  ),
);

propertyTest(
  'a seed draws the same numbers again, and a branch whatever was drawn before it',
  fc.property(
    fc.string(),
    fc.string(),
    fc.nat(20),
    fc.integer({ min: -1000, max: 1000 }),
    fc.nat(1000),
    (seed, name, drawn, minimum, width) => {
      const [one, other] = [new Random(seed), new Random(seed)];
      for (let count = 0; count < drawn; count += 1) one.fraction();
      const [branch, same] = [one.branch(name), other.branch(name)];
      for (let count = 0; count < 5; count += 1) {
        const number = branch.integer(minimum, minimum + width);
        assert.equal(number, same.integer(minimum, minimum + width));
        assert.ok(Number.isInteger(number) && number >= minimum && number <= minimum + width);
      }
      assert.deepEqual(branch.bytes(7), same.bytes(7));
      assert.match(branch.uuid(), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    },
  ),
);
