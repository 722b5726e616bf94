import { systemClock } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import type { Driver } from '../../daemon/channel/driver.ts';
import { runWrites } from '../../daemon/channel/write-run.ts';
import type { PreparedWrites, WriteOutcome, WriteRequest } from '../../daemon/channel/write-step.ts';

/** A value to write, and why it is no longer to be sent, asked in its turn. */
export type WithdrawableWrite<Address> = WriteRequest<Address> & {
  readonly findCancellation?: (() => ChannelFailure | undefined) | undefined;
};

/**
 * Writes values by a driver in the order given, as an asset does that has no limits.
 *
 * @returns one outcome per request, in the same order
 * @throws {ConnectionError} when the link was down before anything was sent
 */
export async function writeValues<Address>(
  driver: Driver<Address>,
  requests: readonly WithdrawableWrite<Address>[],
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<readonly WriteOutcome[]> {
  return runPrepared(await driver.prepareWrite(requests, signal), requests, signal, clock);
}

/** Sends writes that a driver has prepared; see `writeValues`. */
export async function runPrepared<Address>(
  { refused, steps }: PreparedWrites,
  requests: readonly WithdrawableWrite<Address>[],
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<readonly WriteOutcome[]> {
  const findCancellation = (index: number): ChannelFailure | undefined =>
    requests[index]?.findCancellation?.();
  const outcomes = new Map(await runWrites({ steps, findCancellation }, { signal, clock }));
  const timestampMs = clock.epochMs();
  for (const { index, failure } of refused)
    outcomes.set(index, { failure, outcome: 'NOT_SENT', timestampMs });
  return requests.flatMap((_, index) => outcomes.get(index) ?? []);
}
