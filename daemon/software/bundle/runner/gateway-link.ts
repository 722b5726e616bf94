import type { MessagePeer } from '../message/message-peer.ts';
import type { BundleCall, BundleCallParams, BundleNote, BundleNoteParams } from '../message/messages.ts';

// The gateway has its own, shorter deadlines; this one is for a gateway that no longer answers.
const DEADLINE_MS = 600_000;

/** Calls and notes from the bundle to the gateway. */
export interface GatewayLink {
  call<M extends BundleCall>(method: M, params: BundleCallParams<M>): Promise<unknown>;
  note<M extends BundleNote>(method: M, params: BundleNoteParams<M>): void;
}

/** Creates a link to the gateway over a message peer. */
export function createGatewayLink(peer: MessagePeer): GatewayLink {
  return {
    call: (method, params) => peer.call(method, params, { deadlineMs: DEADLINE_MS }),
    note: (method, params) => peer.note(method, params),
  };
}
