import type { NodeId, UserIdentityInfo } from 'node-opcua-client';
import { isNothingDone } from '../opcua-errors.ts';
import type { TransportSession } from '../transport/service-transport.ts';
import type { OpcuaModule } from './opcua-library.ts';
import type { SecureChannel } from '../transport/secure-channel.ts';

// Time for a server to confirm the end of a session; a frozen server must not delay it.
const GOODBYE_MS = 500;

/**
 * A session on the server. It outlives its connection and can be activated again on another one (OPC 10000-4, 5.7.3 and
 * 6.7).
 */
export class ServerSession {
  /** The session in the form needed for reactivation. */
  readonly ofTransport: TransportSession;
  readonly #identity: UserIdentityInfo;
  readonly #subscriptionIds = new Set<number>();
  /** Known subscriptions whose deletion the server did not confirm. */
  readonly #undeletedIds = new Set<number>();
  #pendingCreations = 0;
  /** CreateSubscription requests without a usable response: the server may have a subscription with an unknown id. */
  #lostCreations = 0;
  /** Publish requests without a response. The server may still hold them, and answer them into the void. */
  unansweredPublishes = 0;

  constructor(ofTransport: TransportSession, identity: UserIdentityInfo) {
    this.ofTransport = ofTransport;
    this.#identity = identity;
  }

  get authenticationToken(): NodeId {
    return this.ofTransport.authenticationToken;
  }

  /**
   * Time for which the server keeps the inactive session, in milliseconds, as revised by the server. Infinity if it
   * returned no number; the library handles values that are too small.
   */
  get timeoutMs(): number {
    const { timeout } = this.ofTransport;
    return Number.isNaN(timeout) ? Infinity : timeout;
  }

  /** Known subscriptions of the session on the server. */
  get subscriptionIds(): readonly number[] {
    return [...this.#subscriptionIds];
  }

  /**
   * True if the session can serve the user on another connection.
   *
   * False after the user certificate was renewed, and after a CreateSubscription without a usable response, unless its
   * subscription was found and deleted.
   */
  isUsableFor(identity: UserIdentityInfo): boolean {
    const unknown = this.#pendingCreations + this.#lostCreations;
    return unknown === 0 && isSameIdentity(this.#identity, identity);
  }

  /** Creates a subscription and stores its id. */
  async createSubscription<Response extends { readonly subscriptionId: number }>(
    create: () => Promise<Response>,
  ): Promise<Response> {
    this.#pendingCreations += 1;
    try {
      const response = await create();
      this.#subscriptionIds.add(response.subscriptionId);
      return response;
    } catch (error) {
      if (!isNothingDone(error)) this.#lostCreations += 1;
      throw error;
    } finally {
      this.#pendingCreations -= 1;
    }
  }

  /** True while a CreateSubscription request is pending. */
  get isCreating(): boolean {
    return this.#pendingCreations > 0;
  }

  /** True if the server may have subscriptions that are not in use. */
  get hasUnusedSubscriptions(): boolean {
    return this.#lostCreations + this.#undeletedIds.size > 0;
  }

  /** True if a subscription that sent a message is certainly not in use. */
  isUnused(id: number): boolean {
    if (this.#subscriptionIds.has(id)) return this.#undeletedIds.has(id);
    return this.#lostCreations > 0 && !this.isCreating;
  }

  /**
   * Records that the server no longer has a subscription.
   *
   * @param wasThere false if it did not have it before either
   */
  noteDeleted(id: number, wasThere: boolean): void {
    const isKnown = this.#subscriptionIds.delete(id);
    this.#undeletedIds.delete(id);
    if (!isKnown && wasThere) this.#lostCreations = Math.max(0, this.#lostCreations - 1);
  }

  /** Records that the server may still have subscriptions that were to be deleted. */
  noteUndeleted(ids: readonly number[]): void {
    for (const id of ids) if (this.#subscriptionIds.has(id)) this.#undeletedIds.add(id);
  }
}

// Name and password are settings: if they change, the driver is created again.
function isSameIdentity(previous: UserIdentityInfo, present: UserIdentityInfo): boolean {
  return certificateOf(previous)?.toString('base64') === certificateOf(present)?.toString('base64');
}

function certificateOf(identity: UserIdentityInfo): Buffer | undefined {
  return 'certificateData' in identity ? identity.certificateData : undefined;
}

/**
 * Closes a session with its subscriptions on the server. Never throws.
 *
 * @returns true if the server confirmed it
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
