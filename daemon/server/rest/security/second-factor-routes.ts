import { noContent, ok } from '../../http/answer.ts';
import { formatExpiredCookie } from '../../http/cookie.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import type { SecondFactorEnrolment } from '../../../security/identity/second-factor/enrolment.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  readSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../../interface/security/second-factor.ts';
import type { SessionStore } from '../../../security/session/session-store.ts';
import type { RestSettings } from '../../../settings/rest-settings.ts';
import { callerOf, getOwnSession } from '../caller.ts';

interface SecondFactorRouteParts {
  readonly enrolment: SecondFactorEnrolment;
  readonly sessions: SessionStore;
}

/** Creates the endpoints by which an identity sets up and ends the second factor of its password. */
export function createSecondFactorRoutes({ enrolment, sessions }: SecondFactorRouteParts): readonly Route[] {
  const isAvailable = (rest: RestSettings): boolean => rest.sessionBasedAuthenticationEnabled;
  return [
    implement(readSecondFactor, {
      isAvailable,
      handle(call) {
        const { isActive, isRequired, recoveryCodesLeft } = enrolment.status(callerOf(call).identity);
        return ok({
          secondFactorEnabled: isActive,
          secondFactorRequired: isRequired,
          recoveryCodesLeft,
        });
      },
    }),
    implement(beginSecondFactor, {
      isAvailable,
      async handle(call) {
        const { identityName, id: sessionId } = getOwnSession(call, sessions);
        const { body, remoteAddress } = call;
        return ok(await enrolment.begin({ identityName, sessionId, ...body, remoteAddress }));
      },
    }),
    implement(confirmSecondFactor, {
      isAvailable,
      handle(call) {
        const { identityName, id: sessionId } = getOwnSession(call, sessions);
        const codes = enrolment.confirm({ identityName, sessionId, ...call.body });
        return ok({ recoveryCodes: codes }, { 'Set-Cookie': formatExpiredCookie(call.isSecure) });
      },
    }),
    implement(renewRecoveryCodes, {
      isAvailable,
      async handle(call) {
        const { identityName } = getOwnSession(call, sessions);
        const { body, remoteAddress } = call;
        return ok({
          recoveryCodes: await enrolment.renewRecoveryCodes({ identityName, ...body, remoteAddress }),
        });
      },
    }),
    implement(removeSecondFactor, {
      isAvailable,
      async handle(call) {
        const { identityName } = getOwnSession(call, sessions);
        const { body, remoteAddress, isSecure } = call;
        await enrolment.remove({ identityName, ...body, remoteAddress });
        return noContent({ 'Set-Cookie': formatExpiredCookie(isSecure) });
      },
    }),
  ];
}
