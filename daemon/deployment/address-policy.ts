import { isIP } from 'node:net';

import { createBlockList, isListed, isMetadataAddress } from '../base/metadata-address.ts';

// Networks in which no package server is, besides the metadata services: link-local (RFC 3927, RFC 4291), "this network" (RFC 1122),
// multicast and broadcast.
const REFUSED = createBlockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::',
  'fe80::/10',
  'ff00::/8',
]);

/**
 * Returns whether a download may connect to an address. Private and loopback addresses are allowed: package servers run there.
 *
 * @param address resolved address, without brackets
 */
export function isAllowedAddress(address: string): boolean {
  return isIP(address) !== 0 && !isListed(REFUSED, address) && !isMetadataAddress(address);
}
