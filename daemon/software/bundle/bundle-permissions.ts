import path from 'node:path';

import { BundleError } from './bundle-error.ts';

/** Permissions of a bundle beyond computing and access to its own files. */
export interface BundlePermissions {
  /** May use the network. */
  readonly net: boolean;
  /** May start other programs, which have all rights of the gateway's account. */
  readonly childProcess: boolean;
  /** May register authentication providers. */
  readonly authentication: boolean;
  /** Its authentication providers may see header fields that carry credentials. */
  readonly credentials: boolean;
  /** Its authentication providers may name any identity, not only those whose permissions are limited to assets. */
  readonly anyIdentity: boolean;
  /** Device files that it may open: absolute paths below `/dev`. */
  readonly devices: readonly string[];
}

/** Manifest headers that request permissions, unparsed. */
export interface PermissionHeaders {
  /** Header `Penstock-Permissions`; empty: none. */
  readonly permissions: string;
  /** Header `Penstock-Identities`; absent: identities with permissions for assets only. */
  readonly identities?: string | undefined;
}

const MAXIMUM_HEADER_LENGTH = 4096;
// Widest effect first, so that a truncated list still shows these names.
const NAMES = ['child-process', 'credentials', 'authentication', 'net'];
/** Value of `Penstock-Identities` for a bundle whose authentication providers may name any identity. */
const ANY_IDENTITY = 'any';
// No wildcard, no comma and no white space: the path becomes an argument of the permission model.
const DEVICE_PATH = /^\/dev\/[A-Za-z0-9._:+@/-]{1,200}$/;
// Not devices: shared memory, and descriptors of the process itself.
const NO_DEVICES = ['/dev/shm', '/dev/mqueue', '/dev/fd', '/dev/stdin', '/dev/stdout', '/dev/stderr'];

/**
 * Reads the headers `Penstock-Permissions` (names separated by commas: `net`, `device=<path>`, `child-process`,
 * `authentication`, `credentials`) and `Penstock-Identities` (`any`).
 *
 * @throws {BundleError} `BUNDLE_PERMISSIONS_INVALID` for anything else: a header is granted as a whole or not at all
 */
export function parsePermissions({ permissions, identities }: PermissionHeaders): BundlePermissions {
  if (permissions.length > MAXIMUM_HEADER_LENGTH) {
    throw refusal('Penstock-Permissions', 'the header is too long');
  }
  const clauses = splitClauses(permissions);
  const devices = clauses.filter((clause) => !NAMES.includes(clause)).map(parseDevice);
  if (identities !== undefined && identities !== ANY_IDENTITY) {
    throw refusal('Penstock-Identities', `"${identities.slice(0, 100)}" is not "${ANY_IDENTITY}"`);
  }
  return {
    net: clauses.includes('net'),
    childProcess: clauses.includes('child-process'),
    authentication: clauses.includes('authentication'),
    credentials: clauses.includes('credentials'),
    anyIdentity: identities === ANY_IDENTITY,
    devices,
  };
}

/**
 * Lists the permissions that a header requests, for display: first the names, widest effect first, then the devices.
 */
export function listPermissions(header: string): readonly string[] {
  const clauses = new Set(splitClauses(header));
  const names = NAMES.filter((name) => clauses.has(name));
  return [...names, ...[...clauses].filter((clause) => !NAMES.includes(clause))];
}

function splitClauses(header: string): readonly string[] {
  return header.trim() === '' ? [] : header.split(',').map((clause) => clause.trim());
}

function parseDevice(clause: string): string {
  const device = clause.startsWith('device=') ? clause.slice('device='.length) : undefined;
  if (device === undefined) throw refusal('Penstock-Permissions', `"${clause}" is not a permission`);
  const isPlain =
    DEVICE_PATH.test(device) && path.posix.normalize(device) === device && !device.endsWith('/');
  const isDevice = !NO_DEVICES.some((other) => device === other || device.startsWith(`${other}/`));
  if (!isPlain || !isDevice) {
    throw refusal('Penstock-Permissions', `"${device}" is not the path of a device`);
  }
  return device;
}

function refusal(header: string, detail: string): BundleError {
  return new BundleError('BUNDLE_PERMISSIONS_INVALID', `${header}: ${detail}`);
}
