import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { FormFault, notDecodable } from './binary-form.ts';
import type { BinaryForm } from './binary-form.ts';
import { TIME_LAYOUTS } from './time-layout.ts';
import type { TimeType } from './time-layout.ts';
import { createTimeZone } from './time-zone.ts';
import type { TimeZone } from './time-zone.ts';

// ISO 8601 with or without UTC offset.
const ISO_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:[.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Creates the format of a time. Decoded values are text (ISO 8601, in UTC) or milliseconds since the epoch; both can be
 * encoded. A text without offset is device local time.
 *
 * @param isText true if values are decoded to text
 * @param timeZone time zone of the device clock
 * @throws {RangeError} for an unknown time zone
 */
export function createTimeForm(type: TimeType, isText: boolean, timeZone = 'UTC'): BinaryForm {
  const layout = TIME_LAYOUTS[type];
  const zone = createTimeZone(timeZone);
  const [firstYear, lastYear] = layout.years;
  return {
    lengthBytes: layout.lengthBytes,
    decode(bytes) {
      const time = layout.decode(bytes);
      const epochMs = time && zone.toEpochMs(time);
      if (epochMs === undefined) return notDecodable(bytes, `valid time in the layout ${type}`);
      return isText ? new Date(epochMs).toISOString() : epochMs;
    },
    encode(value) {
      const epochMs = readEpochMs(value, zone);
      if (epochMs instanceof FormFault) return epochMs;
      const time = zone.toClockTime(epochMs);
      const year = new Date(time.clockMs).getUTCFullYear();
      if (!(year >= firstYear && year <= lastYear)) {
        const message = `${String(value)} is out of range for ${type}, the years ${firstYear} to ${lastYear}`;
        return new FormFault('VALUE_OUT_OF_RANGE', message);
      }
      const bytes = Buffer.alloc(layout.lengthBytes);
      layout.encode(bytes, time);
      return bytes;
    },
  };
}

function readEpochMs(value: ChannelValue, zone: TimeZone): number | FormFault {
  if (typeof value === 'number' || typeof value === 'bigint') {
    const epochMs = Math.floor(Number(value));
    // Beyond the range of Date there is no year to check.
    return Number.isNaN(new Date(epochMs).getTime())
      ? new FormFault('VALUE_OUT_OF_RANGE', `${value} is no time in milliseconds since the epoch`)
      : epochMs;
  }
  const epochMs = typeof value === 'string' ? parseIsoTime(value, zone) : undefined;
  if (epochMs !== undefined) return epochMs;
  const example = '2026-03-01T12:00:00Z';
  return new FormFault('VALUE_TYPE_MISMATCH', `expected a time as text, for example ${example}`);
}

function parseIsoTime(text: string, zone: TimeZone): number | undefined {
  const [, date = '', minutes = '', seconds = ':00', offset] = ISO_TIME.exec(text) ?? [];
  const clock = `${date}T${minutes}${seconds.replace(',', '.')}`;
  const clockMs = Date.parse(`${clock}Z`);
  // 30 February would become a day of March.
  if (Number.isNaN(clockMs) || !new Date(clockMs).toISOString().startsWith(`${date}T${minutes}`))
    return undefined;
  if (offset === undefined) return zone.toEpochMs({ clockMs });
  const epochMs = Date.parse(
    `${clock}${offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset}`,
  );
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
