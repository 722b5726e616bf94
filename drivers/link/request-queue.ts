import type { ErrorCodeOf } from '../../daemon/base/error-codes.ts';
import { Unavailable } from '../../daemon/base/errors.ts';
import { Semaphore } from '../../daemon/base/sharing/semaphore.ts';

// Clients that ask for the same share one read, so a queue this long means more work than the line can carry.
const MAXIMUM_WAITING = 256;
const RETRY_AFTER_SECONDS = 1;

/**
 * Creates the queue of the requests that wait for a line.
 *
 * @param fullCode code of the {Unavailable} with which a request is refused while 256 wait
 * @param permits most requests that are under way at once
 */
export function createRequestQueue(fullCode: ErrorCodeOf<503>, permits = 1): Semaphore {
  const createError = (maximum: number): Unavailable =>
    new Unavailable({
      code: fullCode,
      detail: `${maximum} requests are already queued for the line`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  return new Semaphore({ permits, waiting: { maximum: MAXIMUM_WAITING, createError } });
}
