/** A point in time on the device clock. */
export interface ClockTime {
  /** Milliseconds since 1970-01-01T00:00 on that clock, as if it showed UTC. */
  readonly clockMs: number;
  /** True if the device reports summer time; absent if the layout cannot report it. */
  readonly isSummerTime?: boolean | undefined;
}

/** Encoding of a time in bytes, most significant byte first. */
export interface TimeLayout {
  readonly lengthBytes: number;
  /** First and last year of the layout. */
  readonly years: readonly [first: number, last: number];
  /** @returns undefined if the bytes are not a valid time */
  readonly decode: (bytes: Buffer) => ClockTime | undefined;
  /** Encodes a time within `years`; finer parts are truncated. */
  readonly encode: (bytes: Buffer, time: ClockTime) => void;
}

type Fields = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  millisecond: number,
];

const UNIX_YEARS = [1970, 9999] as const;
const CENTURY = 2000;
const CENTURY_YEARS = [CENTURY, CENTURY + 99] as const;

/** Time layouts; `YMDHMS` is year, month, day, hour, minute, second in this order. */
const LAYOUTS = {
  UNIX_SECONDS32: {
    lengthBytes: 4,
    years: [1970, 2105],
    decode: (bytes) => ({ clockMs: bytes.readUInt32BE() * 1000 }),
    encode: (bytes, { clockMs }) => bytes.writeUInt32BE(Math.floor(clockMs / 1000)),
  },
  UNIX_SECONDS64: {
    lengthBytes: 8,
    years: UNIX_YEARS,
    decode: (bytes) => toUnixTime(bytes.readBigInt64BE() * 1000n),
    encode: (bytes, { clockMs }) => bytes.writeBigInt64BE(BigInt(Math.floor(clockMs / 1000))),
  },
  UNIX_MILLISECONDS64: {
    lengthBytes: 8,
    years: UNIX_YEARS,
    decode: (bytes) => toUnixTime(bytes.readBigInt64BE()),
    encode: (bytes, { clockMs }) => bytes.writeBigInt64BE(BigInt(clockMs)),
  },
  // IEC 60870-5-4, 6.8, and in registers the DATETIME of many meters, whose first octet is the last one sent. The day
  // of the week counts from Monday in one and from Sunday in the other, so it is ignored on reads and written as 0,
  // "not used".
  CP56TIME2A: {
    lengthBytes: 7,
    years: [CENTURY, CENTURY + 127],
    decode: (bytes) => {
      const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = bytes;
      if ((minute & 0x80) !== 0) return undefined;
      const time = bytes.readUInt16BE(5);
      const [second, millisecond] = [Math.floor(time / 1000), time % 1000];
      const fields = [year & 0x7f, month & 0x0f, day & 0x1f, hour & 0x1f, minute & 0x3f] as const;
      const [years, ...others] = fields;
      const found = toClockTime([CENTURY + years, ...others, second, millisecond]);
      return found && { ...found, isSummerTime: (hour & 0x80) !== 0 };
    },
    encode: (bytes, { clockMs, isSummerTime = false }) => {
      const [year, month, day, hour, minute, second, millisecond] = toFields(clockMs);
      bytes.set([year - CENTURY, month, day, hour | (isSummerTime ? 0x80 : 0), minute]);
      bytes.writeUInt16BE(second * 1000 + millisecond, 5);
    },
  },
  // SIMATIC S7: BCD; the last byte has the third digit of the milliseconds and the day of the week, 1 is Sunday.
  DATE_AND_TIME: {
    lengthBytes: 8,
    years: [1990, 2089],
    decode: (bytes) => {
      const digits = bytes.toString('hex').slice(0, 15);
      if (!/^\d+$/.test(digits)) return undefined;
      const [year = 0, ...others] = (digits.slice(0, 12).match(/../g) ?? []).map(Number);
      const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = others;
      const fullYear = year >= 90 ? 1900 + year : 2000 + year;
      return toClockTime([fullYear, month, day, hour, minute, second, Number(digits.slice(12))]);
    },
    encode: (bytes, { clockMs }) => {
      const [year, ...others] = toFields(clockMs);
      const millisecond = others.pop() ?? 0;
      const digits = [year % 100, ...others].map((field) => String(field).padStart(2, '0'));
      const day = new Date(clockMs).getUTCDay() + 1;
      bytes.write(`${digits.join('')}${String(millisecond).padStart(3, '0')}${day}`, 'hex');
    },
  },
  // SIMATIC S7-1200 and S7-1500: two bytes for the year, the day of the week (1 is Sunday), four bytes for nanoseconds.
  DTL: {
    lengthBytes: 12,
    years: [1970, 2554],
    decode: (bytes) => {
      const [month = 0, day = 0, , hour = 0, minute = 0, second = 0] = bytes.subarray(2);
      const millisecond = Math.floor(bytes.readUInt32BE(8) / 1e6);
      return toClockTime([bytes.readUInt16BE(), month, day, hour, minute, second, millisecond]);
    },
    encode: (bytes, { clockMs }) => {
      const [year, month, day, hour, minute, second, millisecond] = toFields(clockMs);
      bytes.writeUInt16BE(year);
      bytes.set([month, day, new Date(clockMs).getUTCDay() + 1, hour, minute, second], 2);
      bytes.writeUInt32BE(millisecond * 1e6, 8);
    },
  },
  YMDHMS_BCD: {
    lengthBytes: 6,
    years: CENTURY_YEARS,
    decode: (bytes) => {
      const digits = bytes.toString('hex');
      return /^\d+$/.test(digits) ? toShortTime((digits.match(/../g) ?? []).map(Number)) : undefined;
    },
    encode: (bytes, { clockMs }) => {
      bytes.write(
        toShortFields(clockMs)
          .map((field) => String(field).padStart(2, '0'))
          .join(''),
        'hex',
      );
    },
  },
  YMDHMS_BYTES: {
    lengthBytes: 6,
    years: CENTURY_YEARS,
    decode: (bytes) => toShortTime([...bytes]),
    encode: (bytes, { clockMs }) => bytes.set(toShortFields(clockMs)),
  },
  YMDHMS_REGISTERS: {
    lengthBytes: 12,
    years: UNIX_YEARS,
    decode: (bytes) => {
      const [year = 0, ...others] = Array.from({ length: 6 }, (_, index) => bytes.readUInt16BE(2 * index));
      const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = others;
      return toClockTime([year < 100 ? CENTURY + year : year, month, day, hour, minute, second, 0]);
    },
    encode: (bytes, { clockMs }) => {
      for (const [index, field] of toFields(clockMs).slice(0, 6).entries()) {
        bytes.writeUInt16BE(field, 2 * index);
      }
    },
  },
} as const satisfies Readonly<Record<string, TimeLayout>>;

