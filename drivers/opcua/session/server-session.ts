import type { NodeId, UserIdentityInfo } from 'node-opcua-client';
import { isNothingDone } from '../opcua-errors.ts';
import type { TransportSession } from '../transport/service-transport.ts';
import type { OpcuaModule } from './opcua-library.ts';
import type { SecureChannel } from '../transport/secure-channel.ts';

// How long a server may take to hear of the end of a session; one that is frozen must not hold up the end.
const GOODBYE_MS = 500;

/**
 * A session as the server has it. It outlives the connection over which it was created, and can be activated again on
 * another one (OPC 10000-4, 5.7.3 and 6.7).
 */
export class ServerSession {
  /** The session as it is activated again. */
  readonly ofTransport: TransportSession;
  readonly #identity: UserIdentityInfo;
  readonly #subscriptionIds = new Set<number>();
  #unansweredCreations = 0;

  constructor(ofTransport: TransportSession, identity: UserIdentityInfo) {
    this.ofTransport = ofTransport;
    this.#identity = identity;
  }

  get authenticationToken(): NodeId {
    return this.ofTransport.authenticationToken;
  }

  /**
   * How long the server keeps the session without messages, in milliseconds: what it gave, not what was asked for. Infinity when
   * it gave no number; the library takes care of those that are too small.
   */
  get timeoutMs(): number {
    const { timeout } = this.ofTransport;
    return Number.isNaN(timeout) ? Infinity : timeout;
  }

  /** Subscriptions that the server is known to have for the session. */
  get subscriptionIds(): readonly number[] {
    return [...this.#subscriptionIds];
  }

  /**
   * Whether the session serves the user on another connection.
   *
   * It does not when the certificate of the user was renewed, nor when a subscription was asked for and no answer came:
   * the server may have one that cannot be named, and that takes Publish requests as long as the session lives.
   */
  isUsableFor(identity: UserIdentityInfo): boolean {
    return this.#unansweredCreations === 0 && isSameIdentity(this.#identity, identity);
  }

  /** Asks for a subscription, and keeps its number. */
  async createSubscription<Response extends { readonly subscriptionId: number }>(
    create: () => Promise<Response>,
  ): Promise<Response> {
    this.#unansweredCreations += 1;
    try {
      const response = await create();
      this.#unansweredCreations -= 1;
      this.#subscriptionIds.add(response.subscriptionId);
      return response;
    } catch (error) {
      if (isNothingDone(error)) this.#unansweredCreations -= 1;
      throw error;
    }
  }

  /** Records that the server no longer has some subscriptions. */
  forgetSubscriptions(ids: readonly number[]): void {
    for (const id of ids) this.#subscriptionIds.delete(id);
  }
}

// Name and password are settings: where they change, the driver is created again.
function isSameIdentity(previous: UserIdentityInfo, present: UserIdentityInfo): boolean {
  return certificateOf(previous)?.toString('base64') === certificateOf(present)?.toString('base64');
}

function certificateOf(identity: UserIdentityInfo): Buffer | undefined {
  return 'certificateData' in identity ? identity.certificateData : undefined;
}

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
