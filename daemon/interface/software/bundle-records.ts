import { z } from '../../base/schema.ts';
import { FAILED_WRITE_OUTCOMES } from '../../channel/write-outcome.ts';
import type { writeChannels } from '../plant/assets.ts';
import type { BodyOf, ResultOf } from '../endpoint.ts';

type Result = ResultOf<typeof writeChannels>[number];
type RequestedWrite = BodyOf<typeof writeChannels>['channels'][number];

/**
 * Result of reading or writing one channel, as a bundle receives it. Members shared with the REST interface have the same
 * meaning as there.
 *
 * @typeParam Value representation of its values: in messages or in the program
 */
export interface BundleRecord<Value> extends Pick<
  Result,
  'name' | 'valueType' | 'quality' | 'statusCode' | 'outcome'
> {
  /** The read value; after a write, the value sent, or the requested value if none was sent. */
  readonly value?: Value | undefined;
  /** The requested value of a write, if it differs from the value sent. */
  readonly requestedValue?: Value | undefined;
  /** Value of the channel after a write, if it was read back. */
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
  /** Any text; the gateway rejects unknown value types. */
  readonly type: string;
  readonly value: Value;
  /** Required current value of the channel; otherwise the write is not sent. */
  readonly ifValue?: Value | undefined;
}

/** Schema of the outcome of a failed write, as a bundle's driver reports it. */
export const driverOutcome = z.enum(FAILED_WRITE_OUTCOMES);
export type DriverOutcome = z.infer<typeof driverOutcome>;
