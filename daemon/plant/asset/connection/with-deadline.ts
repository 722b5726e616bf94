import type { Cancel, Clock } from '../../../base/clock.ts';
import { ConnectionError } from '../../../channel/driver-errors.ts';

// Time after the deadline in which a driver may still return partial results.
const GRACE_MS = 1000;

/**
 * Waits for the work of a driver, which ends soon after the deadline; a driver that does not must not block its callers.
 *
 * @throws {ConnectionError} `DRIVER_OVERDUE` if the work continues after the deadline; errors of the work
 */
export async function withDeadline<T>(
  work: Promise<T>,
  deadline: AbortSignal,
  { clock, endpoint }: { readonly clock: Clock; readonly endpoint: string },
): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  let cancel: Cancel | undefined;
  const onDeadline = (): void => {
    cancel = clock.schedule(GRACE_MS, () => {
      const detail = `the driver of ${endpoint} did not finish the call in time; the outcome of a write is unknown`;
      reject(new ConnectionError({ code: 'DRIVER_OVERDUE', detail, mayBeDone: true }));
    });
  };
  deadline.addEventListener('abort', onDeadline, { once: true });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    deadline.removeEventListener('abort', onDeadline);
    cancel?.();
  }
}
