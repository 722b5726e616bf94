import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createFrameReader } from '../../drivers/serial/frame-reader.ts';
import { MAXIMUM_FRAME_BYTES } from '../../drivers/serial/framing.ts';
import type { Framing } from '../../drivers/serial/framing.ts';
import { parseByteText, quoteBytes, parseTemplate } from '../../drivers/serial/byte-text.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { cutInPieces, pieces } from './pieces.ts';
import { propertyTest } from './property-test.ts';

interface Read {
  readonly frames: readonly string[];
  readonly faults: number;
}

function read(framing: Framing, maximumFrameBytes: number, chunks: readonly Buffer[]): Read {
  const frames: string[] = [];
  let faults = 0;
  const clock = new ManualClock();
  const reader = createFrameReader({
    framing,
    maximumFrameBytes,
    clock,
    events: {
      onFrame: (frame) => frames.push(frame.toString('hex')),
      onFault: () => {
        faults += 1;
      },
    },
  });
  for (const chunk of chunks) reader.push(chunk);
  return { frames, faults };
}

const hex = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('hex');
const few = fc.uint8Array({ maxLength: 40, max: 4 });
const escaped = (bytes: Iterable<number>): string =>
  [...bytes].map((one) => `\\x${one.toString(16).padStart(2, '0')}`).join('');

propertyTest(
  'frames before a delimiter are those between its occurrences, and too long ones are dropped, however the bytes were cut',
  fc.property(
    few,
    fc.uint8Array({ minLength: 1, maxLength: 3, max: 2 }),
    fc.integer({ min: 1, max: 12 }),
    pieces,
    (bytes, delimiter, maximum, cuts) => {
      // As a search of the whole text finds them.
      const [text, mark] = [String.fromCharCode(...bytes), String.fromCharCode(...delimiter)];
      const expected: string[] = [];
      let faults = 0;
      let start = 0;
      for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, start)) {
        if (at - start <= maximum) expected.push(hex(bytes.subarray(start, at)));
        else faults += 1;
        start = at + mark.length;
      }
      if (text.length - start >= maximum + mark.length) faults += 1;
      const framing: Framing = { type: 'delimiter', delimiter: escaped(delimiter) };
      assert.deepEqual(read(framing, maximum, cutInPieces(bytes, cuts)), { frames: expected, faults });
    },
  ),
  10,
);

propertyTest(
  'frames of a fixed length are cut one after the other',
  fc.property(few, fc.integer({ min: 1, max: 9 }), pieces, (bytes, length, cuts) => {
    const whole = Math.floor(bytes.length / length);
    const frames = Array.from({ length: whole }, (_, index) =>
      hex(bytes.subarray(index * length, (index + 1) * length)),
    );
    assert.deepEqual(read({ type: 'fixedLength', length }, MAXIMUM_FRAME_BYTES, cutInPieces(bytes, cuts)), {
      frames,
      faults: 0,
    });
  }),
  2,
);

const lengthField = fc.record({
  type: fc.constant('lengthField' as const),
  offset: fc.nat(3),
  size: fc.constantFrom(1 as const, 2 as const, 4 as const),
  byteOrder: fc.constantFrom('BIG_ENDIAN' as const, 'LITTLE_ENDIAN' as const),
  adjustment: fc.integer({ min: -5, max: 5 }),
});

propertyTest(
  'frames with a length field come out as they were put in, however the bytes were cut',
  fc.property(
    lengthField,
    fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 5 }),
    pieces,
    (framing, bodies, cuts) => {
      const { offset, size, byteOrder, adjustment } = framing;
      const frames = bodies
        .filter((body) => body.length - adjustment >= 0)
        .map((body) => {
          const field = Buffer.alloc(size);
          if (byteOrder === 'BIG_ENDIAN') field.writeUIntBE(body.length - adjustment, 0, size);
          else field.writeUIntLE(body.length - adjustment, 0, size);
          return Buffer.concat([Buffer.alloc(offset, 0x55), field, body]);
        });
      assert.deepEqual(read(framing, 4096, cutInPieces(Buffer.concat(frames), cuts)), {
        frames: frames.map(hex),
        faults: 0,
      });
    },
  ),
  5,
);

propertyTest(
  'a gap ends what came without one, whatever pieces that had',
  fc.property(
    fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 8 }), pieces, fc.boolean()), { maxLength: 8 }),
    (bursts) => {
      const clock = new ManualClock();
      const frames: string[] = [];
      const events = { onFrame: (frame: Buffer) => frames.push(frame.toString('hex')), onFault: assert.fail };
      const reader = createFrameReader({
        framing: { type: 'idleGap', gapMs: 10 },
        maximumFrameBytes: 4096,
        clock,
        events,
      });
      const expected: string[] = [];
      let held = '';
      for (const [bytes, cuts, isLong] of bursts) {
        for (const piece of cutInPieces(bytes, cuts)) {
          reader.push(piece);
          clock.advance(9);
        }
        held += hex(bytes);
        if (!isLong) continue;
        clock.advance(1);
        expected.push(held);
        held = '';
      }
      assert.deepEqual(frames, expected);
    },
  ),
  2,
);

propertyTest(
  'any bytes can be written as text of a configuration, with escapes or as digits',
  fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
    assert.deepEqual([...parseByteText(escaped(bytes), 'ascii')], [...bytes]);
    assert.deepEqual([...parseByteText(`hex:${hex(bytes)}`, 'ascii')], [...bytes]);
    assert.deepEqual(
      [...parseByteText(`hex: ${[...bytes].map((one) => hex([one]).toUpperCase()).join(' ')}`, 'ascii')],
      [...bytes],
    );
    assert.match(quoteBytes(Buffer.from(bytes)), /^"[ -~]*"$/);
    assert.deepEqual([...parseByteText(quoteBytes(Buffer.from(bytes)).slice(1, -1), 'ascii')], [...bytes]);
  }),
  2,
);

propertyTest(
  'a template is the bytes around its values',
  fc.property(
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    (parts, isHex) => {
      const text = isHex ? `hex:${parts.map(hex).join('{value}')}` : parts.map(escaped).join('{value}');
      assert.deepEqual(
        parseTemplate(text, 'ascii').map((section) => section.map(hex)),
        [parts.map(hex)],
      );
    },
  ),
);
