import { PackagingError } from '../deployment-error.ts';
import type { ZipTime } from './zip-writer.ts';

const FIRST_YEAR = 1980;
const LAST_YEAR = 2107;

/** The earliest time that a ZIP file can hold. */
export const FIRST_TIME: ZipTime = { date: (1 << 5) | 1, time: 0 };

/**
 * Converts a time to the format of ZIP files, in UTC; one out of range becomes the nearest that they can hold.
 *
 * @param epochSeconds seconds since 1970
 */
export function toZipTime(epochSeconds: number): ZipTime {
  const moment = new Date(epochSeconds * 1000);
  const year = moment.getUTCFullYear();
  if (year < FIRST_YEAR) return FIRST_TIME;
  if (Number.isNaN(year) || year > LAST_YEAR) return toZipTime(Date.UTC(LAST_YEAR, 11, 31) / 1000);
  return {
    date: ((year - FIRST_YEAR) << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate(),
    time: (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1),
  };
}

/**
 * Reads the modification time for the entries of an archive, which is fixed so that the same content gives the same bytes.
 *
 * @param sourceDateEpoch `SOURCE_DATE_EPOCH` (reproducible-builds.org): seconds since 1970; undefined: 1980
 * @throws {PackagingError} `TIME_INVALID`
 */
export function parseSourceDate(sourceDateEpoch: string | undefined): ZipTime {
  if (sourceDateEpoch === undefined || sourceDateEpoch === '') return FIRST_TIME;
  if (/^\d{1,12}$/.test(sourceDateEpoch)) return toZipTime(Number(sourceDateEpoch));
  const detail = 'SOURCE_DATE_EPOCH must be a number of seconds since 1970';
  throw new PackagingError({ code: 'TIME_INVALID', detail });
}
