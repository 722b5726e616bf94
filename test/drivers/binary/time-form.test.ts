import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { FormFault } from '../../../drivers/binary/binary-form.ts';
import { createTimeForm } from '../../../drivers/binary/time-form.ts';
import { TIME_LAYOUTS } from '../../../drivers/binary/time-layout.ts';
import type { TimeType } from '../../../drivers/binary/time-layout.ts';
import { createRandom } from '../../support/random.ts';

const TYPES = Object.keys(TIME_LAYOUTS) as readonly TimeType[];

const BOTH_WAYS: readonly (readonly [TimeType, string, string])[] = [
  // Iskra MI 7150: 4FB3 833E is 16 May 2012 10:36:46.
  ['UNIX_SECONDS32', '4fb3833e', '2012-05-16T10:36:46.000Z'],
  // CET iMeter 6: the first and the last second that it takes.
  ['UNIX_SECONDS32', '386d4380', '2000-01-01T00:00:00.000Z'],
  ['UNIX_SECONDS32', '7fe8177f', '2037-12-31T23:59:59.000Z'],
  ['UNIX_SECONDS64', '0000000000000000', '1970-01-01T00:00:00.000Z'],
  ['UNIX_SECONDS64', '0000003afff4417f', '9999-12-31T23:59:59.000Z'],
  ['UNIX_MILLISECONDS64', '0000000000000001', '1970-01-01T00:00:00.001Z'],
  ['UNIX_MILLISECONDS64', '0000e677d21fdbff', '9999-12-31T23:59:59.999Z'],
  // The bits as in the manual of Schneider Electric IM400N (TI081 format), without its first byte.
  ['CP56TIME2A', '1a0b160e233039', '2026-11-22T14:35:12.345Z'],
  ['CP56TIME2A', '00010100000000', '2000-01-01T00:00:00.000Z'],
  ['CP56TIME2A', '7f0c1f173bea5f', '2127-12-31T23:59:59.999Z'],
  // SIMATIC S7, 25 December 1993 8:12:34.567; a Saturday.
  ['DATE_AND_TIME', '9312250812345677', '1993-12-25T08:12:34.567Z'],
  ['DATE_AND_TIME', '9001010000000002', '1990-01-01T00:00:00.000Z'],
  ['DATE_AND_TIME', '8912312359599997', '2089-12-31T23:59:59.999Z'],
  // SIMATIC S7-1200: DTL#2008-12-16-20:30:20.250, a Tuesday.
  ['DTL', '07d80c1003141e140ee6b280', '2008-12-16T20:30:20.250Z'],
  ['YMDHMS_BCD', '261122143512', '2026-11-22T14:35:12.000Z'],
  ['YMDHMS_BYTES', '1a0b160e230c', '2026-11-22T14:35:12.000Z'],
  ['YMDHMS_REGISTERS', '07ea000b0016000e0023000c', '2026-11-22T14:35:12.000Z'],
];

for (const [type, bytes, text] of BOTH_WAYS) {
  test(`${type} ${bytes} is ${text}, both ways`, () => {
    const form = createTimeForm(type, true);
    assert.equal(form.lengthBytes, bytes.length / 2);
    assert.equal(form.decode(Buffer.from(bytes, 'hex')), text);
    assert.deepEqual(form.encode(text), Buffer.from(bytes, 'hex'));
    const number = createTimeForm(type, false);
    assert.equal(number.decode(Buffer.from(bytes, 'hex')), Date.parse(text));
    assert.deepEqual(number.encode(Date.parse(text)), Buffer.from(bytes, 'hex'));
    assert.deepEqual(number.encode(BigInt(Date.parse(text))), Buffer.from(bytes, 'hex'));
  });
}

