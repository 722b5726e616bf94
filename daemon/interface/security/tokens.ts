import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';

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
const revocation = z.strictObject({ userName: z.string().min(1) }).meta({ id: 'TokenRevocation' });
const rotationRequest = z
  .strictObject({
    service: z.string().min(1).optional().describe('Token issuing service; absent: the active one'),
    revoke: z
      .boolean()
      .default(false)
      .describe('Revokes tokens signed with the previous key immediately instead of letting them expire'),
  })
  .meta({ id: 'KeyRotationRequest' });
const rotation = z
  .strictObject({ service: z.string(), kid: z.string().describe('Id of the new signing key') })
  .meta({ id: 'KeyRotation' });

/** Issues tokens for the identity of the request. */
export const obtainTokens = endpoint({
  method: 'POST',
  path: `${ROOT}/issue`,
  isOfSpecification: true,
  summary: 'Issues a token pair for other credentials',
  access: 'ANY_IDENTITY',
  audit: 'TOKEN_ISSUED',
  // A required password change is answered with 403, which needs the authenticated identity.
  isOpenToLockedSessions: true,
  response: { status: 200, schema: tokenPair },
});

/** Issues tokens for a refresh token. */
export const refreshTokens = endpoint({
  method: 'POST',
  path: `${ROOT}/refresh`,
  isOfSpecification: true,
  summary: 'Exchanges a refresh token for a new token pair; the refresh token becomes invalid',
  access: 'PUBLIC',
  audit: 'TOKEN_REFRESHED',
  refusals: [401],
  request: { contentType: 'text/plain', schema: refreshToken, maximumBytes: MAXIMUM_BYTES },
  response: { status: 200, schema: tokenPair },
});

/** Revokes the tokens of an identity. */
export const revokeTokens = endpoint({
  method: 'POST',
  path: `${ROOT}/_revoke`,
  summary: 'Revokes all tokens issued to an identity so far',
  access: 'ANY_IDENTITY',
  audit: 'TOKENS_REVOKED',
  request: jsonBody(revocation, MAXIMUM_BYTES),
  response: { status: 204 },
});

/** Replaces the key that signs tokens. */
export const rotateSigningKey = endpoint({
  method: 'POST',
  path: `${ROOT}/_rotateKey`,
  summary: 'Replaces the token signing key with a new one',
  access: 'rest.admin',
  audit: 'SIGNING_KEY_ROTATED',
  refusals: [409],
  request: jsonBody(rotationRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: rotation },
});