/** Name of a time layout. */
export type TimeType = keyof typeof LAYOUTS;

/** Time layouts by name. */
export const TIME_LAYOUTS: Readonly<Record<TimeType, TimeLayout>> = LAYOUTS;

function toUnixTime(milliseconds: bigint): ClockTime | undefined {
  const isWithin = milliseconds >= 0n && milliseconds < BigInt(Date.UTC(UNIX_YEARS[1] + 1, 0));
  return isWithin ? { clockMs: Number(milliseconds) } : undefined;
}

// Date.UTC carries overflow into the next field, so the result shows if the fields were a valid date.
function toClockTime(fields: Fields): ClockTime | undefined {
  const [year, month, day, hour, minute, second, millisecond] = fields;
  if (year < UNIX_YEARS[0] || year > UNIX_YEARS[1]) return undefined;
  const clockMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  const isSame = toFields(clockMs).every((field, index) => field === fields[index]);
  return isSame ? { clockMs } : undefined;
}

function toFields(clockMs: number): [...Fields] {
  const date = new Date(clockMs);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    date.getUTCMilliseconds(),
  ];
}

function toShortTime(fields: readonly number[]): ClockTime | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields;
  return year > 99 ? undefined : toClockTime([CENTURY + year, month, day, hour, minute, second, 0]);
}

function toShortFields(clockMs: number): readonly number[] {
  const [year, ...others] = toFields(clockMs);
  return [year - CENTURY, ...others.slice(0, 5)];
}
