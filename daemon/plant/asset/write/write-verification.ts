import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../../channel/driver-errors.ts';
import type { Reading } from '../../../channel/driver.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { Verification } from '../../../channel/write-terms.ts';
import { toRecord } from '../read/channel-slot.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';
import { createScaling } from '../scaling.ts';
import type { PreparedWrite } from './prepared-write.ts';
import { isSameText } from './same-text.ts';
import { createRawPrecision } from '../value-precision.ts';
import { untilEnding } from './write-ending.ts';
import { isWithin } from './write-limits.ts';

/** Result of reading back. */
export type ReadBack =
  | {
      /** True if the value read back equals the value written. */
      readonly isAsWritten: boolean;
      readonly value: ChannelValue;
      readonly timestampMs: number;
      readonly failure?: undefined;
      /** True if the request ended before the time of the device was over. */
      readonly isCutShort: boolean;
    }
  | { readonly failure: ChannelFailure; readonly isCutShort: boolean };

interface ReadBackOptions {
  readonly connection: DriverConnection;
  readonly clock: Clock;
  /** See `AssetWriter`. */
  readonly ending: AbortSignal | undefined;
}

// A device that shows its new value immediately costs one read, a slow one few more.
const FIRST_PAUSE_MS = 10;
const MAXIMUM_PAUSE_MS = 500;

const ENDED: ChannelFailure = { code: 'WRITE_NOT_VERIFIED', message: 'the request ended early' };
const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver returned no reading' };

/**
 * Reads the channel of a write until it returns the value that was sent, or the time is over. Without a tolerance, raw
 * values are compared if the driver reports what it sends. Ends early with the request.
 *
 * @returns the result of the last read
 */
export async function readBack(
  write: PreparedWrite,
  verification: Verification,
  options: ReadBackOptions,
): Promise<ReadBack> {
  const { clock, ending } = options;
  const { channel } = write;
  const endMs = clock.monotonicMs() + verification.withinMs;
  let shown: ReadBack = { failure: ENDED, isCutShort: true };
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAXIMUM_PAUSE_MS)) {
    const reading = await untilEnding(readOnce(channel, options), ending);
    if (reading === undefined) return shown;
    const record = toRecord({ channel, scaling: createScaling(channel) }, reading);
    const { failure, value, timestampMs } = record;
    const isAsWritten =
      failure === undefined &&
      (reading.value === undefined || verification.tolerance > 0
        ? isNear(verification.tolerance, value, write, options)
        : isAsSent(reading.value, value, write, options));
    const leftMs = endMs - clock.monotonicMs();
    const isCutShort = !isAsWritten && leftMs > 0;
    shown = failure === undefined ? { isAsWritten, value, timestampMs, isCutShort } : { failure, isCutShort };
    if (!isCutShort) return shown;
    if (!(await pause(Math.min(pauseMs, leftMs), options))) return shown;
  }
}

/** Waits; returns true if the request is still active. */
async function pause(pauseMs: number, { clock, ending }: ReadBackOptions): Promise<boolean> {
  if (ending?.aborted === true) return false;
  try {
    await delay(clock, pauseMs, ending);
    return true;
  } catch (error) {
    if (error !== ending?.reason) throw error;
    return false;
  }
}

function isNear(
  tolerance: number,
  value: ChannelValue,
  { channel, value: written, precision }: PreparedWrite,
  { connection }: ReadBackOptions,
): boolean {
  if (isWithin(tolerance, value, written, precision)) return true;
  return isSameText({ channel, connection }, value, written) ?? false;
}

function isAsSent(
  raw: ChannelValue,
  value: ChannelValue,
  { channel, sent, isSingle, value: written, precision }: PreparedWrite,
  { connection }: ReadBackOptions,
): boolean {
  if (sent === undefined) return isWithin(0, value, written, precision);
  const isSame = isSameText({ channel, connection }, raw, sent);
  return isSame ?? isWithin(0, raw, sent, createRawPrecision(isSingle));
}

async function readOnce(channel: Channel, { connection, clock }: ReadBackOptions): Promise<Reading> {
  try {
    const [reading] = await connection.read(connection.prepareRead([channel]));
    return reading ?? { failure: UNANSWERED, timestampMs: clock.epochMs() };
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { failure: toChannelFailure(error), timestampMs: clock.epochMs() };
  }
}