const NO_TIMES: Readonly<Record<TimeType, readonly string[]>> = {
  UNIX_SECONDS32: [],
  UNIX_SECONDS64: ['ffffffffffffffff', '0000003afff44180', '7fffffffffffffff'],
  UNIX_MILLISECONDS64: ['ffffffffffffffff', '0000e677d21fdc00', '8000000000000000'],
  CP56TIME2A: [
    '00000000000000',
    // Month 0 and 13, day 0, 30 February, hour 24, minute 60, 60 seconds; a clock that says that it is wrong.
    '1a00160e233039',
    '1a0d160e233039',
    '1a0b000e233039',
    '1a021e0e233039',
    '1a0b1618233039',
    '1a0b160e3c3039',
    '1a0b160e23ea60',
    '1a0b160ea33039',
    'ffffffffffffff',
  ],
  DATE_AND_TIME: [
    '0000000000000000',
    '2a01010000000002',
    '2602290000000001',
    '2601012400000005',
    '260101000000a005',
  ],
  DTL: ['000000000000000000000000', '07d80c1003141e143b9aca00', '07b10c1003141e1400000000'],
  YMDHMS_BCD: ['000000000000', '26112214351a', '261131143512', '261122246000', 'ffffffffffff'],
  YMDHMS_BYTES: ['000000000000', '640b160e230c', '1a0b160e233c', 'ffffffffffff'],
  YMDHMS_REGISTERS: ['000000000000000000000000', '07ea000d0016000e0023000c', '00c8000b0016000e0023000c'],
};

for (const type of TYPES) {
  test(`${type} has no value where the bytes are no time`, () => {
    for (const bytes of NO_TIMES[type]) {
      const fault = createTimeForm(type, true).decode(Buffer.from(bytes, 'hex'));
      assert.ok(fault instanceof FormFault, bytes);
      assert.equal(fault.code, 'VALUE_NOT_DECODABLE');
    }
  });

  test(`${type} of random bytes is a time that reads back, or none`, () => {
    const random = createRandom(7);
    const { lengthBytes, decode, encode } = createTimeForm(type, false);
    for (let turn = 0; turn < 2000; turn += 1) {
      const bytes = Buffer.from(Array.from({ length: lengthBytes }, () => Math.floor(random() * 256)));
      const value = decode(bytes);
      if (value instanceof FormFault) continue;
      const again = encode(value);
      if (again instanceof FormFault) assert.equal(again.code, 'VALUE_OUT_OF_RANGE');
      else assert.equal(decode(again), value);
    }
  });

  for (const zone of ['UTC', '+05:45', 'Europe/Berlin']) {
    test(`${type} in ${zone} reads back what was written, cut to its resolution`, () => {
      const random = createRandom(3);
      const { decode, encode } = createTimeForm(type, false, zone);
      const isExact = TIME_LAYOUTS[type].lengthBytes === 12 ? type === 'DTL' : /MILLI|CP56|DATE/.test(type);
      for (let turn = 0; turn < 500; turn += 1) {
        const epochMs = Date.UTC(2001, 0) + Math.floor(random() * 80 * 365 * 86_400_000);
        const wanted = isExact ? epochMs : Math.floor(epochMs / 1000) * 1000;
        const bytes = encode(epochMs);
        assert.ok(bytes instanceof Buffer);
        // An hour that comes twice is the first one where the layout does not tell them apart.
        const difference = wanted - Number(decode(bytes));
        assert.ok(
          difference === 0 || (zone === 'Europe/Berlin' && type !== 'CP56TIME2A' && difference === 3_600_000),
        );
      }
    });
  }
}

test('CP56TIME2A tells the two hours at the end of summer time apart, both ways', () => {
  const { decode, encode } = createTimeForm('CP56TIME2A', true, 'Europe/Berlin');
  for (const [bytes, text] of [
    ['1a0a19821e0000', '2026-10-25T00:30:00.000Z'],
    ['1a0a19021e0000', '2026-10-25T01:30:00.000Z'],
  ] as const) {
    assert.equal(decode(Buffer.from(bytes, 'hex')), text);
    assert.deepEqual(encode(text), Buffer.from(bytes, 'hex'));
  }
});

