import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { FormFault } from '../../drivers/binary/binary-form.ts';
import { createTimeForm } from '../../drivers/binary/time-form.ts';
import { TIME_LAYOUTS } from '../../drivers/binary/time-layout.ts';
import type { TimeType } from '../../drivers/binary/time-layout.ts';
import { createTimeZone } from '../../drivers/binary/time-zone.ts';
import { propertyTest } from './property-test.ts';

const timeType = fc.constantFrom(...(Object.keys(TIME_LAYOUTS) as TimeType[]));
const zoneName = fc.constantFrom(
  'UTC',
  '+05:30',
  '-03:00',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/Sao_Paulo',
);

/** What is finer than this is cut off. */
const RESOLUTION_MS: Readonly<Record<TimeType, number>> = {
  UNIX_SECONDS32: 1000,
  UNIX_SECONDS64: 1000,
  UNIX_MILLISECONDS64: 1,
  CP56TIME2A: 1,
  DATE_AND_TIME: 1,
  DTL: 1,
  YMDHMS_BCD: 1000,
  YMDHMS_BYTES: 1000,
  YMDHMS_REGISTERS: 1000,
};

// Years that every layout has; changes of summer time as often as any other time.
const epochMs = fc.oneof(
  fc.integer({ min: Date.UTC(2001, 0, 2), max: Date.UTC(2088, 11, 30) }),
  fc
    .tuple(
      fc.integer({ min: 2002, max: 2037 }),
      fc.constantFrom(2, 3, 9, 10),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: -16, max: 16 * 60 }),
    )
    .map(([year, month, day, minutes]) => Date.UTC(year, month, day) + minutes * 60_000 * 3),
);

// What a clock on the wall shows, from the calendar of the runtime.
function onTheWall(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const clock = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  );
  return clock + (ms % 1000);
}

propertyTest(
  'a time zone shows what the clock on the wall shows, and leads back to the same moment',
  fc.property(epochMs, zoneName, (ms, name) => {
    const zone = createTimeZone(name);
    const shown = zone.toClockTime(ms);
    assert.equal(shown.clockMs, onTheWall(ms, name));
    assert.equal(zone.toEpochMs(shown), ms);
  }),
);

propertyTest(
  'a time in any layout is decoded to what the clock of the device showed, cut to its resolution',
  fc.property(timeType, zoneName, epochMs, (type, name, ms) => {
    const form = createTimeForm(type, false, name);
    const encoded = form.encode(ms);
    assert.ok(Buffer.isBuffer(encoded));
    assert.equal(encoded.length, form.lengthBytes);
    const decoded = form.decode(encoded);
    assert.ok(typeof decoded === 'number');
    const shown = onTheWall(ms, name);
    assert.equal(onTheWall(decoded, name), shown - (shown % RESOLUTION_MS[type]));
  }),
  2,
);

propertyTest(
  'a time as text and as milliseconds is written as the same bytes, and read back as the same text',
  fc.property(timeType, zoneName, epochMs, (type, name, ms) => {
    const form = createTimeForm(type, true, name);
    const encoded = form.encode(ms);
    assert.ok(Buffer.isBuffer(encoded));
    const text = new Date(ms).toISOString();
    assert.deepEqual(form.encode(text), encoded);
    const read = form.decode(encoded);
    assert.ok(typeof read === 'string');
    assert.equal(new Date(read).toISOString(), read);
  }),
);

propertyTest(
  'any bytes are a time that is written back as itself, or no time',
  fc.property(
    timeType.chain((type) =>
      fc.tuple(
        fc.constant(type),
        fc.uint8Array({
          minLength: TIME_LAYOUTS[type].lengthBytes,
          maxLength: TIME_LAYOUTS[type].lengthBytes,
          max: 0x63,
        }),
      ),
    ),
    ([type, bytes]) => {
      const form = createTimeForm(type, false);
      const ms = form.decode(Buffer.from(bytes));
      if (ms instanceof FormFault) return;
      assert.ok(typeof ms === 'number' && Number.isSafeInteger(ms));
      const again = form.encode(ms);
      const { years } = TIME_LAYOUTS[type];
      const year = new Date(ms).getUTCFullYear();
      if (year < years[0] || year > years[1]) return assert.ok(again instanceof FormFault);
      assert.ok(Buffer.isBuffer(again));
      assert.equal(form.decode(again), ms);
    },
  ),
  10,
);
