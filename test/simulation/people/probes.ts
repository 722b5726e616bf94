import { GRANTED_PATHS } from './held-grants.ts';

/** A request that changes nothing, to see whether somebody is let in. */
export interface Probe {
  readonly path: string;
  /** Undefined: any identity. */
  readonly permission: string | undefined;
}

export const CURRENT_IDENTITY = '/services/session/v1/currentIdentity';

export const PROBES: readonly Probe[] = [
  ...Object.keys(GRANTED_PATHS).map((path) => ({ path, permission: 'rest.assets.read' })),
  { path: '/services/identity/v1/definedPermissions', permission: 'rest.identity' },
  { path: '/services/deploy/v2', permission: 'rest.deploy' },
  { path: CURRENT_IDENTITY, permission: undefined },
];

/** Permissions that are given and taken. */
export const GIVEN_PERMISSIONS: readonly string[] = [
  'rest.assets.read',
  'rest.assets',
  'rest.deploy',
  'rest.events',
  'rest.configuration',
];
