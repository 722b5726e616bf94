import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelFailure } from '../channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../channel/driver-errors.ts';
import type { Reading } from '../channel/driver.ts';
import type { ChannelValue } from '../channel/value-type.ts';
import type { Verification } from '../channel/write-terms.ts';
import { toRecord } from './channel-slot.ts';
import type { DriverConnection } from './driver-connection.ts';
import { createScaling } from './scaling.ts';
import { isWithin } from './write-limits.ts';

/** What reading back shows. */
export type ReadBack =
  | {
      /** Whether the device holds the value that was written. */
      readonly isAsWritten: boolean;
      readonly value: ChannelValue;
      readonly timestampMs: number;
      readonly failure?: undefined;
    }
  | { readonly failure: ChannelFailure };

interface ReadBackOptions {
  readonly connection: DriverConnection;
  readonly clock: Clock;
}

// A device that shows its new value at once costs one read, and a slow one few more.
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver gave no reading' };

/**
 * Reads a channel until it shows the value that was written, or the time is over.
 *
 * @param expected in the unit of the channel
 * @returns what the last read showed
 */
export async function readBack(
  channel: Channel,
  { expected, verification }: { readonly expected: ChannelValue; readonly verification: Verification },
  options: ReadBackOptions,
): Promise<ReadBack> {
  const { clock } = options;
  const endMs = clock.monotonicMs() + verification.withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const record = toRecord({ channel, scaling: createScaling(channel) }, await readOnce(channel, options));
    const { failure, value, timestampMs } = record;
    const isAsWritten = failure === undefined && isWithin(verification.tolerance, value, expected);
    const leftMs = endMs - clock.monotonicMs();
    if (isAsWritten || leftMs <= 0) {
      return failure === undefined ? { isAsWritten, value, timestampMs } : { failure };
    }
    await delay(clock, Math.min(pauseMs, leftMs));
  }
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
