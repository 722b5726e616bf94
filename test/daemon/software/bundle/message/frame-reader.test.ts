import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  encodeFrame,
  FrameReader,
  MAXIMUM_FRAME_BYTES,
} from '../../../../../daemon/software/bundle/message/frame-reader.ts';

function readAll(chunks: readonly Buffer[]): readonly string[] {
  const reader = new FrameReader();
  const messages: string[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let frame = reader.next(); frame !== undefined; frame = reader.next())
      messages.push(frame.toString());
  }
  return messages;
}

const MESSAGES = ['a', '{"text":"grün"}', 'x'.repeat(70_000)];
const STREAM = Buffer.concat(MESSAGES.map(encodeFrame));

test('messages arrive whole and in order, however the bytes are split', () => {
  for (const size of [1, 3, 4, 5, 1000, STREAM.length]) {
    const chunks = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, index) =>
      STREAM.subarray(index * size, (index + 1) * size),
    );
    assert.deepEqual(readAll(chunks), MESSAGES, `chunks of ${size}`);
  }
});

test('a length of 0 or beyond the limit is refused before its bytes arrive', () => {
  for (const length of [0, MAXIMUM_FRAME_BYTES + 1, 0xffffffff]) {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    assert.throws(() => readAll([head]), { code: 'BUNDLE_PROTOCOL_VIOLATED' });
  }
});

test('a message beyond the limit is not sent', () => {
  encodeFrame('x'.repeat(MAXIMUM_FRAME_BYTES));
  assert.throws(() => encodeFrame('x'.repeat(MAXIMUM_FRAME_BYTES + 1)), { code: 'BUNDLE_OVERLOADED' });
});
