import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { LiveValues } from './live-values.ts';

// A page that nobody sees needs no values.
const HIDDEN_MS = 10_000;

/** Returns the values of assets while a page shows them; a page that is hidden for a while stops listening. */
export function useLiveValues(assets: readonly string[]): LiveValues | undefined {
  const { rest, session } = useConsole();
  const [live, setLive] = useState<LiveValues | undefined>(undefined);
  const key = assets.join(',');
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  useEffect(() => {
    const opened = new LiveValues(rest);
    setLive(opened);
    return () => opened.close();
  }, [rest]);
  useEffect(() => {
    if (live === undefined || !isSignedIn) return undefined;
    void live.listen(key === '' ? [] : key.split(','));
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          isStopped = true;
          live.stop();
        }, HIDDEN_MS);
      } else if (isStopped) {
        isStopped = false;
        void live.resume();
      }
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
      live.stop();
    };
  }, [live, key, isSignedIn]);
  return live;
}
