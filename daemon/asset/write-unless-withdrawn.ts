import type { Clock } from '../base/clock.ts';
import type { WriteOutcome, WriteRequest } from '../channel/driver.ts';

interface Withdrawing {
  readonly clock: Clock;
  /** Sends writes; one outcome for each, in their order. */
  readonly write: (requests: readonly WriteRequest[]) => Promise<readonly WriteOutcome[]>;
}

/**
 * Sends the writes that are still to be sent when this is called.
 *
 * @returns one outcome per request, in the same order, as far as `write` gives them
 * @throws what `write` throws
 */
export async function writeUnlessWithdrawn(
  requests: readonly WriteRequest[],
  { clock, write }: Withdrawing,
): Promise<readonly WriteOutcome[]> {
  const failures = requests.map(({ findWithdrawal }) => findWithdrawal?.());
  const wanted = requests.filter((_, index) => failures[index] === undefined);
  if (wanted.length === requests.length) return write(requests);
  const outcomes = wanted.length === 0 ? [] : [...(await write(wanted))];
  const timestampMs = clock.epochMs();
  return failures.flatMap((failure): readonly WriteOutcome[] => {
    if (failure !== undefined) return [{ failure, outcome: 'NOT_SENT', timestampMs }];
    const outcome = outcomes.shift();
    return outcome === undefined ? [] : [outcome];
  });
}
