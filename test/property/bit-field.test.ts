import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { createFieldDecode, decodeFieldBits, encodeField } from '../../drivers/modbus/value/bit-field.ts';
import { EncodeFault } from '../../drivers/modbus/value/codec.ts';
import type { ModbusAddress, Order } from '../../drivers/modbus/modbus-address.ts';
import { propertyTest } from './property-test.ts';

const order = fc.constantFrom<Order>('BIG_ENDIAN', 'LITTLE_ENDIAN');
const registers = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
const dataType = fc.constantFrom('INT16', 'UINT16', 'INT32', 'UINT32');
const field = fc
  .record({ dataType, byteOrder: order, wordOrder: order, first: fc.nat(31), last: fc.nat(31) })
  .map(({ first, last, dataType: type, byteOrder, wordOrder }) => {
    const width = type.endsWith('16') ? 16 : 32;
    const [low, high] = [first % width, last % width];
    const from = Math.min(low, high);
    const bits = { from, count: Math.max(low, high) - from + 1 };
    const place = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7 } as const;
    const address = { dataType: type, byteOrder, wordOrder, bits };
    return Object.assign(address, place) satisfies ModbusAddress;
  });

type Field = typeof field extends fc.Arbitrary<infer T> ? T : never;

/** Lists the bits of the registers as text, the most significant first, one byte after the other. */
function listBits({ dataType: type, byteOrder, wordOrder }: Field, bytes: readonly number[]): string {
  let words = [bytes.slice(0, 2), bytes.slice(2, 4)].slice(0, type.endsWith('16') ? 1 : 2);
  if (byteOrder === 'LITTLE_ENDIAN') words = words.map((word) => word.toReversed());
  if (wordOrder === 'LITTLE_ENDIAN') words = words.toReversed();
  return words
    .flat()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
}

/** Reads the number bit by bit; the first of a signed one counts negative. */
function readSlowly(address: Field, bytes: readonly number[]): number {
  const { from, count } = address.bits;
  const all = listBits(address, bytes);
  const own = all.slice(all.length - from - count, all.length - from);
  let number = 0;
  for (const [index, bit] of Array.from(own).entries()) {
    const weight = 2 ** (count - 1 - index);
    if (bit === '1') number += address.dataType.startsWith('I') && index === 0 ? -weight : weight;
  }
  return number;
}

propertyTest(
  'bits of registers are the number of their digits, whatever the orders',
  fc.property(field, registers, (address, bytes) => {
    assert.equal(createFieldDecode(address, address.bits)(Buffer.from(bytes), 0), readSlowly(address, bytes));
  }),
);

propertyTest(
  'a written number changes its own bits only, and is read again',
  fc.property(field, registers, registers, (address, bytes, source) => {
    const value = readSlowly(address, source);
    const encoded = encodeField(address, address.bits, value);
    assert.ok(!(encoded instanceof EncodeFault));
    const held = Buffer.from(bytes);
    const start = 2 * (encoded.offset - address.offset);
    for (const [at, mask] of encoded.mask.entries()) {
      const before = held[start + at] ?? 0;
      held[start + at] = (before & ~mask) | (encoded.bits[at] ?? 0);
      assert.equal((encoded.bits[at] ?? 0) & ~mask, 0);
    }
    assert.equal(readSlowly(address, [...held]), value);
    assert.equal(decodeFieldBits(address, address.bits, encoded, encoded.bits), value);
    const { from, count } = address.bits;
    const [former, present] = [bytes, [...held]].map((each) => listBits(address, each));
    const end = (former?.length ?? 0) - from;
    assert.equal(present?.slice(0, end - count), former?.slice(0, end - count));
    assert.equal(present?.slice(end), former?.slice(end));
  }),
);

propertyTest(
  'a number beyond its bits is refused',
  fc.property(field, fc.integer(), (address, value) => {
    const { count } = address.bits;
    const isSigned = address.dataType.startsWith('I');
    const [low, high] = isSigned ? [-(2 ** (count - 1)), 2 ** (count - 1) - 1] : [0, 2 ** count - 1];
    const encoded = encodeField(address, address.bits, value);
    assert.equal(encoded instanceof EncodeFault, value < low || value > high);
  }),
);
