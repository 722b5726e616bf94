import { BlockList, isIP } from 'node:net';

// Addresses that no package server has: link-local, where cloud metadata services hand out credentials (RFC 3927, RFC 4291),
// "this network" (RFC 1122), multicast and broadcast.
const REFUSED = new BlockList();
REFUSED.addSubnet('0.0.0.0', 8, 'ipv4');
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addSubnet('224.0.0.0', 3, 'ipv4');
REFUSED.addAddress('::', 'ipv6');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
REFUSED.addSubnet('ff00::', 8, 'ipv6');
// Metadata service of AWS over IPv6, which is not link-local.
REFUSED.addAddress('fd00:ec2::254', 'ipv6');

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns whether a download may connect to an address. Private and loopback addresses are allowed: package servers run there.
 *
 * @param address resolved address, without brackets
 */
export function isAllowedAddress(address: string): boolean {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  const version = isIP(plain);
  if (version === 0) return false;
  return !REFUSED.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}
