import type { ErrorCodeOf } from '../../daemon/base/error-codes.ts';
import { createReason, explain } from '../../daemon/base/fault-reason.ts';
import { Unavailable } from '../../daemon/base/errors.ts';
import { LINK_FAILURES } from './failure-sentences.ts';
import { Semaphore } from '../../daemon/base/sharing/semaphore.ts';

// Equal requests share one read, so a queue this long means that the line is overloaded.
const MAXIMUM_WAITING = 256;
const RETRY_AFTER_SECONDS = 1;

/**
 * Creates the request queue of a line.
 *
 * @param fullCode code of the {Unavailable} that rejects a request while 256 are queued
 * @param permits maximum outstanding requests
 */
export function createRequestQueue(fullCode: ErrorCodeOf<503>, permits = 1): Semaphore {
  const createError = (maximum: number): Unavailable =>
    new Unavailable({
      code: fullCode,
      ...explain(createReason(LINK_FAILURES, 'LINE_QUEUE_FULL', { maximum })),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  return new Semaphore({ permits, waiting: { maximum: MAXIMUM_WAITING, createError } });
}
