import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { LiveValues } from './live-values.ts';
import { useWhileSeen } from './use-while-seen.ts';

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
  const listening =
    live === undefined
      ? undefined
      : { start: () => void live.listen(key === '' ? [] : key.split(',')), stop: () => live.stop() };
  useWhileSeen(isSignedIn ? listening : undefined, [live, key, isSignedIn]);
  return live;
}
