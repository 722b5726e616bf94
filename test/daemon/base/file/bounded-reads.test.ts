import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BoundedReads } from '../../../../daemon/base/file/bounded-reads.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LIMIT_MS = 3000;

/** A file that answers when the test lets it. */
function createFile() {
  const { promise, resolve } = Promise.withResolvers<string>();
  let reads = 0;
  return {
    answer: () => resolve('content'),
    read: () => {
      reads += 1;
      return promise;
    },
    countReads: () => reads,
  };
}

/** Lets everything run that needs no time. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const clock = new ManualClock();
  return { clock, reads: new BoundedReads(clock) };
}

const late = { code: 'ETIMEDOUT' };

test('a read that answers in time returns its result or its error', async () => {
  const { reads } = setUp();
  assert.equal(await reads.run('a', () => Promise.resolve(1)), 1);
  await assert.rejects(
    reads.run('a', () => Promise.reject(new Error('broken'))),
    /broken/,
  );
});

test('a read without an answer is given up, and the file is not read again until it has answered', async () => {
  const { clock, reads } = setUp();
  const file = createFile();
  const first = reads.run('a', file.read);
  await settle();
  clock.advance(LIMIT_MS);
  await assert.rejects(first, late);
  for (let attempt = 0; attempt < 10; attempt += 1) await assert.rejects(reads.run('a', file.read), late);
  assert.equal(file.countReads(), 1);
  file.answer();
  await settle();
  assert.equal(await reads.run('a', file.read), 'content');
  assert.equal(file.countReads(), 2);
});

test('one file that hangs leaves the others alone, and no more than two hang at once', async () => {
  const { clock, reads } = setUp();
  const files = [createFile(), createFile(), createFile(), createFile()];
  const started = files.map(({ read }, index) => reads.run('abcd'.charAt(index), read));
  await settle();
  assert.deepEqual(
    files.map((file) => file.countReads()),
    [1, 1, 0, 0],
  );
  clock.advance(LIMIT_MS);
  for (const each of started) await assert.rejects(each, late);
  const [, second, third] = files;
  await assert.rejects(
    reads.run('c', () => third?.read() ?? Promise.reject(new Error('no file'))),
    late,
  );
  assert.equal(third?.countReads(), 0);
  second?.answer();
  await settle();
  assert.equal(await reads.run('e', () => Promise.resolve('other')), 'other');
});

test('reads of one file take turns', async () => {
  const { reads } = setUp();
  const file = createFile();
  const both = [reads.run('a', file.read), reads.run('a', file.read)];
  await settle();
  assert.equal(file.countReads(), 1);
  file.answer();
  assert.deepEqual(await Promise.all(both), ['content', 'content']);
  assert.equal(file.countReads(), 2);
});
