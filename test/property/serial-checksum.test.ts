import assert from 'node:assert/strict';
import * as fc from 'fast-check';

import { createChecksum, createCyclicCheck } from '../../drivers/serial/checksum.ts';
import type { CyclicCheck } from '../../drivers/serial/checksum.ts';
import { checksumSchema } from '../../drivers/serial/checksum-setting.ts';
import { createFrameReader } from '../../drivers/serial/frame-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { cutInPieces, pieces } from './pieces.ts';
import { propertyTest } from './property-test.ts';

const bitsOf = (value: number, width: number): readonly number[] =>
  Array.from({ length: width }, (_, index) => (value >> (width - 1 - index)) & 1);
const numberOf = (bits: readonly number[]): number => bits.reduce((value, bit) => value * 2 + bit, 0);

/** The remainder of a division of polynomials, one bit after the other, as a textbook has it. */
function divide(bytes: Uint8Array, { width, polynomial, initial, reflect, xorOut }: CyclicCheck): number {
  let register = [...bitsOf(initial, width)];
  for (const byte of bytes) {
    const bits = bitsOf(byte, 8);
    for (const bit of reflect ? bits.toReversed() : bits) {
      const carry = (register[0] ?? 0) !== bit;
      register = [...register.slice(1), 0];
      if (carry) register = register.map((one, index) => one ^ (bitsOf(polynomial, width)[index] ?? 0));
    }
  }
  return numberOf(reflect ? register.toReversed() : register) ^ xorOut;
}

const word = (width: 8 | 16): fc.Arbitrary<number> => fc.nat(2 ** width - 1);
const cyclicCheck = fc.constantFrom(8 as const, 16 as const).chain((width) =>
  fc.record({
    width: fc.constant(width),
    polynomial: word(width).map((polynomial) => polynomial | 1),
    initial: word(width),
    reflect: fc.boolean(),
    xorOut: word(width),
  }),
);

propertyTest(
  'a cyclic check by table is that of a division bit by bit',
  fc.property(cyclicCheck, fc.uint8Array({ maxLength: 40 }), (check, bytes) => {
    assert.equal(createCyclicCheck(check)(Buffer.from(bytes)), divide(bytes, check));
  }),
  5,
);

const places = {
  form: fc.constantFrom('BINARY', 'HEX'),
  from: fc.nat(3),
  trailing: fc.nat(2),
  separator: fc.option(fc.constantFrom('*', '\\r\\n'), { nil: undefined }),
};
const setting = fc.oneof(
  fc.record({ kind: fc.constantFrom('XOR', 'SUM', 'TWOS_COMPLEMENT'), ...places }),
  fc.record({ kind: fc.constant('CRC8'), polynomial: fc.constant(0x31), ...places }),
  fc.record({ kind: fc.constant('CRC16'), polynomial: fc.constant(0x1021), ...places }),
);

propertyTest(
  'a sealed request opens as its content, and any byte that changed within one bit is noticed',
  fc.property(
    setting,
    fc.uint8Array({ minLength: 3, maxLength: 30 }),
    fc.nat(),
    fc.nat(7),
    (chosen, bytes, at, bit) => {
      const checksum = createChecksum(checksumSchema.parse(chosen), 8);
      const separator = Buffer.from((chosen.separator ?? '').replace('\\r\\n', '\r\n'));
      const before = Buffer.concat([bytes, separator]);
      const sum = checksum.seal(before) ?? assert.fail();
      const frame = Buffer.concat([before, sum, Buffer.alloc(chosen.trailing, 0x03)]);
      assert.deepEqual(checksum.open(frame).content, Buffer.from(bytes));
      const covered = bytes.length - chosen.from;
      if (covered === 0) return;
      const place = chosen.from + (at % covered);
      frame[place] = (frame[place] ?? 0) ^ (1 << bit);
      assert.notEqual(checksum.open(frame).fault, undefined);
    },
  ),
  5,
);

propertyTest(
  'frames whose checksum follows the delimiter come out whole, even if it looks like the delimiter',
  fc.property(
    fc.array(fc.tuple(fc.uint8Array({ maxLength: 8, min: 4 }), fc.nat(4)), { maxLength: 6 }),
    pieces,
    (bodies, cuts) => {
      const frames: string[] = [];
      const reader = createFrameReader({
        framing: { type: 'delimiter', delimiter: '\\x03' },
        maximumFrameBytes: 64,
        bytesAfterDelimiter: 1,
        clock: new ManualClock(),
        events: { onFrame: (frame) => frames.push(frame.toString('hex')), onFault: assert.fail },
      });
      const sent = bodies.map(([body, sum]) => Buffer.from([...body, 3, sum]));
      for (const piece of cutInPieces(Buffer.concat(sent), cuts)) reader.push(piece);
      assert.deepEqual(
        frames,
        sent.map((frame) => frame.toString('hex')),
      );
    },
  ),
  5,
);
