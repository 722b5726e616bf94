import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CursorStore } from '../../../../bundles/mqtt/delivery/cursor-store.ts';

test('cursors are stored one at a time, and only the newest of those that wait', async () => {
  const stored: number[] = [];
  const releases: (() => void)[] = [];
  const store = new CursorStore({
    acknowledge: (cursor) => {
      stored.push(cursor);
      return new Promise((resolve) => releases.push(resolve));
    },
  });
  for (const cursor of [1, 2, 3]) store.put(cursor);
  assert.deepEqual(stored, [1]);
  const flushed = store.flush();
  releases[0]?.();
  while (releases.length < 2) await Promise.resolve();
  assert.deepEqual(stored, [1, 3]);
  releases[1]?.();
  await flushed;
});

test('a cursor that could not be stored is part of the next one', async () => {
  const stored: number[] = [];
  const store = new CursorStore({
    acknowledge: (cursor) => {
      stored.push(cursor);
      return stored.length === 1 ? Promise.reject(new Error('no link')) : Promise.resolve();
    },
  });
  store.put(1);
  await store.flush();
  store.put(2);
  await store.flush();
  await store.flush();
  assert.deepEqual(stored, [1, 2]);
});
