import { useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { GatewayEvents } from './gateway-events.ts';
import { useWhileSeen } from './use-while-seen.ts';

/** Returns the events of the gateway while a page shows them; a page that is hidden for a while stops listening. */
export function useGatewayEvents(): GatewayEvents {
  const { rest, session } = useConsole();
  const [events] = useState(() => new GatewayEvents(rest));
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const listening = { start: () => void events.listen(), stop: () => events.stop() };
  useWhileSeen(isSignedIn ? listening : undefined, [events, isSignedIn]);
  return events;
}
