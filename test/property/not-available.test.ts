import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import {
  dropUnavailable,
  isUnavailable,
  resolveEntries,
} from '../../daemon/channel/unavailable/not-available.ts';
import { propertyTest } from './property-test.ts';

const BITS = [8, 16, 32, 64] as const;

propertyTest(
  'a list of bit patterns and ranges of an integer finds what a comparison of every bit string finds',
  fc.property(
    fc.constantFrom(...BITS),
    fc.boolean(),
    fc.array(fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 40n), fc.boolean()), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.bigInt(-60n, 60n),
    fc.nat(7),
    (bits, isSigned, drawn, distance, chosen) => {
      const read = (pattern: bigint): bigint =>
        isSigned ? BigInt.asIntN(bits, pattern) : BigInt.asUintN(bits, pattern);
      const patterns = drawn.map(([pattern, width, isRange]) => {
        const from = BigInt.asUintN(bits, pattern);
        const to = BigInt.asUintN(bits, from + (isRange ? width : 0n));
        return [from, to, isRange] as const;
      });
      // A range across the end of the type is an error, which a test of its own has.
      fc.pre(patterns.every(([from, to]) => read(from) <= read(to)));
      const entries = patterns.map(([from, to, isRange]) => {
        const hex = (pattern: bigint): string => `0x${pattern.toString(16)}`;
        return isRange ? `${hex(from)}-${hex(to)}` : hex(from);
      });
      const number = { kind: isSigned ? 'SIGNED' : 'UNSIGNED', bits } as const;
      const { unavailable, faults } = resolveEntries(entries, number);
      assert.deepEqual(faults, []);
      const [near = 0n] = patterns[chosen % patterns.length] ?? [];
      const probe = BigInt.asUintN(bits, near + distance);
      // Slow and plain: each pattern of each range is written out.
      const listed = new Set<bigint>();
      for (const [from, to] of patterns)
        for (let pattern = from; ; pattern = BigInt.asUintN(bits, pattern + 1n)) {
          listed.add(pattern);
          if (pattern === to) break;
        }
      const value = read(probe);
      const raw = bits < 64 ? Number(value) : value;
      assert.equal(isUnavailable(raw, unavailable), listed.has(probe));
    },
  ),
  20,
);

propertyTest(
  'the elements of an array that are not available are those that a JSON parser finds',
  fc.property(
    fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
    fc.uniqueArray(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 12 }),
    fc.boolean(),
    (rows, entries, isMatrix) => {
      const { unavailable } = resolveEntries(entries, { kind: 'SIGNED', bits: 16 });
      const array: unknown = isMatrix ? rows : rows.flat();
      const elements = rows.flat();
      const isNone = (element: unknown): boolean => typeof element === 'number' && entries.includes(element);
      const expected = JSON.stringify(array, (_key, value: unknown) => (isNone(value) ? null : value));
      const dropped = dropUnavailable(JSON.stringify(array), unavailable);
      if (elements.length > 0 && elements.every(isNone)) assert.equal(dropped, undefined);
      else assert.equal(dropped, expected);
    },
  ),
  10,
);
