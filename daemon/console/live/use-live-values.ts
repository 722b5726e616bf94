import { useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { LiveValues } from './live-values.ts';
import { useWhileSeen } from './use-while-seen.ts';

/** Returns the values of assets while a page shows them; a page that is hidden for a while stops listening. */
export function useLiveValues(assets: readonly string[]): LiveValues {
  const { rest, session } = useConsole();
  const [live] = useState(() => new LiveValues(rest));
  const key = assets.join(',');
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const listening = {
    start: () => void live.listen(key === '' ? [] : key.split(',')),
    stop: () => live.stop(),
  };
  useWhileSeen(isSignedIn ? listening : undefined, [live, key, isSignedIn]);
  return live;
}
