import { createReason, explain } from '../../../base/fault-reason.ts';
import { createFailure } from '../../../channel/call-failure.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import type { Cancel, Clock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import { raceWithAbort } from '../../../base/sharing/race-with-abort.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { toChannelFailure } from '../../../channel/driver-errors.ts';

/** A write request ended before all of it was sent: deadline exceeded, or client disconnected. */
class WriteEnded extends GatewayError {}

/** Determines the end of a write request, even if some of it remains. */
export class WriteEnding {
  readonly #controller = new AbortController();
  readonly #cancel: Cancel;

  /**
   * @param deadlineMs maximum duration of the request
   * @param elapsedMs time elapsed so far
   */
  constructor(clock: Clock, deadlineMs: number, elapsedMs = 0) {
    this.#cancel = clock.schedule(Math.max(0, deadlineMs - elapsedMs), () => {
      const reason = createReason(PLANT_FAILURES, 'WRITE_OVERDUE', { deadlineMs });
      this.#controller.abort(new WriteEnded({ code: 'WRITE_DEADLINE_EXCEEDED', ...explain(reason) }));
    });
  }

  /** Aborts with the failure of the values that were not sent. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the request because its client disconnected. */
  leave(): void {
    const reason = createReason(PLANT_FAILURES, 'WRITE_CLIENT_LEFT', {});
    this.#controller.abort(new WriteEnded({ code: 'WRITE_CLIENT_GONE', ...explain(reason) }));
  }

  /** Cancels the deadline; called when the request is completed. */
  stop(): void {
    this.#cancel();
  }
}

/** Returns the reason that values are no longer sent; undefined while the request is active. */
export function findEnding(ending: AbortSignal | undefined): ChannelFailure | undefined {
  if (ending?.aborted !== true) return undefined;
  const reason: unknown = ending.reason;
  if (reason instanceof GatewayError) return toChannelFailure(reason);
  return createFailure('WRITE_CLIENT_GONE', createReason(PLANT_FAILURES, 'WRITE_REQUEST_ENDED', {}));
}

/**
 * Waits for work before or after a write while its request is active.
 *
 * @returns undefined when the request ended first
 */
export async function untilEnding<T>(
  work: Promise<T>,
  ending: AbortSignal | undefined,
): Promise<T | undefined> {
  if (ending === undefined) return work;
  try {
    return await raceWithAbort(work, ending);
  } catch (error) {
    if (ending.aborted && error === ending.reason) return undefined;
    throw error;
  }
}
