import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { BirthCount } from '../../../../bundles/penstock-sparkplug/node/birth-count.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const fail = (error: unknown): never => assert.fail(String(error));

test('numbers begin at 0, grow by one over restarts, and begin again after 255', (t) => {
  const directory = createTemporaryDirectory(t);
  const numbers: number[] = [];
  for (let index = 0; index < 520; index += 1) numbers.push(new BirthCount(directory).next(fail));
  assert.deepEqual(
    numbers,
    Array.from({ length: 520 }, (_, index) => index % 256),
  );
});

test('a number is on disk before it is used', (t) => {
  const directory = createTemporaryDirectory(t);
  const count = new BirthCount(directory);
  for (const expected of [0, 1, 2]) {
    assert.equal(count.next(fail), expected);
    assert.equal(Number(readFileSync(path.join(directory, 'bdseq'), 'utf8')), expected);
  }
});

for (const content of ['', '12', '300\n', 'abc\n', '0001\n']) {
  test(`a file with ${JSON.stringify(content)} is none, and numbers begin at 0`, (t) => {
    const directory = createTemporaryDirectory(t);
    writeFileSync(path.join(directory, 'bdseq'), content);
    assert.equal(new BirthCount(directory).next(fail), 0);
  });
}

test('without a disk numbers go on in memory, and the fault is reported', (t) => {
  const count = new BirthCount(path.join(createTemporaryDirectory(t), 'absent'));
  const faults: unknown[] = [];
  const note = (error: unknown): void => void faults.push(error);
  assert.deepEqual([count.next(note), count.next(note)], [0, 1]);
  assert.equal(faults.length, 2);
});
