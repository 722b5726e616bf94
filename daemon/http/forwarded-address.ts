import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { peerAddressOf, unmapped } from './trusted-proxies.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Returns the address of a client, also behind proxies.
 *
 * X-Forwarded-For counts only where the peer is a trusted proxy; read from its end, the first address that is no
 * trusted proxy is the client.
 */
export function findForwardedAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  const peer = peerAddressOf(request);
  if (!trusted.has(peer)) return peer;
  const hops = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  let client = peer;
  for (const hop of hops.map((text) => unmapped(text.trim())).toReversed()) {
    if (isIP(hop) === 0) break;
    client = hop;
    if (!trusted.has(hop)) break;
  }
  return client;
}
