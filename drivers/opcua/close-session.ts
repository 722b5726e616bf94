import type { OpcuaModule } from './opcua-library.ts';
import type { SecureChannel } from './secure-channel.ts';
import type { ServerSession } from './server-session.ts';

// How long a server may take to hear of the end of a session; one that is frozen must not hold up the end.
const GOODBYE_MS = 500;

/**
 * Has the server end a session with its subscriptions. Never throws.
 *
 * @returns whether the server confirmed it
 */
export async function closeSession(
  channel: SecureChannel,
  { authenticationToken }: ServerSession,
  { CloseSessionRequest, CloseSessionResponse }: OpcuaModule,
): Promise<boolean> {
  const request = new CloseSessionRequest({ deleteSubscriptions: true });
  request.requestHeader.authenticationToken = authenticationToken;
  try {
    await channel.call(request, CloseSessionResponse, { service: 'CloseSession', timeoutMs: GOODBYE_MS });
    return true;
  } catch {
    return false;
  }
}
