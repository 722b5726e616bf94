import type { MessagePeer } from '../message/message-peer.ts';
import type {
  BundleCall,
  BundleCallParams,
  BundleNotification,
  BundleNotificationParams,
} from '../message/messages.ts';

// The gateway has its own, shorter deadlines; this one applies if the gateway no longer responds.
const DEADLINE_MS = 600_000;

/** Calls and notifications from the bundle to the gateway. */
export interface GatewayLink {
  /** @param signal cancels the call */
  call<M extends BundleCall>(method: M, params: BundleCallParams<M>, signal?: AbortSignal): Promise<unknown>;
  notify<M extends BundleNotification>(method: M, params: BundleNotificationParams<M>): void;
}

/** Creates a link to the gateway over a message peer. */
export function createGatewayLink(peer: MessagePeer): GatewayLink {
  return {
    call: (method, params, signal) => peer.call(method, params, { deadlineMs: DEADLINE_MS, signal }),
    notify: (method, params) => peer.notify(method, params),
  };
}
