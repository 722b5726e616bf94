import type { QueueSource } from '../../../base/sharing/fair-queue.ts';
import { networkOf } from '../../../base/network/network-address.ts';
import { boundName } from '../attempt/attempt-limiter.ts';
import type { AttemptOrigin } from '../attempt/attempt-limiter.ts';

// No network has an empty name, so unauthenticated clients never share these turns.
const PROVED = '';

/** Source for the gateway's own passwords: those of its initial administrator and of provision files. */
export const GATEWAY_ITSELF: QueueSource = [PROVED, ''];

/** Returns the source on whose turn the password of an attempt is checked: its address, and within it the name, known or not. */
export function sourceOfAttempt({ name, remoteAddress }: AttemptOrigin): QueueSource {
  return [networkOf(remoteAddress), boundName(name)];
}

/** Returns the source on whose turn a new password of an authenticated identity is hashed. */
export function sourceOfIdentity({ name }: { readonly name: string }): QueueSource {
  return [PROVED, boundName(name)];
}
