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
    service: z.string().min(1).optional().describe('The issuing service; absent: the one that issues now'),
    revoke: z
      .boolean()
      .default(false)
      .describe('Tokens of the previous key end at once, instead of when they expire'),
  })
  .meta({ id: 'KeyRotationRequest' });
const rotation = z
  .strictObject({ service: z.string(), kid: z.string().describe('The id of the key that signs from now on') })
  .meta({ id: 'KeyRotation' });

/** Issues tokens for the identity of the request. */
export const obtainTokens = endpoint({
  method: 'POST',
  path: `${ROOT}/issue`,
  isOfSpecification: true,
  summary: 'Issues a pair of tokens for another proof of identity',
  access: 'ANY_IDENTITY',
  audit: 'TOKEN_ISSUED',
  // A pending password change is answered with 403, for which the identity has to be known.
  isOpenToLockedSessions: true,
  response: { status: 200, schema: tokenPair },
});

/** Issues tokens for a refresh token. */
export const refreshTokens = endpoint({
  method: 'POST',
  path: `${ROOT}/refresh`,
  isOfSpecification: true,
  summary: 'Issues a new pair of tokens for a refresh token, which is then used up',
  access: 'ANYBODY',
  audit: 'TOKEN_REFRESHED',
  refusals: [401],
  request: { contentType: 'text/plain', schema: refreshToken, maximumBytes: MAXIMUM_BYTES },
  response: { status: 200, schema: tokenPair },
});

/** Voids the tokens of an identity. */
export const revokeTokens = endpoint({
  method: 'POST',
  path: `${ROOT}/_revoke`,
  summary: 'Voids every token that was issued to an identity until now',
  access: 'ANY_IDENTITY',
  audit: 'TOKENS_REVOKED',
  request: jsonBody(revocation, MAXIMUM_BYTES),
  response: { status: 204 },
});

/** Replaces the key that signs tokens. */
export const rotateSigningKey = endpoint({
  method: 'POST',
  path: `${ROOT}/_rotateKey`,
  summary: 'Creates another key that signs tokens from now on',
  access: 'rest.admin',
  audit: 'SIGNING_KEY_ROTATED',
  refusals: [409],
  request: jsonBody(rotationRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: rotation },
});
