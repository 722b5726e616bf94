import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { findRanges } from '../../drivers/modbus/scan/register-ranges.ts';
import { propertyTest } from './property-test.ts';

const range = fc
  .tuple(fc.nat(65_535), fc.oneof(fc.nat(10), fc.nat(3000)))
  .map(([first, more]) => [first, Math.min(first + more, 65_535)] as const);

propertyTest(
  'a range of entries that is found exists, and has no neighbours that do',
  fc.asyncProperty(
    fc.array(range, { maxLength: 6 }),
    fc.integer({ min: 1, max: 125 }),
    fc.constantFrom('REFUSED' as const, 'SILENT' as const),
    async (ranges, longest, absent) => {
      const exists = new Uint8Array(65_536);
      for (const [first, last] of ranges) exists.fill(1, first, last + 1);
      const {
        ranges: found,
        isCutShort,
        isEverywhere,
      } = await findRanges({
        maximumQuantity: 125,
        maximumReads: 4000,
        read: (first, quantity) => {
          if (exists.subarray(first, first + quantity).includes(0)) return Promise.resolve({ kind: absent });
          return Promise.resolve(quantity > longest ? { kind: 'REFUSED' } : { kind: 'READ', isZero: true });
        },
      });
      if (isEverywhere) return;
      for (const { first, last } of found) {
        assert.ok(!exists.subarray(first, last + 1).includes(0));
        if (!isCutShort) assert.deepEqual([exists[first - 1] ?? 0, exists[last + 1] ?? 0], [0, 0]);
      }
    },
  ),
  0.5,
);
