import type { Clock } from '../../../base/clock.ts';
import { ConnectionError } from '../../../channel/driver-errors.ts';
import type { ConfiguredConnection } from '../asset-registry.ts';

/**
 * Has a driver do something beside its link, whatever the state of that, in the time of a call.
 *
 * @param work ends soon after its signal
 * @throws what `work` throws; {ConnectionError} `DEADLINE_EXCEEDED` when the time is over
 */
export async function runWithCallDeadline<T>(
  { config, connection }: ConfiguredConnection,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { callDeadlineMs } = config;
  const deadline = new AbortController();
  const cancel = clock.schedule(callDeadlineMs, () => {
    const detail = `no response within ${callDeadlineMs} ms`;
    deadline.abort(new ConnectionError({ code: 'DEADLINE_EXCEEDED', detail }));
  });
  try {
    return await work(AbortSignal.any([deadline.signal, connection.closing]));
  } finally {
    cancel();
  }
}
