import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the range of addresses that one party is expected to control: an IPv4 address, or the /64 of an IPv6 address, from which a single
 * host may pick any (RFC 4291, 2.5.4; RFC 8981).
 *
 * @param address as a socket reports it; IPv4 in IPv6 (`::ffff:192.0.2.1`) counts as IPv4
 * @returns text without white space, equal for all addresses of one network
 */
export function networkOf(address: string): string {
  const plain = (address.split('%', 1)[0] ?? '').toLowerCase();
  // Most are, and looking for IPv6 takes longer.
  if (isIPv4(plain)) return plain;
  const embedded = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (embedded !== undefined && isIPv4(embedded)) return embedded;
  if (!isIPv6(plain)) return 'unknown';
  const [head = '', tail] = plain.split('::', 2);
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted part at the end replaces two groups; it follows the first 64 bits and is only counted.
  const written = leading.length + trailing.length + (plain.includes('.') ? 1 : 0);
  const gap = Array.from({ length: Math.max(0, 8 - written) }, () => '0');
  const groups = [...leading, ...gap, ...trailing].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
