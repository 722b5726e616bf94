import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The proxies that are trusted to name the origin of a request. */
export interface TrustedProxies {
  /** Returns whether an address, in the form of {@link peerAddressOf}, is one of them. */
  has(address: string): boolean;
  /** Returns whether the peer of the connection is one of them. */
  sent(request: IncomingMessage): boolean;
}

/**
 * Creates the list of trusted proxies.
 *
 * @param proxies addresses and networks in CIDR notation
 */
export function createTrustedProxies(proxies: readonly string[]): TrustedProxies {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  const has = (address: string): boolean =>
    proxies.length > 0 &&
    isIP(address) !== 0 &&
    trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return { has, sent: (request) => has(peerAddressOf(request)) };
}

/** Returns the address of the peer of the connection; empty when there is none. */
export function peerAddressOf({ socket }: IncomingMessage): string {
  return unmapped(socket.remoteAddress ?? '');
}

/** Returns an IPv4-mapped address as IPv4: a listener on `::` shows a peer as ::ffff:192.0.2.7. */
export function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
