import type { Principal } from '../../security/identity/identity.ts';
import { isPartlyPermitted, isPermitted } from '../../security/identity/permission.ts';
import type { Access } from '../../interface/endpoint.ts';

const PERMISSION = /^rest\../;

/**
 * True if a principal may use an endpoint with this access. An endpoint for assets is open to every principal with a grant on
 * some of them; its operation checks each asset and channel.
 *
 * An access that is neither a keyword nor a permission is a defect of the route: no principal passes, not even an
 * administrator.
 *
 * @param principal undefined: the request proved no identity
 */
export function mayUse(principal: Principal | undefined, access: Access): boolean {
  if (access === 'PUBLIC') return true;
  if (principal === undefined) return false;
  if (access === 'ANY_IDENTITY') return true;
  if (!PERMISSION.test(access)) return false;
  const { identity } = principal;
  return isPermitted(identity, access) || isPartlyPermitted(identity, access);
}
