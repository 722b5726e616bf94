import path from 'node:path';

import { BundleError } from './bundle-error.ts';

/** What a bundle may do beyond computing, and reading and writing its own files. */
export interface BundlePermissions {
  /** Talk to the network. */
  readonly net: boolean;
  /** Start other programs; these have all the rights of the gateway's own account. */
  readonly childProcess: boolean;
  /** Device files that it may open, as absolute paths below `/dev`. */
  readonly devices: readonly string[];
}

const MAXIMUM_HEADER_LENGTH = 4096;
// No wildcard, no comma and no white space: the path becomes an argument of the permission model.
const DEVICE_PATH = /^\/dev\/[A-Za-z0-9._:+@/-]{1,200}$/;
// What lies there is no device: memory that programs share, descriptors of the process itself.
const NO_DEVICES = ['/dev/shm', '/dev/mqueue', '/dev/fd', '/dev/stdin', '/dev/stdout', '/dev/stderr'];

/**
 * Reads the header `Penstock-Permissions`: names separated by commas, `net`, `child-process` and `device=<path>`.
 *
 * @param header as it stands in the manifest; empty: nothing is granted
 * @throws {BundleError} `BUNDLE_PERMISSIONS_INVALID` for anything else: what is not understood is not granted in part
 */
export function parsePermissions(header: string): BundlePermissions {
  if (header.length > MAXIMUM_HEADER_LENGTH) throw refusal('the header is too long');
  const clauses = header.trim() === '' ? [] : header.split(',').map((clause) => clause.trim());
  const devices: string[] = [];
  for (const clause of clauses) {
    if (clause === 'net' || clause === 'child-process') continue;
    if (!clause.startsWith('device=')) throw refusal(`"${clause}" is no permission`);
    devices.push(parseDevice(clause.slice('device='.length)));
  }
  return { net: clauses.includes('net'), childProcess: clauses.includes('child-process'), devices };
}

function parseDevice(device: string): string {
  const isPlain =
    DEVICE_PATH.test(device) && path.posix.normalize(device) === device && !device.endsWith('/');
  const isDevice = !NO_DEVICES.some((other) => device === other || device.startsWith(`${other}/`));
  if (!isPlain || !isDevice) throw refusal(`"${device}" is no path of a device`);
  return device;
}

function refusal(detail: string): BundleError {
  return new BundleError('BUNDLE_PERMISSIONS_INVALID', `Penstock-Permissions: ${detail}`);
}
