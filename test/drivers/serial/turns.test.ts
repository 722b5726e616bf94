import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../../drivers/serial/turns.ts';

const signal = new AbortController().signal;

/** Takes the turn and keeps it until told. */
function occupy(turns: Turns): { readonly release: () => void; readonly done: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { release: resolve, done: turns.run(signal, () => promise) };
}

test('work is done one at a time, in the order in which it came, after failures as well', async () => {
  const turns = new Turns();
  const events: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    events.push(`${name} begins`);
    await Promise.resolve();
    events.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.run(signal, work(name))));
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  assert.ok(turns.isIdle);
});

test('who waits is refused by its signal and by clear, and never does its work', async () => {
  const turns = new Turns();
  const first = occupy(turns);
  const abort = new AbortController();
  const unexpected = (): Promise<void> => assert.fail('it had its turn');
  const aborted = assert.rejects(turns.run(abort.signal, unexpected), { message: 'enough' });
  const cleared = assert.rejects(turns.run(signal, unexpected), { message: 'closed' });
  abort.abort(new Error('enough'));
  turns.clear(new Error('closed'));
  await Promise.all([aborted, cleared]);
  first.release();
  await first.done;
  assert.ok(turns.isIdle);
});

test('more than can be carried is refused with SERIAL_QUEUE_FULL', async () => {
  const turns = new Turns();
  const first = occupy(turns);
  const waiting = Array.from({ length: 256 }, () => turns.run(signal, () => Promise.resolve()));
  await assert.rejects(
    turns.run(signal, () => Promise.resolve()),
    { code: 'SERIAL_QUEUE_FULL' },
  );
  first.release();
  await Promise.all([first.done, ...waiting]);
});
