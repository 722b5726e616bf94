import { useEffect } from 'preact/hooks';
import type { Inputs } from 'preact/hooks';

/** Subscription of a page. */
interface Listening {
  /** Starts, or resumes after a stop. */
  readonly start: () => void;
  readonly stop: () => void;
}

// A hidden page needs no data; the gateway stores it.
const HIDDEN_MS = 10_000;

/**
 * Listens while a page is visible: stops when it has been hidden for a while, resumes when it is visible again.
 *
 * @param listening undefined: nothing to listen to
 * @param inputs dependencies; a change restarts it
 */
export function useWhileSeen(listening: Listening | undefined, inputs: Inputs): void {
  useEffect(() => {
    if (listening === undefined) return undefined;
    const { start, stop } = listening;
    start();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          isStopped = true;
          stop();
        }, HIDDEN_MS);
      } else if (isStopped) {
        isStopped = false;
        start();
      }
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
      stop();
    };
  }, inputs);
}
