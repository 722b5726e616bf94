import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Says where a request comes from. */
export type ForwardedAddress = (request: IncomingMessage) => string;

/**
 * Returns a rule that says whether an address is that of a trusted proxy.
 *
 * @param trustedProxies addresses and networks in CIDR notation
 */
export function createProxyTrust(trustedProxies: readonly string[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = unmapped(address);
    const family = isIP(plain);
    return family !== 0 && trusted.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/**
 * Returns the rule that tells the address of a client behind proxies.
 *
 * X-Forwarded-For counts only where the peer is a trusted proxy; read from its end, the first address that is no
 * trusted proxy is the client.
 */
export function createForwardedAddress(isTrusted: (address: string) => boolean): ForwardedAddress {
  return ({ socket, headers }) => {
    const peer = unmapped(socket.remoteAddress ?? '');
    if (!isTrusted(peer)) return peer;
    const hops = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    let client = peer;
    for (const hop of hops.map((text) => unmapped(text.trim())).toReversed()) {
      if (isIP(hop) === 0) break;
      client = hop;
      if (!isTrusted(hop)) break;
    }
    return client;
  };
}

// An IPv4 peer of a listener on `::` shows as ::ffff:192.0.2.7.
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
