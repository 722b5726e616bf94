import type { TokenAdministration } from '../token/token-administration.ts';
import { noContent, ok } from '../http/answer.ts';
import { implement } from '../http/implement.ts';
import type { Route } from '../http/route.ts';
import { revokeTokens, rotateSigningKey } from '../interface/tokens.ts';
import { callerOf } from './caller.ts';

/** Creates the endpoints that end tokens before they expire; they work while tokens are switched off as well. */
export function createTokenAdministrationRoutes(administration: TokenAdministration): readonly Route[] {
  return [
    implement(revokeTokens, (call) => {
      const { userName } = call.body;
      administration.revoke(userName, callerOf(call));
      call.auditNote = { details: [{ userName }] };
      return noContent();
    }),
    implement(rotateSigningKey, async (call) => {
      const { service, revoke } = call.body;
      call.auditNote = { details: [{ revoke }] };
      const rotated = await administration.rotateKey({ servicePid: service, isRevoking: revoke });
      call.auditNote = { details: [{ revoke, service: rotated.servicePid, kid: rotated.kid }] };
      return ok({ service: rotated.servicePid, kid: rotated.kid });
    }),
  ];
}
