import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BundleLines } from '../../../../daemon/software/bundle/bundle-lines.ts';
import { MAXIMUM_BUNDLE_LINES } from '../../../../daemon/interface/software/bundle.ts';

const LINE = { timeMs: 1, version: '1.0.0', level: 'info', source: 'LOGGER' } as const;

test('the last lines are listed, the oldest first', () => {
  const lines = new BundleLines();
  for (const message of ['one', 'two', 'three']) lines.add({ ...LINE, message });
  assert.deepEqual(
    lines.list(2).map(({ message }) => message),
    ['two', 'three'],
  );
});

test('each line of a message becomes one, the first with its fields', () => {
  const lines = new BundleLines();
  lines.add({ ...LINE, message: 'Error: gone\r\n    at main.mjs:1', fields: { unit: 7 } });
  assert.deepEqual(lines.list(10), [
    { ...LINE, message: 'Error: gone', fields: { unit: 7 } },
    { ...LINE, message: '    at main.mjs:1' },
  ]);
});

test('a bundle that writes much keeps 500 lines', () => {
  const lines = new BundleLines();
  for (let count = 0; count < 700; count += 1) lines.add({ ...LINE, message: String(count) });
  const kept = lines.list(1000);
  assert.equal(kept.length, MAXIMUM_BUNDLE_LINES);
  assert.equal(kept[0]?.message, '200');
  lines.add({ ...LINE, message: Array.from({ length: 600 }, () => '').join('\n') });
  assert.equal(lines.list(1000).length, MAXIMUM_BUNDLE_LINES);
});

test('a bundle that writes long lines keeps 65536 characters, names and values of fields included', () => {
  const lines = new BundleLines();
  const long = 'x'.repeat(2000);
  for (let count = 0; count < 100; count += 1) lines.add({ ...LINE, message: long });
  assert.equal(lines.list(1000).length, 32);
  for (let count = 0; count < 100; count += 1) lines.add({ ...LINE, message: '', fields: { long } });
  assert.equal(lines.list(1000).length, 32);
  lines.add({ ...LINE, message: 'the last' });
  assert.equal(lines.list(1)[0]?.message, 'the last');
});
