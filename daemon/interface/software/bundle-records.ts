import { z } from '../../base/schema.ts';
import { FAILED_WRITE_OUTCOMES } from '../../channel/write-outcome.ts';
import type { writeChannels } from '../plant/assets.ts';
import type { BodyOf, ResultOf } from '../endpoint.ts';

type Result = ResultOf<typeof writeChannels>[number];
type RequestedWrite = BodyOf<typeof writeChannels>['channels'][number];

/**
 * The result of reading or writing one channel, as a bundle gets it. The members that it shares with clients of the REST
 * interface mean the same as there.
 *
 * @typeParam Value form of its values: that of messages, or that of the program
 */
export interface BundleRecord<Value> extends Pick<
  Result,
  'name' | 'valueType' | 'quality' | 'statusCode' | 'outcome'
> {
  /** Of a write the value that was sent, or the one asked for if none was. */
  readonly value?: Value | undefined;
  /** The value of a write as it was asked for, where the one that was sent is another one. */
  readonly requestedValue?: Value | undefined;
  /** The value that the channel holds after a write, where it was read back. */
  readonly readBack?: Value | undefined;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/**
 * One value that a bundle writes; `type` is the value type of the channel, for example `INTEGER`.
 *
 * @typeParam Value as of {@link BundleRecord}
 */
export interface BundleWrite<Value> extends Pick<RequestedWrite, 'name'> {
  /** Any text: the gateway refuses another one than the types of values. */
  readonly type: string;
  readonly value: Value;
  /** The value that the channel has to hold for the write to be sent. */
  readonly ifValue?: Value | undefined;
}

/** The schema of what became of a write with a failure, as the driver of a bundle tells it. */
export const driverOutcome = z.enum(FAILED_WRITE_OUTCOMES);
export type DriverOutcome = z.infer<typeof driverOutcome>;
