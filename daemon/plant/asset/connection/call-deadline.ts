import type { Clock } from '../../../base/clock.ts';
import { deadlineExceeded } from './deadline-exceeded.ts';
import type { ConfiguredConnection } from '../asset-registry.ts';

/**
 * Runs `work` outside the driver's link, until the call deadline or until the connection closes.
 *
 * @param work ends soon after its signal aborts
 * @throws errors of `work`; {ConnectionError} `DEADLINE_EXCEEDED` after the deadline
 */
export async function runWithCallDeadline<T>(
  { config, connection }: ConfiguredConnection,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { callDeadlineMs } = config;
  const deadline = new AbortController();
  const cancel = clock.schedule(callDeadlineMs, () => {
    deadline.abort(deadlineExceeded(callDeadlineMs));
  });
  try {
    return await work(AbortSignal.any([deadline.signal, connection.closing]));
  } finally {
    cancel();
  }
}
