import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFrameReader } from '../../../drivers/serial/frame-reader.ts';
import type { Framing } from '../../../drivers/serial/framing.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createRandom } from '../../support/random.ts';

function createRecorder(framing: Framing, maximumFrameBytes = 64) {
  const clock = new ManualClock();
  const frames: string[] = [];
  const faults: string[] = [];
  const reader = createFrameReader({
    framing,
    maximumFrameBytes,
    clock,
    events: {
      onFrame: (frame) => frames.push(frame.toString('latin1')),
      onFault: (fault) => faults.push(fault),
    },
  });
  return { clock, frames, faults, reader, push: (text: string) => reader.push(Buffer.from(text, 'latin1')) };
}

const LENGTH_FIELD: Framing = {
  type: 'lengthField',
  offset: 1,
  size: 2,
  byteOrder: 'LITTLE_ENDIAN',
  adjustment: 1,
};

const STREAMS: readonly {
  readonly framing: Framing;
  readonly stream: string;
  readonly frames: readonly string[];
}[] = [
  {
    framing: { type: 'delimiter', delimiter: '\\r\\n' },
    stream: 'one\r\n\rt\nwo\r\r\n\r\nx',
    frames: ['one', '\rt\nwo\r', ''],
  },
  { framing: { type: 'delimiter', delimiter: 'hex: 61 61 62' }, stream: 'aaabxaab', frames: ['a', 'x'] },
  {
    framing: { type: 'delimiter', delimiter: '\\r\\n' },
    stream: `${'x'.repeat(200)}\r\nnext\r\n`,
    frames: ['next'],
  },
  { framing: { type: 'fixedLength', length: 3 }, stream: 'abcdefgh', frames: ['abc', 'def'] },
  {
    framing: LENGTH_FIELD,
    stream: '\x02\x03\x00abcS\x02\x00\x00S\x02',
    frames: ['\x02\x03\x00abcS', '\x02\x00\x00S'],
  },
];

for (const { framing, stream, frames } of STREAMS) {
  test(`${JSON.stringify(framing)} returns the same frames wherever the stream is cut`, () => {
    const random = createRandom(3);
    for (let round = 0; round < 300; round += 1) {
      const recorder = createRecorder(framing);
      for (let at = 0; at < stream.length;) {
        const end = at + 1 + Math.floor(random() * (round % 12));
        recorder.push(stream.slice(at, end));
        at = end;
      }
      assert.deepEqual(recorder.frames, frames);
    }
  });
}

test('idleGap ends a frame when the line was silent for gapMs', () => {
  const { clock, frames, push } = createRecorder({ type: 'idleGap', gapMs: 20 });
  push('ab');
  clock.advance(19);
  push('c');
  clock.advance(19);
  assert.deepEqual(frames, []);
  clock.advance(1);
  assert.deepEqual(frames, ['abc']);
  push('d');
  clock.advance(20);
  assert.deepEqual(frames, ['abc', 'd']);
});

test('a frame of the greatest length passes, one byte more is reported once and thrown away', () => {
  const delimiter = createRecorder({ type: 'delimiter', delimiter: ';' }, 4);
  delimiter.push('1234;12345;123456789;abcd;');
  assert.deepEqual([delimiter.frames, delimiter.faults.length], [['1234', 'abcd'], 2]);
  const gap = createRecorder({ type: 'idleGap', gapMs: 5 }, 4);
  gap.push('12345');
  gap.push('6789');
  gap.clock.advance(5);
  gap.push('abcd');
  gap.clock.advance(5);
  assert.deepEqual([gap.frames, gap.faults.length], [['abcd'], 1]);
});

test('an impossible length field is reported, and reading restarts with the next bytes', () => {
  const { frames, faults, push } = createRecorder({ ...LENGTH_FIELD, adjustment: -3 });
  push('\x02\xff\xff');
  push('\x02\x00\x00');
  assert.equal(faults.length, 2);
  push('\x02\x04\x00a');
  assert.deepEqual(frames, ['\x02\x04\x00a']);
});

test('reset forgets an unfinished frame', () => {
  const { clock, frames, reader, push } = createRecorder({ type: 'idleGap', gapMs: 5 });
  push('old');
  reader.reset();
  clock.advance(5);
  assert.deepEqual(frames, []);
  const lines = createRecorder({ type: 'delimiter', delimiter: '\\n' });
  lines.push('old');
  lines.reader.reset();
  lines.push('new\n');
  assert.deepEqual(lines.frames, ['new']);
});

test('ten megabytes of garbage are read with every framing', () => {
  const random = createRandom(11);
  const chunk = Buffer.from(Array.from({ length: 4096 }, () => Math.floor(random() * 256)));
  const framings: readonly Framing[] = [
    { type: 'delimiter', delimiter: '\\r\\n' },
    { type: 'delimiter', delimiter: 'hex:00112233' },
    { type: 'fixedLength', length: 64 },
    { type: 'idleGap', gapMs: 5 },
    LENGTH_FIELD,
  ];
  for (const framing of framings) {
    const recorder = createRecorder(framing);
    for (let sent = 0; sent < 10_000_000; sent += chunk.length) recorder.reader.push(chunk);
    assert.ok(recorder.frames.every((frame) => frame.length <= 64));
    assert.ok(recorder.frames.length + recorder.faults.length > 0);
  }
});

test('the rest of a delimiter that a reset cut is no part of the next frame', () => {
  const recorder = createRecorder({ type: 'delimiter', delimiter: '\\r\\n' });
  recorder.push('unasked\r');
  recorder.reader.reset();
  recorder.push('\nanswer\r\n');
  assert.deepEqual(recorder.frames, ['answer']);
});

test('a frame after a reset keeps its first byte, unless that ends the delimiter before', () => {
  const recorder = createRecorder({ type: 'delimiter', delimiter: '\\r\\n' });
  recorder.push('unasked\r');
  recorder.reader.reset();
  recorder.push('answer\r\n\nnext\r\n');
  recorder.reader.reset();
  recorder.push('\nlast\r\n');
  assert.deepEqual(recorder.frames, ['answer', '\nnext', '\nlast']);
});
