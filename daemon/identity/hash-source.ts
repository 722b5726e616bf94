import type { QueueSource } from '../base/fair-queue.ts';
import { networkOf } from '../base/network-address.ts';
import { type AttemptOrigin, boundName } from './attempt-origin.ts';

// No network has an empty name, so that nobody who has yet to prove who they are shares these turns.
const PROVED = '';

/** The gateway's own passwords: those of its first administrator and of provision files. */
export const GATEWAY_ITSELF: QueueSource = [PROVED, ''];

/** On whose turn the password of an attempt is checked: that of its address, and there that of the name, known or not. */
export function sourceOfAttempt({ name, remoteAddress }: AttemptOrigin): QueueSource {
  return [networkOf(remoteAddress), boundName(name)];
}

/** On whose turn a new password is hashed for an identity that is proved. */
export function sourceOfIdentity({ name }: { readonly name: string }): QueueSource {
  return [PROVED, boundName(name)];
}
