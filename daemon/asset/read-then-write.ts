import type { Clock } from '../base/clock.ts';
import type { ChannelFailure } from '../channel/channel-record.ts';
import type { Driver, WriteOutcome } from '../channel/driver.ts';
import type { ConditionalWrite } from '../channel/turn-taking-driver.ts';

const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver gave no outcome' };

/**
 * Reads the conditions of a write, and writes if they hold, by a driver that takes no turns of its own.
 *
 * @throws {ConnectionError} when the link was down before the value was sent
 */
export async function readThenWrite(
  driver: Driver,
  { conditions, judge, ...request }: ConditionalWrite,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<WriteOutcome> {
  const readings = conditions.length === 0 ? [] : await driver.prepareRead(conditions).read(signal);
  const failure = judge(readings);
  if (failure !== undefined) return { failure, outcome: 'NOT_SENT', timestampMs: clock.epochMs() };
  const [outcome] = await driver.write([request], signal);
  return outcome ?? { failure: UNANSWERED, outcome: 'UNKNOWN', timestampMs: clock.epochMs() };
}
