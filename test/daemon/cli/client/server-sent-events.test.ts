import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readEvents } from '../../../../daemon/cli/client/server-sent-events.ts';

async function* cut(text: string, size: number): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size)
    yield await Promise.resolve(text.slice(start, start + size));
}

test('readEvents gives the events of a stream, however it is cut', async () => {
  const text =
    'retry: 2000\nid: 1\n\n: alive\n\nevent: change\ndata: [1]\n\ndata: {"a":2}\n\nevent: half\ndata: 3';
  for (let size = 1; size <= text.length; size += 1) {
    const events = [];
    for await (const event of readEvents(cut(text, size))) events.push(event);
    assert.deepEqual(events, [
      { type: 'change', data: [1] },
      { type: 'message', data: { a: 2 } },
    ]);
  }
});
