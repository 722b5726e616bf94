import type { Cancel, Clock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import { raceWithAbort } from '../../../base/sharing/race-with-abort.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { toChannelFailure } from '../../../channel/driver-errors.ts';

/** A request to write has ended before all of it was sent: its time is over, or its client is gone. */
class WriteEnded extends GatewayError {}

/** Decides when a request to write ends, whatever of it is left to do. */
export class WriteEnding {
  readonly #controller = new AbortController();
  readonly #cancel: Cancel;

  /**
   * @param deadlineMs how long the request may take
   * @param elapsedMs how long it has taken
   */
  constructor(clock: Clock, deadlineMs: number, elapsedMs = 0) {
    this.#cancel = clock.schedule(Math.max(0, deadlineMs - elapsedMs), () => {
      const detail = `the request exceeded its deadline of ${deadlineMs} ms (http.writeDeadlineMs); not sent`;
      this.#controller.abort(new WriteEnded({ code: 'WRITE_DEADLINE_EXCEEDED', detail }));
    });
  }

  /** Aborts with the reason that values show which were not sent. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the request because nobody waits for its answer. */
  leave(): void {
    const detail = 'the client disconnected before the write; not sent';
    this.#controller.abort(new WriteEnded({ code: 'WRITE_CLIENT_GONE', detail }));
  }

  /** Lets the request go on for ever; to be called when it is done. */
  stop(): void {
    this.#cancel();
  }
}

/** Returns why a value is no longer sent; undefined while its request goes on. */
export function findEnding(ending: AbortSignal | undefined): ChannelFailure | undefined {
  if (ending?.aborted !== true) return undefined;
  const reason: unknown = ending.reason;
  if (reason instanceof GatewayError) return toChannelFailure(reason);
  return { code: 'WRITE_CLIENT_GONE', message: 'the request has ended; not sent' };
}

/**
 * Waits for something that goes before a write, or comes after it, as long as its request goes on.
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
