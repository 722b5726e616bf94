import type { MessagePeer } from '../message-peer.ts';
import type { BundleCall, BundleCallParams, BundleNote, BundleNoteParams } from '../messages.ts';

// The gateway ends calls by deadlines of its own; this one is for a gateway that is gone.
const DEADLINE_MS = 600_000;

/** The gateway as the bundle's side sees it. */
export interface GatewayLink {
  call<M extends BundleCall>(method: M, params: BundleCallParams<M>): Promise<unknown>;
  note<M extends BundleNote>(method: M, params: BundleNoteParams<M>): void;
}

export function createGatewayLink(peer: MessagePeer): GatewayLink {
  return {
    call: (method, params) => peer.call(method, params, { deadlineMs: DEADLINE_MS }),
    note: (method, params) => peer.note(method, params),
  };
}
