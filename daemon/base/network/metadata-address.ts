import { BlockList, isIP } from 'node:net';

// Addresses at which clouds and container platforms provide credentials and settings to the machine itself. Each is the
// same in every installation of its platform, so that these alone are refused and not their networks: devices without a
// configured address choose one out of 169.254.0.0/16 themselves (RFC 3927).
const METADATA = createBlockList([
  // AWS, Azure, Google Cloud, OpenStack, Oracle, DigitalOcean, Hetzner.
  '169.254.169.254',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
  // Credentials of containers in AWS (ECS, EKS).
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::23',
  // Azure: settings of the machine, with its certificates.
  '168.63.129.16',
  // Alibaba Cloud, Tencent Cloud, Oracle Cloud Classic.
  '100.100.100.200',
  '169.254.0.23',
  '192.0.0.192',
]);

// Forms of IPv6 that hold an address of IPv4 in their last 32 bits: compatible (RFC 4291, 2.5.5.1), translated (RFC 2765) and
// NAT64 (RFC 6052). The mapped form is known to `BlockList`.
const EMBEDDING = new BlockList();
EMBEDDING.addSubnet('::', 96, 'ipv6');
EMBEDDING.addSubnet('::ffff:0:0:0', 96, 'ipv6');
EMBEDDING.addSubnet('64:ff9b::', 96, 'ipv6');

/** Creates a list of addresses, and of networks in CIDR notation. */
export function createBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/**
 * Returns true if a list contains an address in any notation: IPv4 in IPv6 counts as IPv4, and a zone is ignored.
 *
 * @param address without brackets; the result is false for invalid ones
 */
export function isListed(list: BlockList, address: string): boolean {
  const plain = address.split('%', 1)[0] ?? '';
  const version = isIP(plain);
  if (version === 0) return false;
  if (version === 4) return list.check(plain, 'ipv4');
  if (list.check(plain, 'ipv6')) return true;
  if (!EMBEDDING.check(plain, 'ipv6')) return false;
  const embedded = readEmbedded(plain);
  // `::1` and the like hold none.
  return !embedded.startsWith('0.') && list.check(embedded, 'ipv4');
}

/** Returns the last 32 bits of an IPv6 address as an IPv4 address. */
function readEmbedded(address: string): string {
  // The parser of URLs writes every form in hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** Returns true for the address of a cloud metadata service; a gateway has no device there. */
export function isMetadataAddress(address: string): boolean {
  return isListed(METADATA, address);
}
