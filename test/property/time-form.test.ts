import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { FormFault } from '../../drivers/binary/binary-form.ts';
import { createTimeForm } from '../../drivers/binary/time-form.ts';
import { TIME_LAYOUTS } from '../../drivers/binary/time-layout.ts';
import type { TimeType } from '../../drivers/binary/time-layout.ts';
import { createTimeZone } from '../../drivers/binary/time-zone.ts';
import { propertyTest } from './property-test.ts';

const timeType = fc.constantFrom(...(Object.keys(TIME_LAYOUTS) as TimeType[]));
const ZONES = [
  'UTC',
  '+05:30',
  '-03:00',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/Sao_Paulo',
] as const;

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

const DAY_MS = 86_400_000;

// When the clocks of a zone are changed, to the minute.
function findChanges(timeZone: string): readonly number[] {
  const offsetAt = (ms: number): number => onTheWall(ms, timeZone) - ms;
  const changes: number[] = [];
  for (let day = Date.UTC(2026, 0); day < Date.UTC(2028, 0); day += DAY_MS) {
    let [before, after] = [day, day + DAY_MS];
    if (offsetAt(before) === offsetAt(after)) continue;
    while (after - before > 60_000) {
      const middle = before + Math.floor((after - before) / 120_000) * 60_000;
      if (offsetAt(middle) === offsetAt(before)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

const CHANGES: ReadonlyMap<string, readonly number[]> = new Map(
  ZONES.map((zone) => [zone, findChanges(zone)]),
);

// Any time of the years that every layout has, and as often one around a change of the clocks.
const zoneAndTime = fc.constantFrom(...ZONES).chain((zone) => {
  const anyTime = fc.integer({ min: Date.UTC(2001, 0, 2), max: Date.UTC(2088, 11, 30) });
  const changes = CHANGES.get(zone) ?? [];
  if (changes.length === 0) return fc.tuple(fc.constant(zone), anyTime);
  const around = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -7_200_000, max: 7_200_000 }))
    .map(([change, distanceMs]) => change + distanceMs);
  return fc.tuple(fc.constant(zone), fc.oneof(anyTime, around));
});

propertyTest(
  'a time zone shows what the clock on the wall shows, and leads back to the same moment',
  fc.property(zoneAndTime, ([name, ms]) => {
    const zone = createTimeZone(name);
    const shown = zone.toClockTime(ms);
    assert.equal(shown.clockMs, onTheWall(ms, name));
    assert.equal(zone.toEpochMs(shown), ms);
  }),
);

propertyTest(
  'a time in any layout is decoded to what the clock of the device showed, cut to its resolution',
  fc.property(timeType, zoneAndTime, (type, [name, ms]) => {
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
  fc.property(timeType, zoneAndTime, (type, [name, ms]) => {
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

propertyTest(
  'the first and the last years of a layout are written and read back',
  fc.property(timeType, fc.boolean(), fc.nat(2 * 365 * 86_400), (type, isFirst, seconds) => {
    const [first, last] = TIME_LAYOUTS[type].years;
    const ms = isFirst ? Date.UTC(first, 0) + seconds * 1000 : Date.UTC(last + 1, 0) - 1000 - seconds * 1000;
    const form = createTimeForm(type, false);
    const encoded = form.encode(ms);
    assert.ok(Buffer.isBuffer(encoded));
    assert.equal(form.decode(encoded), ms);
  }),
  2,
);
