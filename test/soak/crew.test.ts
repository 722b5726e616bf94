import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Crew } from './crew.ts';
import { Busy } from './expect.ts';

test('a step that fails is counted, and its actor goes on', async () => {
  const crew = new Crew();
  const twice = Promise.withResolvers<void>();
  let steps = 0;
  crew.start({
    name: 'clumsy',
    pauseMs: 0,
    step() {
      steps += 1;
      if (steps > 1) twice.resolve();
      return steps === 1 ? Promise.reject(new Error('fallen')) : Promise.resolve();
    },
  });
  await twice.promise;
  await crew.end();
  assert.deepEqual(
    crew.failures.map(({ actor, message }) => [actor, message]),
    [['clumsy', 'fallen']],
  );
  assert.equal(crew.counts()[0]?.failed, 1);
});

test('a gateway that is busy and says so has not failed', async () => {
  const crew = new Crew();
  const done = Promise.withResolvers<void>();
  crew.start({
    name: 'turned away',
    pauseMs: 0,
    step() {
      done.resolve();
      return Promise.reject(new Busy('later'));
    },
  });
  await done.promise;
  await crew.end();
  const [count] = crew.counts();
  assert.deepEqual([count?.failed, crew.failures.length], [0, 0]);
  assert.ok((count?.busy ?? 0) > 0);
});

test('a step that hangs ends the rest with the name of its actor', async () => {
  const crew = new Crew(0);
  const hanging = Promise.withResolvers<void>();
  crew.start({ name: 'lost', pauseMs: 0, step: () => hanging.promise });
  await assert.rejects(crew.rest(), /a step hangs: lost/);
  await assert.rejects(crew.end(), /a step hangs: lost/);
  hanging.resolve();
});

test('after a stop, no step begins', async () => {
  const crew = new Crew();
  let steps = 0;
  const stopped = Promise.withResolvers<void>();
  crew.start({
    name: 'last',
    pauseMs: 0,
    step() {
      steps += 1;
      crew.stop();
      stopped.resolve();
      return Promise.resolve();
    },
  });
  await stopped.promise;
  await crew.end();
  assert.equal(steps, 1);
});

test('a rest begins when the last step has ended, and no step begins in it', async () => {
  const crew = new Crew();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let steps = 0;
  crew.start({
    name: 'slow',
    pauseMs: 0,
    async step() {
      steps += 1;
      begun.resolve();
      await end.promise;
    },
  });
  await begun.promise;
  let isResting = false;
  const rest = crew.rest().then(() => (isResting = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isResting, false);
  end.resolve();
  await rest;
  assert.equal(steps, 1);
  await crew.end();
});
