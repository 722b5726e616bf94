import { hash } from 'node:crypto';

import { NotPermitted } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { PROVIDER_PRIORITY } from '../identity/provider/authentication-provider.ts';
import type { AuthenticationProvider, Credentials } from '../identity/provider/authentication-provider.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Principal } from '../identity/identity.ts';
import type { TokenSettings } from '../../settings/token-settings.ts';
import type { Claims } from './claims.ts';
import { createUnavailable, TokenRefused } from './token-error.ts';
import { getIdentityOf } from './token-identity.ts';
import type { TokenVerifier } from './token-verifier.ts';

interface BearerProviderOptions {
  readonly verifier: TokenVerifier;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly settings: () => TokenSettings;
  readonly logger: Logger;
}

// RFC 6750, 2.1 with the scheme in any case (RFC 9110, 11.1).
const BEARER = /^bearer +/i;
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const BEARER_SCHEME = /^bearer(?: |$)/i;

/** Returns true if a request has bearer credentials, well-formed or not; a 401 then contains `invalid_token` (RFC 6750, 3.1). */
export function hasBearerScheme(authorization: string | undefined): boolean {
  return authorization !== undefined && BEARER_SCHEME.test(authorization);
}

/**
 * Creates the provider that accepts access tokens while tokens are enabled. Cached tokens are accepted synchronously. The identity
 * is looked up for each request, so that its deletion, a change of its permissions or a required password change takes effect
 * immediately.
 */
export function createBearerProvider(options: BearerProviderOptions): AuthenticationProvider {
  const { verifier, identities, settings, logger } = options;
  const isEnabled = (): boolean => settings().rest.jwtAuthenticationEnabled;

  function refuse(error: unknown, text: string): undefined {
    if (!(error instanceof TokenRefused) && !(error instanceof NotPermitted)) throw error;
    // Sufficient to find the token in a client's log, but not to use it.
    const fingerprint = hash('sha256', text, 'hex').slice(0, 8);
    logger.info('token.refused', { code: error.code, fingerprint });
    return undefined;
  }

  function toPrincipal(claims: Claims, text: string): Principal | undefined {
    try {
      return { identity: getIdentityOf(claims, identities), method: 'bearer' };
    } catch (error) {
      return refuse(error, text);
    }
  }

  function authenticate({ authorization }: Credentials) {
    if (authorization === undefined || !isEnabled()) return undefined;
    const [scheme] = BEARER.exec(authorization) ?? [];
    if (scheme === undefined) return undefined;
    const text = authorization.slice(scheme.length);
    // The form of cached tokens was checked when they were verified.
    const cached = verifier.findCached(text);
    if (cached !== undefined) return toPrincipal(cached, text);
    if (!B64TOKEN.test(text)) return undefined;
    return verifier.verify(text, 'access').then(
      (claims) => (isEnabled() ? toPrincipal(claims, text) : undefined),
      (error: unknown) => refuse(error, text),
    );
  }

  return {
    name: 'bearer',
    priority: PROVIDER_PRIORITY.bearer,
    createTimeoutError: createUnavailable,
    authenticate,
  };
}
