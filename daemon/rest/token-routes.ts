import { z } from '../base/schema.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { TokenSettings } from '../settings/token-settings.ts';
import { isIssuingAvailable, issueTokens } from '../token/issue.ts';
import { isRefreshAvailable } from '../token/refresh.ts';
import type { TokenRefresh } from '../token/refresh.ts';
import type { TokenIssuer } from '../token/token-issuer.ts';
import { ok } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const ROOT = '/services/token/jwt/v1';
const MAXIMUM_BYTES = 8192;

const tokenPair = z
  .strictObject({
    tokenType: z.literal('Bearer'),
    accessToken: z.string(),
    accessTokenExpiresInSeconds: z.int(),
    refreshToken: z.string(),
    refreshTokenExpiresInSeconds: z.int(),
  })
  .meta({ id: 'TokenPair' });
const refreshToken = z.string().trim().min(1, 'expected a refresh token');

interface TokenRouteParts {
  readonly issuer: TokenIssuer;
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
    defineRoute({
      method: 'POST',
      path: `${ROOT}/issue`,
      isOfSpecification: true,
      summary: 'Issues a pair of tokens for another proof of identity',
      access: 'ANY_IDENTITY',
      audit: 'TOKEN_ISSUED',
      isAvailable: () => isIssuingAvailable(settings()),
      // A pending password change is answered with 403, for which the identity has to be known.
      isOpenToLockedSessions: true,
      response: { status: 200, schema: tokenPair },
      handle: async ({ principal }) => ok(await issueTokens(principal, { issuer, identities })),
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/refresh`,
      isOfSpecification: true,
      summary: 'Issues a new pair of tokens for a refresh token, which is then used up',
      access: 'ANYBODY',
      audit: 'TOKEN_REFRESHED',
      refusals: [401],
      isAvailable: () => isRefreshAvailable(settings()),
      request: { contentType: 'text/plain', schema: refreshToken, maximumBytes: MAXIMUM_BYTES },
      response: { status: 200, schema: tokenPair },
      async handle(context) {
        const { body } = context;
        const { pair, identityName } = await refresh.refresh(body, (replay) => {
          const { iss, jti } = replay;
          context.auditNote = {
            event: 'TOKEN_REPLAYED',
            method: 'bearer',
            claimedName: replay.identityName,
            details: [{ iss, jti }],
          };
        });
        context.auditNote = { method: 'bearer', claimedName: identityName };
        return ok(pair);
      },
    }),
  ];
}
