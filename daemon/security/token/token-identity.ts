import { NotPermitted } from '../../base/errors.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import { isOlderThan, isRevoked } from './claims.ts';
import type { Claims } from './claims.ts';
import { TokenRefused } from './token-error.ts';

/**
 * Returns the current identity of a verified token.
 *
 * @throws {TokenRefused} `TOKEN_IDENTITY_UNKNOWN`, or `TOKEN_OLDER_THAN_IDENTITY` if the token was, or may have been, issued
 *   to an earlier identity of the same name, or `TOKEN_REVOKED`
 * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED`
 */
export function getIdentityOf(
  claims: Pick<Claims, 'sub' | 'issuedByMs' | 'generation' | 'isOwn'>,
  identities: Pick<IdentityStore, 'find'>,
): Identity {
  const identity = identities.find(claims.sub);
  if (identity === undefined) {
    throw new TokenRefused('TOKEN_IDENTITY_UNKNOWN', 'the identity of the token does not exist', 'sub');
  }
  if (isOlderThan(claims, identity)) {
    const detail =
      claims.issuedByMs === undefined
        ? 'the token has no issue time and may belong to an earlier identity'
        : 'the token is older than its identity';
    throw new TokenRefused('TOKEN_OLDER_THAN_IDENTITY', detail, 'iat');
  }
  if (isRevoked(claims, identity)) {
    throw new TokenRefused('TOKEN_REVOKED', 'the tokens of the identity were revoked', 'sub');
  }
  refusePendingPasswordChange(identity);
  return identity;
}

/**
 * Rejects an identity with a required password change.
 *
 * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED`
 */
export function refusePendingPasswordChange({ passwordChangeNeeded }: Identity): void {
  if (!passwordChangeNeeded) return;
  const detail = 'the identity must change its password first';
  throw new NotPermitted({ code: 'PASSWORD_CHANGE_NEEDED', detail });
}
