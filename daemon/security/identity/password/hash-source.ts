import type { QueueSource } from '../../../base/sharing/fair-queue.ts';
import { networkOf } from '../../../base/network/network-address.ts';
import { boundName } from '../attempt/attempt-limiter.ts';
import type { AttemptOrigin } from '../attempt/attempt-limiter.ts';

// No network has an empty name, so unauthenticated clients never share these queues.
const PROVED = '';

/** Queue of the gateway's own passwords: initial administrator and provision files. */
export const GATEWAY_ITSELF: QueueSource = [PROVED, ''];

/** Returns the queue of a login attempt: its address, and within it the name, existing or not. */
export function sourceOfAttempt({ name, remoteAddress }: AttemptOrigin): QueueSource {
  return [networkOf(remoteAddress), boundName(name)];
}

/** Returns the queue of new passwords of an authenticated identity. */
export function sourceOfIdentity({ name }: { readonly name: string }): QueueSource {
  return [PROVED, boundName(name)];
}
