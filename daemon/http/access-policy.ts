import type { Principal } from '../identity/identity.ts';
import { isPermitted } from '../identity/permission.ts';
import type { Access } from './endpoint.ts';

const PERMISSION = /^rest\../;

/**
 * Returns whether a principal may use an endpoint with this access.
 *
 * An access that is neither a keyword nor a permission is a defect of the route: no principal passes, not even an
 * administrator.
 *
 * @param principal undefined: the request proved no identity
 */
export function mayUse(principal: Principal | undefined, access: Access): boolean {
  if (access === 'ANYBODY') return true;
  if (principal === undefined) return false;
  if (access === 'ANY_IDENTITY') return true;
  return PERMISSION.test(access) && isPermitted(principal.identity, access);
}
