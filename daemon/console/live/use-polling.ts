import { useEffect } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import { RestFailure } from '../api/rest-failure.ts';

interface Polling {
  readonly rest: Rest;
  readonly isWanted: boolean;
  readonly everyMs: number;
  /** Asks once. */
  readonly refresh: (rest: Rest, abort: AbortSignal) => Promise<void>;
}

/** Asks at once, and again and again while the page is visible. What fails is shown by the state of the link, or asked again. */
export function usePolling({ rest, isWanted, everyMs, refresh }: Polling): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const abort = new AbortController();
    const ask = (): void => {
      refresh(rest, abort.signal).catch((error: unknown) => {
        if (!(error instanceof RestFailure) && !abort.signal.aborted) throw error;
      });
    };
    ask();
    const timer = setInterval(() => {
      if (!document.hidden) ask();
    }, everyMs);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [rest, isWanted, everyMs]);
}
