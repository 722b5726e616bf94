import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../../daemon/base/errors.ts';
import { createRequestQueue } from '../../../drivers/link/request-queue.ts';

const signal = new AbortController().signal;

test('a request that finds 256 others waiting is refused with the code of the queue', async () => {
  const queue = createRequestQueue('SERIAL_QUEUE_FULL');
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = [queue.run(signal, () => promise, 1)];
  for (let count = 0; count < 256; count += 1) {
    all.push(queue.run(signal, () => Promise.resolve(), count % 5));
  }
  await assert.rejects(
    queue.run(signal, () => Promise.resolve(), 1),
    (error) =>
      error instanceof Unavailable && error.code === 'SERIAL_QUEUE_FULL' && error.retryAfterSeconds === 1,
  );
  resolve();
  await Promise.all(all);
});

test('as many requests are under way at once as the queue has permits', async () => {
  const queue = createRequestQueue('SERIAL_QUEUE_FULL', 2);
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const run = (): Promise<void> =>
    queue.run(signal, () => {
      begun += 1;
      return promise;
    });
  const all = [run(), run(), run()];
  assert.equal(begun, 2);
  resolve();
  await Promise.all(all);
  assert.equal(begun, 3);
});
