import { NotAuthenticated } from '../../base/errors.ts';
import type { Credentials } from '../../security/identity/provider/authentication-provider.ts';
import { hasBasicScheme, isBasicEnabled } from '../../security/identity/provider/basic-provider.ts';
import { isStatelessCertificateEnabled } from '../../security/identity/provider/certificate-provider.ts';
import { hasBearerScheme } from '../../security/token/bearer-provider.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';

type SentCredentials = Pick<Credentials, 'authorization' | 'sessionId' | 'certificateCommonNames'>;

/**
 * Creates the error for a request that no provider accepts. If its kind of credentials is disabled, the error names that kind.
 * It depends on the settings and the kind alone: correct credentials get the same error as wrong ones.
 */
export function createNotAuthenticated(sent: SentCredentials, rest: RestSettings): NotAuthenticated {
  const { authorization, sessionId, certificateCommonNames } = sent;
  if (hasBasicScheme(authorization) && !isBasicEnabled(rest)) {
    const detail = 'no valid credentials: BASIC authentication is disabled';
    return new NotAuthenticated({ code: 'BASIC_DISABLED', detail });
  }
  if (hasBearerScheme(authorization) && !rest.jwtAuthenticationEnabled) {
    const detail = 'no valid credentials: access tokens are disabled';
    return new NotAuthenticated({ code: 'TOKENS_DISABLED', detail });
  }
  const isAlone = authorization === undefined;
  if (isAlone && sessionId !== undefined && !rest.sessionBasedAuthenticationEnabled) {
    const detail = 'no valid credentials: sessions are disabled';
    return new NotAuthenticated({ code: 'SESSIONS_DISABLED', detail });
  }
  // A browser adds its certificate to every request; if its session has ended, that is the cause.
  const isCertificateAlone = isAlone && sessionId === undefined && certificateCommonNames !== undefined;
  if (isCertificateAlone && !isStatelessCertificateEnabled(rest)) {
    const detail = 'no valid credentials: client certificates without a session are disabled';
    return new NotAuthenticated({ code: 'STATELESS_CERTIFICATES_DISABLED', detail });
  }
  return new NotAuthenticated({ code: 'NOT_AUTHENTICATED', detail: 'no valid credentials' });
}
