import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from '../../../../daemon/base/sharing/semaphore.ts';

const signal = new AbortController().signal;

/** A task that runs until the test ends it. */
function createTask(name: string, log: string[] = []): { task: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const task = async (): Promise<void> => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
  };
  return { task, end: resolve };
}

function mustNotRun(): Promise<void> {
  assert.fail('the task ran');
}

test('tasks run one at a time in their order, after failures as well', async () => {
  const semaphore = new Semaphore();
  const log: string[] = [];
  const createStep = (name: string) => async (): Promise<void> => {
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
  };
  const all = ['a', 'b', 'c'].map((name) => semaphore.run(signal, createStep(name)));
  const results = await Promise.allSettled(all);
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  assert.ok(semaphore.isIdle);
});

test('no more tasks run at once than there are permits', async () => {
  const semaphore = new Semaphore({ permits: 2 });
  const log: string[] = [];
  const tasks = ['a', 'b', 'c'].map((name) => createTask(name, log));
  const all = tasks.map(({ task }) => semaphore.run(signal, task));
  assert.deepEqual(log, ['a begins', 'b begins']);
  tasks[1]?.end();
  await all[1];
  assert.deepEqual(log, ['a begins', 'b begins', 'b ends', 'c begins']);
  tasks[0]?.end();
  tasks[2]?.end();
  await Promise.all(all);
  assert.ok(semaphore.isIdle);
});

test('keys take turns, each with its own tasks in order', async () => {
  const semaphore = new Semaphore();
  const log: string[] = [];
  const run = (key: number, name: string): Promise<void> =>
    semaphore.run(
      undefined,
      async () => {
        log.push(name);
        await Promise.resolve();
      },
      key,
    );
  await Promise.all([run(9, 'now'), run(1, '1a'), run(1, '1b'), run(1, '1c'), run(2, '2a'), run(2, '2b')]);
  assert.deepEqual(log, ['now', '1a', '2a', '1b', '2b', '1c']);
});

test('a task that fails frees its permit and returns its error', async () => {
  const semaphore = new Semaphore();
  const failing = semaphore.run(undefined, () => Promise.reject(new Error('no')));
  const next = semaphore.run(undefined, () => Promise.resolve('yes'));
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
  assert.ok(semaphore.isIdle);
});

test('an abort ends the wait with its reason, and the task does not run', async () => {
  const semaphore = new Semaphore();
  const first = createTask('first');
  const running = semaphore.run(signal, first.task);
  const abort = new AbortController();
  const waiting = semaphore.run(abort.signal, mustNotRun);
  const behind = semaphore.run(signal, () => Promise.resolve('behind'));
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  first.end();
  await running;
  assert.equal(await behind, 'behind');
  assert.ok(semaphore.isIdle);
});

test('an aborted signal does not enter the queue', async () => {
  const semaphore = new Semaphore();
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(semaphore.run(aborted, mustNotRun), { message: 'enough' });
  assert.ok(semaphore.isIdle);
});

test('a task that finds the queue full is refused, and waiting tasks that leave make room', async () => {
  const createError = (maximum: number): Error => new Error(`${maximum} wait already`);
  const semaphore = new Semaphore({ waiting: { maximum: 2, createError } });
  const first = createTask('first');
  const running = semaphore.run(signal, first.task, 1);
  const abort = new AbortController();
  const leaving = semaphore.run(abort.signal, mustNotRun, 2);
  const second = semaphore.run(signal, () => Promise.resolve(), 3);
  await assert.rejects(semaphore.run(signal, mustNotRun, 1), { message: '2 wait already' });
  abort.abort(new Error('enough'));
  await assert.rejects(leaving, { message: 'enough' });
  const third = semaphore.run(signal, () => Promise.resolve(), 1);
  first.end();
  await Promise.all([running, second, third]);
});

test('clear refuses all waiting tasks; those that have begun continue', async () => {
  const semaphore = new Semaphore();
  const log: string[] = [];
  const first = createTask('first', log);
  const running = semaphore.run(signal, first.task);
  const waiting = [1, 1, 2].map((key) => semaphore.run(signal, mustNotRun, key));
  const refused = waiting.map((one) => assert.rejects(one, { message: 'closed' }));
  semaphore.clear(new Error('closed'));
  await Promise.all(refused);
  assert.ok(!semaphore.isIdle);
  first.end();
  await running;
  assert.deepEqual(log, ['first begins', 'first ends']);
  assert.ok(semaphore.isIdle);
});
