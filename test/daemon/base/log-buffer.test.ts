import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LogBuffer } from '../../../daemon/base/log-buffer.ts';

test('lines are kept without line feed and priority, and read from an id on', () => {
  const buffer = new LogBuffer();
  buffer.write('<4>{"event":"a"}\n');
  buffer.write('{"event":"b"}\n');
  assert.deepEqual(buffer.read({ after: undefined, limit: 10 }), [
    { id: 1, text: '{"event":"a"}' },
    { id: 2, text: '{"event":"b"}' },
  ]);
  assert.deepEqual(buffer.read({ after: 1, limit: 10 }), [{ id: 2, text: '{"event":"b"}' }]);
  assert.deepEqual(buffer.read({ after: undefined, limit: 1 }), [{ id: 2, text: '{"event":"b"}' }]);
  assert.deepEqual(buffer.read({ after: 0, limit: 1 }), [{ id: 1, text: '{"event":"a"}' }]);
});

test('the oldest lines go beyond a thousand lines and a million characters', () => {
  const buffer = new LogBuffer();
  for (let index = 0; index < 1200; index += 1) buffer.write('short\n');
  assert.equal(buffer.newestId, 1200);
  const [first] = buffer.read({ after: 0, limit: 5000 });
  assert.equal(first?.id, 201);
  for (let index = 0; index < 100; index += 1) buffer.write(`${'x'.repeat(50_000)}\n`);
  const kept = buffer.read({ after: 0, limit: 5000 });
  assert.ok(kept.reduce((sum, { text }) => sum + text.length, 0) <= 1024 * 1024);
  assert.equal(kept.at(-1)?.id, 1300);
});

test('a line that would displace all others is left out, and its id is missing', () => {
  const buffer = new LogBuffer();
  buffer.write('a\n');
  buffer.write(`${'x'.repeat(100_000)}\n`);
  buffer.write('b\n');
  assert.deepEqual(
    buffer.read({ after: undefined, limit: 10 }).map(({ id }) => id),
    [1, 3],
  );
});
