import { useEffect } from 'preact/hooks';
import type { Inputs } from 'preact/hooks';

/** Something that a page listens to. */
interface Listening {
  /** Begins, or goes on after a stop. */
  readonly start: () => void;
  readonly stop: () => void;
}

// A page that nobody sees needs nothing; the gateway keeps it.
const HIDDEN_MS = 10_000;

/**
 * Listens while a page is seen: it stops when the page was hidden for a while, and goes on when it is seen again.
 *
 * @param listening undefined: there is nothing to listen to now
 * @param inputs what it depends on; when one changes, it stops and begins anew
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
