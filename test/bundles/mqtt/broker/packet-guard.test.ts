import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { PacketGuard } from '../../../../bundles/mqtt/broker/packet-guard.ts';
import { propertyTest } from '../../../property/property-test.ts';

function encodeLength(length: number): readonly number[] {
  return length < 128 ? [length] : [(length % 128) | 0x80, ...encodeLength(Math.floor(length / 128))];
}

test('a packet that is too long is found by its first bytes', () => {
  assert.equal(new PacketGuard(1000).accepts(Buffer.from([0x30, ...encodeLength(1001)])), false);
  assert.equal(new PacketGuard(1000).accepts(Buffer.from([0x30, ...encodeLength(1000)])), true);
  assert.equal(new PacketGuard(1000).accepts(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])), false);
});

test('a length of more than four bytes is refused', () => {
  assert.equal(new PacketGuard(2 ** 30).accepts(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 1])), false);
});

propertyTest(
  'packets within the limit pass in any pieces, and one beyond it never does',
  fc.property(
    fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 10 }),
    fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 100 }),
    fc.boolean(),
    (lengths, pieces, endsTooLong) => {
      const limit = 300;
      const all = [...lengths, ...(endsTooLong ? [limit + 1] : [])];
      const stream = Buffer.concat(
        all.map((length) =>
          Buffer.from([0x30, ...encodeLength(length), ...new Uint8Array(length).fill(0xff)]),
        ),
      );
      const guard = new PacketGuard(limit);
      let isAccepted = true;
      for (let start = 0, index = 0; start < stream.length && isAccepted; index += 1) {
        const size = pieces[index % pieces.length] ?? 1;
        isAccepted = guard.accepts(stream.subarray(start, start + size));
        start += size;
      }
      assert.equal(isAccepted, !endsTooLong);
    },
  ),
);
