import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bench } from './bench.ts';

const OPTIONS = { pace: 'quick', watchMinutes: 1 } as const;

test('end closes what was opened, the newest first', async () => {
  const bench = new Bench(OPTIONS);
  const closed: string[] = [];
  for (const name of ['device', 'gateway']) bench.after(() => void closed.push(name));
  await bench.end();
  assert.deepEqual(closed, ['gateway', 'device']);
});

test('who ends a bench that is ending waits until everything is closed', async () => {
  const bench = new Bench(OPTIONS);
  const { promise, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  bench.after(async () => {
    await promise;
    isClosed = true;
  });
  const first = bench.end();
  const second = bench.end().then(() => isClosed);
  resolve();
  assert.equal(await second, true);
  await first;
});

test('what is opened after the end is closed at once', async () => {
  const bench = new Bench(OPTIONS);
  await bench.end();
  let isClosed = false;
  bench.after(() => {
    isClosed = true;
  });
  assert.equal(isClosed, true);
});
