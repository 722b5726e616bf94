import { GatewayError } from '../../base/errors.ts';
import { readDaemonStatus } from '../../base/process/daemon-status-file.ts';

/** A requested reload had no effect. */
class ReloadError extends GatewayError {}

const MAXIMUM_WAIT_MS = 60_000;
const LOOK_INTERVAL_MS = 100;

/**
 * Requests a reload of the daemon, and waits for its outcome.
 *
 * @throws {ReloadError} `RELOAD_FAILED` with the reason of the daemon, which continues as before; `RELOAD_UNANSWERED` if the
 *   process does not exist or does not respond within a minute
 * @param pause keeps this process alive while it lasts
 */
export async function requestReload(
  processId: number,
  dataDirectory: string,
  pause: (durationMs: number) => Promise<void>,
): Promise<void> {
  const before = await readDaemonStatus(dataDirectory);
  try {
    process.kill(processId, 'SIGHUP');
  } catch (cause) {
    throw new ReloadError({ code: 'RELOAD_UNANSWERED', detail: `no process ${processId}`, cause });
  }
  for (let waitedMs = 0; waitedMs < MAXIMUM_WAIT_MS; waitedMs += LOOK_INTERVAL_MS) {
    await pause(LOOK_INTERVAL_MS);
    const status = await readDaemonStatus(dataDirectory);
    if (status === undefined || status.timeMs === before?.timeMs) continue;
    if (status.state === 'RELOADED') return;
    if (status.state === 'RELOAD_FAILED') {
      const detail = `the previous configuration stays active: ${status.reason ?? ''}`;
      throw new ReloadError({ code: 'RELOAD_FAILED', detail });
    }
  }
  throw new ReloadError({ code: 'RELOAD_UNANSWERED', detail: `process ${processId} does not respond` });
}
