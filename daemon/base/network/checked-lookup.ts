import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

import { isMetadataAddress } from './metadata-address.ts';

/** Decides about the addresses of a connection. */
interface AddressRule {
  readonly isAllowed: (address: string) => boolean;
  /** Creates the error for a name without an allowed address. */
  readonly createError: (hostname: string) => Error;
}

/**
 * Creates the name lookup of a connection. The socket connects to the addresses that it returns, so that no second lookup
 * can return others. A socket calls it for everything except an address in its usual form, including `0xa9fea9fe`.
 */
export function createCheckedLookup({ isAllowed, createError }: AddressRule): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        done(error, '');
        return;
      }
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) done(createError(hostname), '');
      else if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** The name lookup for connections to devices: never returns the address of a metadata service. */
export const lookupDevice = createCheckedLookup({
  isAllowed: (address) => !isMetadataAddress(address),
  createError: createRefusal,
});

/** Returns the error for a host that is the address of a metadata service, which bypasses the lookup; undefined for any other host. */
export function findRefusedHost(host: string): Error | undefined {
  return isMetadataAddress(host) ? createRefusal(host) : undefined;
}

function createRefusal(host: string): Error {
  const text = `${host} is a cloud metadata service, which drivers must not contact`;
  return Object.assign(new Error(text), { code: 'ADDRESS_REFUSED' });
}
