import type { RequestContext } from '../http/request-context.ts';
import type { Principal } from '../identity/identity.ts';

/** Returns who sent a request to an endpoint that is not for anybody. */
export function callerOf({ principal }: Pick<RequestContext, 'principal'>): Principal {
  if (principal !== undefined) return principal;
  throw new Error('an endpoint with a permission was called without an identity');
}