test('the day of the week is not read', () => {
  const zone = '+08:00';
  // Midnight of 1 January 2022, with 3 as day of the week.
  const decoded = createTimeForm('CP56TIME2A', true, zone).decode(Buffer.from('16016100000000', 'hex'));
  assert.equal(decoded, '2021-12-31T16:00:00.000Z');
  // The manual of STEP 7 has 5 in its example.
  const example = createTimeForm('DATE_AND_TIME', true).decode(Buffer.from('9312250812345675', 'hex'));
  assert.equal(example, '1993-12-25T08:12:34.567Z');
});

test('YMDHMS_REGISTERS takes a year of two digits for one of this century, and writes all four', () => {
  const { decode, encode } = createTimeForm('YMDHMS_REGISTERS', true);
  const text = '2026-11-22T14:35:12.000Z';
  assert.equal(decode(Buffer.from('001a000b0016000e0023000c', 'hex')), text);
  assert.deepEqual(encode(text), Buffer.from('07ea000b0016000e0023000c', 'hex'));
});

test('a written text may have any offset, and has that of the device without one', () => {
  const { encode } = createTimeForm('YMDHMS_BCD', true, 'Europe/Berlin');
  for (const text of [
    '2026-07-01T12:00:00Z',
    '2026-07-01T12:00Z',
    '2026-07-01T12:00:00.999Z',
    '2026-07-01T17:45:00+05:45',
    '2026-07-01T17:45:00+0545',
    '2026-07-01T14:00',
    '2026-07-01T14:00:00,5',
  ]) {
    assert.deepEqual(encode(text), Buffer.from('260701140000', 'hex'), text);
  }
});

const REFUSED: readonly (readonly [TimeType, ChannelValue, FormFault['code']])[] = [
  ['UNIX_SECONDS32', -1, 'VALUE_OUT_OF_RANGE'],
  ['UNIX_SECONDS32', '2106-01-01T00:00:00Z', 'VALUE_OUT_OF_RANGE'],
  ['UNIX_SECONDS64', Number.NaN, 'VALUE_OUT_OF_RANGE'],
  ['UNIX_SECONDS64', Infinity, 'VALUE_OUT_OF_RANGE'],
  ['UNIX_SECONDS64', 2n ** 63n, 'VALUE_OUT_OF_RANGE'],
  ['UNIX_MILLISECONDS64', 253_402_300_800_000, 'VALUE_OUT_OF_RANGE'],
  ['CP56TIME2A', '1999-12-31T23:59:59Z', 'VALUE_OUT_OF_RANGE'],
  ['CP56TIME2A', '2128-01-01T00:00:00Z', 'VALUE_OUT_OF_RANGE'],
  ['DATE_AND_TIME', '1989-12-31T23:59:59Z', 'VALUE_OUT_OF_RANGE'],
  ['DATE_AND_TIME', '2090-01-01T00:00:00Z', 'VALUE_OUT_OF_RANGE'],
  ['YMDHMS_BCD', '2100-01-01T00:00:00Z', 'VALUE_OUT_OF_RANGE'],
  ['DTL', 'now', 'VALUE_TYPE_MISMATCH'],
  ['DTL', '', 'VALUE_TYPE_MISMATCH'],
  ['DTL', '2026-01-01', 'VALUE_TYPE_MISMATCH'],
  ['DTL', '2026-02-30T00:00:00Z', 'VALUE_TYPE_MISMATCH'],
  ['DTL', '2026-01-01T24:00:00Z', 'VALUE_TYPE_MISMATCH'],
  ['DTL', '2026-01-01T00:00:60Z', 'VALUE_TYPE_MISMATCH'],
  ['DTL', '2026-01-01T00:00:00+99:99', 'VALUE_TYPE_MISMATCH'],
  ['DTL', true, 'VALUE_TYPE_MISMATCH'],
  ['DTL', Buffer.alloc(12), 'VALUE_TYPE_MISMATCH'],
];

for (const [type, value, code] of REFUSED) {
  test(`${type} refuses ${typeof value} ${String(value).slice(0, 40)} with ${code}`, () => {
    const fault = createTimeForm(type, true).encode(value);
    assert.ok(fault instanceof FormFault);
    assert.equal(fault.code, code);
  });
}
