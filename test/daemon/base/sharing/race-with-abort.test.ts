import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { raceWithAbort } from '../../../../daemon/base/sharing/race-with-abort.ts';

test('raceWithAbort returns the result of the work, and stops listening to the signal', async () => {
  const { signal } = new AbortController();
  assert.equal(await raceWithAbort(Promise.resolve(7), signal), 7);
  await setImmediate();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('raceWithAbort throws the error of the work', async () => {
  const { signal } = new AbortController();
  await assert.rejects(raceWithAbort(Promise.reject(new RangeError('broken')), signal), RangeError);
});

test('raceWithAbort throws the reason of the signal while the work continues, and ignores how it ends', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const controller = new AbortController();
  const waiting = raceWithAbort(promise, controller.signal);
  controller.abort(new RangeError('too late'));
  await assert.rejects(waiting, new RangeError('too late'));
  reject(new TypeError('broken'));
  await assert.rejects(promise, TypeError);
});

test('raceWithAbort throws at once for a signal that has aborted already', async () => {
  const work = Promise.withResolvers<void>();
  await assert.rejects(raceWithAbort(work.promise, AbortSignal.abort(new RangeError('over'))), RangeError);
  work.resolve();
});
