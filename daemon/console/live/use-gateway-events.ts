import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { GatewayEvents } from './gateway-events.ts';

// A page that nobody sees needs no events; the gateway keeps them.
const HIDDEN_MS = 10_000;

/** Returns the events of the gateway while a page shows them; a page that is hidden for a while stops listening. */
export function useGatewayEvents(): GatewayEvents {
  const { rest, session } = useConsole();
  const [events] = useState(() => new GatewayEvents(rest));
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  useEffect(() => {
    if (!isSignedIn) return undefined;
    void events.listen();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          isStopped = true;
          events.stop();
        }, HIDDEN_MS);
      } else if (isStopped) {
        isStopped = false;
        void events.listen();
      }
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
      events.stop();
    };
  }, [events, isSignedIn]);
  return events;
}
