import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../../daemon/base/errors.ts';
import { TransactionQueue } from '../../../drivers/modbus/transaction-queue.ts';

/** Work that lasts until it is told to end. */
function createWork(name: string, log: string[]): { work: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
  };
  return { work, end: resolve };
}

test('one transaction is under way at a time', async () => {
  const queue = new TransactionQueue();
  const log: string[] = [];
  const first = createWork('first', log);
  const second = createWork('second', log);
  const done = [queue.run(1, undefined, first.work), queue.run(1, undefined, second.work)];
  second.end();
  first.end();
  await Promise.all(done);
  assert.deepEqual(log, ['first begins', 'first ends', 'second begins', 'second ends']);
});

test('units take turns, each in its own order', async () => {
  const queue = new TransactionQueue();
  const log: string[] = [];
  const run = (unitId: number, name: string): Promise<void> =>
    queue.run(unitId, undefined, async () => {
      log.push(name);
      await Promise.resolve();
    });
  await Promise.all([run(9, 'now'), run(1, '1a'), run(1, '1b'), run(1, '1c'), run(2, '2a'), run(2, '2b')]);
  assert.deepEqual(log, ['now', '1a', '2a', '1b', '2b', '1c']);
});

test('work that fails frees its place', async () => {
  const queue = new TransactionQueue();
  const failing = queue.run(1, undefined, () => Promise.reject(new Error('no')));
  const next = queue.run(1, undefined, () => Promise.resolve('yes'));
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
  assert.ok(queue.isIdle);
});

test('an abort while waiting ends the wait with its reason, and the work is not begun', async () => {
  const queue = new TransactionQueue();
  const log: string[] = [];
  const first = createWork('first', log);
  const under = queue.run(1, undefined, first.work);
  const abort = new AbortController();
  const waiting = queue.run(1, abort.signal, createWork('second', log).work);
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  first.end();
  await under;
  assert.deepEqual(log, ['first begins', 'first ends']);
});

test('an aborted signal does not enter the queue', async () => {
  const queue = new TransactionQueue();
  await assert.rejects(
    queue.run(1, AbortSignal.abort(new Error('enough')), () => Promise.resolve()),
    /enough/,
  );
  assert.ok(queue.isIdle);
});

test('more than 256 that wait are refused', async () => {
  const queue = new TransactionQueue();
  const first = createWork('first', []);
  const all = [queue.run(1, undefined, first.work)];
  for (let count = 0; count < 256; count += 1)
    all.push(queue.run(count % 5, undefined, () => Promise.resolve()));
  await assert.rejects(
    queue.run(1, undefined, () => Promise.resolve()),
    (error) => error instanceof Unavailable && error.code === 'MODBUS_QUEUE_FULL',
  );
  first.end();
  await Promise.all(all);
});

test('clear refuses all who wait', async () => {
  const queue = new TransactionQueue();
  const first = createWork('first', []);
  const under = queue.run(1, undefined, first.work);
  const waiting = queue.run(2, undefined, () => Promise.resolve());
  queue.clear(new Error('closed'));
  await assert.rejects(waiting, /closed/);
  first.end();
  await under;
});
