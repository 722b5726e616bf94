import type { Cancel, Clock } from '../base/clock.ts';
import { HttpRefusal } from './problem.ts';

/** Time in which an upload has to progress by `MINIMUM_BYTES`; 1 KiB/s is less than any line of a plant has. */
export const PACE_WINDOW_MS = 15_000;
/** Bytes of the file that have to arrive in each window. */
const MINIMUM_BYTES = 15_360;
/** The longest time that an upload may take. */
const UPLOAD_LIMIT_MS = 3_600_000;

interface PacedUpload {
  /** Bytes of the file that have arrived so far. */
  readonly receivedBytes: () => number;
  /** Returns whether the client has nothing to do at present: bytes of it wait for the gateway, or all have arrived. */
  readonly isGatewayBusy: () => boolean;
}

/**
 * Watches that an upload arrives fast enough.
 *
 * @param onTooSlow called at most once, with the refusal: 408 `UPLOAD_TOO_SLOW`
 * @returns ends the watch
 */
export function watchPace(
  upload: PacedUpload,
  clock: Clock,
  onTooSlow: (error: HttpRefusal) => void,
): Cancel {
  const startedAtMs = clock.monotonicMs();
  let before = 0;
  let cancel = clock.schedule(PACE_WINDOW_MS, check);
  return () => cancel();

  function check(): void {
    const received = upload.receivedBytes();
    const isSlow = received - before < MINIMUM_BYTES && !upload.isGatewayBusy();
    if (isSlow || clock.monotonicMs() - startedAtMs >= UPLOAD_LIMIT_MS) {
      onTooSlow(createRefusal());
      return;
    }
    before = received;
    cancel = clock.schedule(PACE_WINDOW_MS, check);
  }
}

function createRefusal(): HttpRefusal {
  const detail = `the upload is too slow: expected ${MINIMUM_BYTES / 1024} KiB in ${PACE_WINDOW_MS / 1000} s, and all of it in ${UPLOAD_LIMIT_MS / 60_000} min`;
  // The rest is not read, so the connection cannot be reused.
  return new HttpRefusal({ status: 408, code: 'UPLOAD_TOO_SLOW', detail, headers: { Connection: 'close' } });
}
