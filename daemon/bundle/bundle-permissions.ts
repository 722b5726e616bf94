import path from 'node:path';

import { BundleError } from './bundle-error.ts';

/** Rights of a bundle beyond computing, and reading and writing its own files. */
export interface BundlePermissions {
  /** May use the network. */
  readonly net: boolean;
  /** May start other programs; these have all the rights of the gateway's account. */
  readonly childProcess: boolean;
  /** Device files that it may open: absolute paths below `/dev`. */
  readonly devices: readonly string[];
}

const MAXIMUM_HEADER_LENGTH = 4096;
// No wildcard, no comma and no white space: the path becomes an argument of the permission model.
const DEVICE_PATH = /^\/dev\/[A-Za-z0-9._:+@/-]{1,200}$/;
// Not devices: shared memory, and descriptors of the process itself.
const NO_DEVICES = ['/dev/shm', '/dev/mqueue', '/dev/fd', '/dev/stdin', '/dev/stdout', '/dev/stderr'];

/**
 * Reads the header `Penstock-Permissions`: names separated by commas, `net`, `child-process` and `device=<path>`.
 *
 * @param header value in the manifest; empty: no permissions
 * @throws {BundleError} `BUNDLE_PERMISSIONS_INVALID` for any other name: the header is granted as a whole or not at all
 */
export function parsePermissions(header: string): BundlePermissions {
  if (header.length > MAXIMUM_HEADER_LENGTH) throw refusal('the header is too long');
  const clauses = header.trim() === '' ? [] : header.split(',').map((clause) => clause.trim());
  const devices: string[] = [];
  for (const clause of clauses) {
    if (clause === 'net' || clause === 'child-process') continue;
    if (!clause.startsWith('device=')) throw refusal(`"${clause}" is not a permission`);
    devices.push(parseDevice(clause.slice('device='.length)));
  }
  return { net: clauses.includes('net'), childProcess: clauses.includes('child-process'), devices };
}

function parseDevice(device: string): string {
  const isPlain =
    DEVICE_PATH.test(device) && path.posix.normalize(device) === device && !device.endsWith('/');
  const isDevice = !NO_DEVICES.some((other) => device === other || device.startsWith(`${other}/`));
  if (!isPlain || !isDevice) throw refusal(`"${device}" is not the path of a device`);
  return device;
}

function refusal(detail: string): BundleError {
  return new BundleError('BUNDLE_PERMISSIONS_INVALID', `Penstock-Permissions: ${detail}`);
}
