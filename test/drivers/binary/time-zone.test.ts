import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTimeZone, isTimeZone } from '../../../drivers/binary/time-zone.ts';

/** Returns the time as text that a clock in the zone means. */
function toUtc(zone: string, clock: string, isSummerTime?: boolean): string | undefined {
  const clockMs = Date.parse(`${clock}Z`);
  const epochMs = createTimeZone(zone).toEpochMs({ clockMs, isSummerTime });
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString().slice(0, 16);
}

test('names of the time zone database and offsets are time zones, and nothing else', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/St_Johns', '+01:00', '-03:30']) {
    assert.equal(isTimeZone(name), true, name);
  }
  for (const name of ['', 'Berlin', 'Europe/Nowhere', '+25:00', 'local']) {
    assert.equal(isTimeZone(name), false, name);
  }
});

for (const [zone, clock, utc] of [
  ['UTC', '2026-07-01T12:00', '2026-07-01T12:00'],
  ['+01:00', '2026-07-01T12:00', '2026-07-01T11:00'],
  ['-03:30', '2026-07-01T12:00', '2026-07-01T15:30'],
  ['Europe/Berlin', '2026-01-01T12:00', '2026-01-01T11:00'],
  ['Europe/Berlin', '2026-07-01T12:00', '2026-07-01T10:00'],
  // Clocks change at 01:00 UTC.
  ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-10-25T01:59', '2026-10-24T23:59'],
  ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00'],
  ['Australia/Lord_Howe', '2026-01-01T11:00', '2026-01-01T00:00'],
  ['Asia/Kathmandu', '2026-01-01T05:45', '2026-01-01T00:00'],
] as const) {
  test(`${clock} on a clock in ${zone} is ${utc} in UTC, both ways`, () => {
    assert.equal(toUtc(zone, clock), utc);
    const { clockMs } = createTimeZone(zone).toClockTime(Date.parse(`${utc}Z`));
    assert.equal(new Date(clockMs).toISOString().slice(0, 16), clock);
  });
}

test('of an hour that comes twice the first is taken unless the device says that summer time is over', () => {
  assert.equal(toUtc('Europe/Berlin', '2026-10-25T02:30'), '2026-10-25T00:30');
  assert.equal(toUtc('Europe/Berlin', '2026-10-25T02:30', true), '2026-10-25T00:30');
  assert.equal(toUtc('Europe/Berlin', '2026-10-25T02:30', false), '2026-10-25T01:30');
});

test('what the device says about summer time does not change an hour that comes once', () => {
  for (const zone of ['UTC', '+01:00', 'Europe/Berlin']) {
    assert.equal(toUtc(zone, '2026-07-01T12:00', false), toUtc(zone, '2026-07-01T12:00', true));
  }
});

test('a time that the clock leaves out at the change to summer time is none', () => {
  assert.equal(toUtc('Europe/Berlin', '2026-03-29T02:30'), undefined);
});

test('a clock in a zone with summer time says whether it is', () => {
  const isSummer = (zone: string, month: number): boolean | undefined =>
    createTimeZone(zone).toClockTime(Date.UTC(2026, month)).isSummerTime;
  assert.deepEqual([isSummer('Europe/Berlin', 0), isSummer('Europe/Berlin', 6)], [false, true]);
  // South of the equator summer is in January.
  assert.deepEqual([isSummer('Australia/Sydney', 0), isSummer('Australia/Sydney', 6)], [true, false]);
  assert.equal(isSummer('+01:00', 6), false);
});
