import type { IncomingMessage } from 'node:http';

import { parseForwarded, readNodeAddress } from './forwarded-elements.ts';
import { peerAddressOf } from './trusted-proxies.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Returns the address of a client, also behind proxies.
 *
 * `X-Forwarded-For`, else `for` of `Forwarded` (RFC 7239), counts only where the peer is a trusted proxy; read from its end, the
 * first address that is no trusted proxy is the client. What is no address ends the way at the last one that is.
 */
export function findForwardedAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  const peer = peerAddressOf(request);
  if (!trusted.has(peer)) return peer;
  let client = peer;
  for (const hop of listHops(request).toReversed()) {
    const address = readNodeAddress(hop);
    if (address === undefined) break;
    client = address;
    if (!trusted.has(address)) break;
  }
  return client;
}

/** Lists whom the proxies have received the request from, the client first. */
function listHops({ headers }: IncomingMessage): readonly string[] {
  const addresses = [headers['x-forwarded-for'] ?? []].flat().join(',');
  if (addresses !== '') return addresses.split(',').map((text) => text.trim());
  return parseForwarded(headers.forwarded ?? '').map((element) => element.get('for') ?? 'unknown');
}
