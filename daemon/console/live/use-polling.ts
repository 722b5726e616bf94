import { useEffect } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import { RestFailure } from '../api/rest-failure.ts';
import { isStillPending } from '../api/still-pending.ts';

interface Polling {
  readonly rest: Rest;
  readonly isWanted: boolean;
  readonly everyMs: number;
  /** Sends one request. */
  readonly refresh: (rest: Rest, abort: AbortSignal) => Promise<void>;
}

/** Polls while the page is visible, starting at once. Failures are retried; the link state shows them. */
export function usePolling({ rest, isWanted, everyMs, refresh }: Polling): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const abort = new AbortController();
    let pendingSinceMs: number | undefined;
    const ask = (): void => {
      const sinceMs = performance.now();
      pendingSinceMs = sinceMs;
      refresh(rest, abort.signal)
        .catch((error: unknown) => {
          if (!(error instanceof RestFailure) && !abort.signal.aborted) throw error;
        })
        .finally(() => {
          if (pendingSinceMs === sinceMs) pendingSinceMs = undefined;
        });
    };
    ask();
    const timer = setInterval(() => {
      if (!document.hidden && !isStillPending(pendingSinceMs)) ask();
    }, everyMs);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [rest, isWanted, everyMs]);
}
