import type { IdentityStore } from '../../../security/identity/identity-store.ts';
import type { TokenSettings } from '../../../settings/token-settings.ts';
import { isIssuingAvailable, issueTokens } from '../../../security/token/issue.ts';
import { isRefreshAvailable } from '../../../security/token/refresh.ts';
import type { TokenRefresh } from '../../../security/token/refresh.ts';
import type { TokenIssuer } from '../../../security/token/token-issuer.ts';
import { ok, noContent } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import {
  obtainTokens,
  refreshTokens,
  revokeTokens,
  rotateSigningKey,
} from '../../../interface/security/tokens.ts';
import type { TokenAdministration } from '../../../security/token/token-administration.ts';
import { callerOf } from '../caller.ts';

interface TokenRouteParts {
  readonly issuer: Pick<TokenIssuer, 'issue'>;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly refresh: TokenRefresh;
  readonly settings: () => TokenSettings;
}

/** Creates the endpoints that issue tokens. */
export function createTokenRoutes({
  issuer,
  identities,
  refresh,
  settings,
}: TokenRouteParts): readonly Route[] {
  return [
    implement(obtainTokens, {
      isAvailable: () => isIssuingAvailable(settings()),
      handle: async ({ principal }) => ok(await issueTokens(principal, { issuer, identities })),
    }),
    implement(refreshTokens, {
      isAvailable: () => isRefreshAvailable(settings()),
      async handle(call) {
        const { body } = call;
        const { pair, identityName } = await refresh.refresh(body, (replay) => {
          const { iss, jti } = replay;
          call.auditAnnotation = {
            event: 'TOKEN_REPLAYED',
            method: 'bearer',
            claimedName: replay.identityName,
            details: [{ iss, jti }],
          };
        });
        call.auditAnnotation = { method: 'bearer', claimedName: identityName };
        return ok(pair);
      },
    }),
  ];
}

/** Creates the endpoints that revoke tokens; they also work while tokens are disabled. */
export function createTokenAdministrationRoutes(administration: TokenAdministration): readonly Route[] {
  return [
    implement(revokeTokens, (call) => {
      const { userName } = call.body;
      administration.revoke(userName, callerOf(call));
      call.auditAnnotation = { details: [{ userName }] };
      return noContent();
    }),
    implement(rotateSigningKey, async (call) => {
      const { service, revoke } = call.body;
      call.auditAnnotation = { details: [{ revoke }] };
      const rotated = await administration.rotateKey({ servicePid: service, isRevoking: revoke });
      call.auditAnnotation = { details: [{ revoke, service: rotated.servicePid, kid: rotated.kid }] };
      return ok({ service: rotated.servicePid, kid: rotated.kid });
    }),
  ];
}
