import { z } from '../base/schema.ts';
import type { TokenAdministration } from '../token/token-administration.ts';
import { noContent, ok } from '../http/answer.ts';
import { jsonBody } from '../interface/endpoint.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { callerOf } from './caller.ts';

const ROOT = '/services/token/jwt/v1';
const MAXIMUM_BYTES = 8192;

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

/** Creates the endpoints that end tokens before they expire; they work while tokens are switched off as well. */
export function createTokenAdministrationRoutes(administration: TokenAdministration): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: `${ROOT}/_revoke`,
      summary: 'Voids every token that was issued to an identity until now',
      access: 'ANY_IDENTITY',
      audit: 'TOKENS_REVOKED',
      request: jsonBody(revocation, MAXIMUM_BYTES),
      response: { status: 204 },
      handle(context) {
        const { userName } = context.body;
        administration.revoke(userName, callerOf(context));
        context.auditNote = { details: [{ userName }] };
        return noContent();
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/_rotateKey`,
      summary: 'Creates another key that signs tokens from now on',
      access: 'rest.admin',
      audit: 'SIGNING_KEY_ROTATED',
      refusals: [409],
      request: jsonBody(rotationRequest, MAXIMUM_BYTES),
      response: { status: 200, schema: rotation },
      async handle(context) {
        const { service, revoke } = context.body;
        context.auditNote = { details: [{ revoke }] };
        const rotated = await administration.rotateKey({ servicePid: service, isRevoking: revoke });
        context.auditNote = { details: [{ revoke, service: rotated.servicePid, kid: rotated.kid }] };
        return ok({ service: rotated.servicePid, kid: rotated.kid });
      },
    }),
  ];
}
