import type { ClockTime } from './time-layout.ts';

/** Conversion between a clock and UTC. */
export interface TimeZone {
  /**
   * Converts a clock time to milliseconds since the epoch. In the repeated hour the first time is assumed unless the
   * device reports the end of summer time.
   *
   * @returns undefined for a time that the clock skips at the change to summer time
   */
  toEpochMs(time: ClockTime): number | undefined;
  /** Converts milliseconds since the epoch to clock time. */
  toClockTime(epochMs: number): ClockTime;
}

const DAY_MS = 86_400_000;
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** True for a name of the time zone database, such as `Europe/Berlin`, or an offset such as `+01:00`. */
export function isTimeZone(name: string): boolean {
  try {
    createFormat(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Creates the conversion between a device clock and UTC.
 *
 * @param name of the time zone database, such as `Europe/Berlin`, or an offset such as `+01:00`
 * @throws {RangeError} for any other name
 */
export function createTimeZone(name: string): TimeZone {
  if (name === 'UTC') {
    return { toEpochMs: ({ clockMs }) => clockMs, toClockTime: (epochMs) => ({ clockMs: epochMs }) };
  }
  const format = createFormat(name);
  const offsetAt = (epochMs: number): number => readOffset(format, epochMs);
  return {
    toEpochMs({ clockMs, isSummerTime = true }) {
      // The offset of that day is the one before or after a change.
      const offsets = [clockMs - DAY_MS, clockMs + DAY_MS].map(offsetAt);
      const found = offsets.map((offset) => clockMs - offset).filter((ms) => offsetAt(ms) === clockMs - ms);
      if (found.length === 0) return undefined;
      return isSummerTime ? Math.min(...found) : Math.max(...found);
    },
    toClockTime(epochMs) {
      const year = new Date(epochMs).getUTCFullYear();
      const standard = Math.min(offsetAt(Date.UTC(year, 0)), offsetAt(Date.UTC(year, 6)));
      const offset = offsetAt(epochMs);
      return { clockMs: epochMs + offset, isSummerTime: offset > standard };
    },
  };
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
}

// Milliseconds by which the clock is ahead of UTC.
function readOffset(format: Intl.DateTimeFormat, epochMs: number): number {
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(name) ?? [];
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offsetMs : offsetMs;
}
