import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../../base/clock.ts';
import type { Identity, Principal } from '../../../security/identity/identity.ts';
import { findRequiredAction } from '../../../security/identity/required-action.ts';
import type { PasswordChange } from '../../../security/identity/password/password-change.ts';
import type { Login, SessionLogin } from '../../../security/session/login.ts';
import type { SessionStore } from '../../../security/session/session-store.ts';
import { findExpiry } from '../../../security/session/session.ts';
import type { Session } from '../../../security/session/session.ts';
import type { Banners, RestSettings } from '../../../settings/rest-settings.ts';
import { noContent, ok } from '../../http/answer.ts';
import {
  findSessionCookie,
  formatExpiredCookie,
  formatSessionCookie,
  listCookieNames,
  SESSION_COOKIE,
} from '../../http/cookie.ts';
import { implement } from '../../http/implement.ts';
import { callerOf, getOwnSession } from '../caller.ts';
import { showsDetails } from '../plant/record-details.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import {
  changeOwnPassword,
  logInByCertificate,
  logInByPassword,
  logOut,
  readLoginMethods,
  readOwnIdentity,
  readOwnSession,
  readXsrfToken,
} from '../../../interface/security/session.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Route } from '../../http/route.ts';
import type {
  EndedSessions,
  SessionAdministration,
  SessionCaller,
  SessionView,
} from '../../../security/session/session-administration.ts';
import { endSession, endSessionsOf, listSessions } from '../../../interface/security/sessions.ts';

type ListedSession = ResultOf<typeof listSessions>['sessions'][number];

interface SessionRouteParts {
  readonly login: SessionLogin;
  readonly sessions: SessionStore;
  readonly passwordChange: PasswordChange;
  readonly rest: () => RestSettings;
  readonly banners: () => Banners;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Ports that ask for a client certificate and are open now. */
  readonly clientCertificatePorts: () => readonly number[];
}

/** Creates the endpoints that open, show and end sessions. */
export function createSessionRoutes(parts: SessionRouteParts): readonly Route[] {
  return [...loginRoutes(parts), ...sessionRoutes(parts), informationRoute(parts)];
}

const withSessions = (rest: RestSettings): boolean => rest.sessionBasedAuthenticationEnabled;

function loginRoutes({ login, banners }: SessionRouteParts): readonly Route[] {
  const welcome = ({ session, identity }: Login, { isSecure }: Pick<RequestContext, 'isSecure'>) => {
    const { enabled, message } = banners().postLogin;
    const body = { ...toDuties(identity), ...(enabled ? { message } : {}) };
    return ok(body, { 'Set-Cookie': formatSessionCookie(session.id, isSecure) });
  };
  return [
    implement(logInByPassword, {
      isAvailable: (rest) => withSessions(rest) && rest.passwordAuthenticationEnabled,
      async handle(call) {
        const { body, remoteAddress, port, request } = call;
        call.auditAnnotation = { method: 'password', claimedName: body.username };
        const requestSessionId = findSessionCookie(request.headers.cookie);
        const origin = { remoteAddress, port };
        const opened = await login.byPassword({ ...body, origin, requestSessionId });
        const { secondFactor } = opened;
        if (secondFactor !== undefined)
          call.auditAnnotation = { ...call.auditAnnotation, details: [{ secondFactor }] };
        return welcome(opened, call);
      },
    }),
    implement(logInByCertificate, {
      isAvailable: (rest) => withSessions(rest) && rest.certificateAuthenticationEnabled,
      handle(call) {
        const { certificate, remoteAddress, port, request } = call;
        call.auditAnnotation = { method: 'certificate', claimedName: certificate?.commonNames[0] };
        const requestSessionId = findSessionCookie(request.headers.cookie);
        const origin = { remoteAddress, port };
        const commonNames = certificate?.commonNames;
        return welcome(login.byCertificate({ commonNames, origin, requestSessionId }), call);
      },
    }),
  ];
}

function sessionRoutes({ sessions, passwordChange, rest, clock }: SessionRouteParts): readonly Route[] {
  const showTimeLeft = (sessionId: string | undefined): { readonly sessionSecondsLeft?: number } => {
    const session = sessionId === undefined ? undefined : sessions.find(sessionId);
    if (session === undefined) return {};
    const endMs = findExpiry(session, rest().sessionInactivityIntervalSeconds * 1000);
    return { sessionSecondsLeft: Math.ceil((endMs - clock.monotonicMs()) / 1000) };
  };
  const getSession = (context: RequestContext): Session => getOwnSession(context, sessions);
  return [
    implement(readXsrfToken, {
      isAvailable: withSessions,
      handle: (call) => ok({ xsrfToken: getSession(call).xsrfToken }),
    }),
    implement(logOut, {
      isAvailable: withSessions,
      handle(call) {
        sessions.remove(getSession(call).id);
        return noContent({
          'Set-Cookie': formatExpiredCookie(call.isSecure),
          ...clearBrowser(call.request),
        });
      },
    }),
    implement(changeOwnPassword, {
      isAvailable: withSessions,
      async handle(call) {
        const { identityName } = getSession(call);
        const { body, remoteAddress, isSecure } = call;
        await passwordChange.change({ identityName, ...body, remoteAddress });
        return noContent({ 'Set-Cookie': formatExpiredCookie(isSecure) });
      },
    }),
    implement(readOwnIdentity, {
      isAvailable: withSessions,
      handle: (call) => ok(toIdentityInfo(callerOf(call), showsDetails(call.request, rest()))),
    }),
    implement(readOwnSession, {
      isAvailable: withSessions,
      handle(call) {
        const { identity } = callerOf(call);
        return ok({ ...toEnrolment(identity), ...showTimeLeft(call.sessionId) });
      },
    }),
  ];
}

function informationRoute({ rest, banners, clientCertificatePorts }: SessionRouteParts): Route {
  return implement(readLoginMethods, () => {
    const settings = rest();
    const ports = clientCertificatePorts().toSorted((a, b) => a - b);
    const isSessionOn = settings.sessionBasedAuthenticationEnabled;
    const isCertificateOn = isSessionOn && settings.certificateAuthenticationEnabled && ports.length > 0;
    const { enabled, message } = banners().preLogin;
    return ok({
      passwordAuthenticationEnabled: isSessionOn && settings.passwordAuthenticationEnabled,
      certificateAuthenticationEnabled: isCertificateOn,
      ...(isCertificateOn ? { certificateAuthenticationPorts: ports } : {}),
      ...(enabled ? { message } : {}),
    });
  });
}

function toIdentityInfo({ identity }: Principal, hasDetails: boolean): ResultOf<typeof readOwnIdentity> {
  const { name, passwordChangeNeeded, permissions, grants } = identity;
  const info = { name, passwordChangeNeeded, permissions };
  return grants === undefined || !hasDetails ? info : { ...info, grants };
}

function toDuties(identity: Identity) {
  return { passwordChangeNeeded: identity.passwordChangeNeeded, ...toEnrolment(identity) };
}

function toEnrolment(identity: Identity): { readonly secondFactorEnrolmentNeeded?: true } {
  const duty = findRequiredAction({ ...identity, passwordChangeNeeded: false });
  return duty === 'SECOND_FACTOR' ? { secondFactorEnrolmentNeeded: true } : {};
}

/** Has a browser forget what a page of the gateway has left there; nothing for a client that is no page. */
function clearBrowser({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const isPage = headers['x-requested-with'] !== undefined || headers['sec-fetch-site'] === 'same-origin';
  if (!isPage) return {};
  // The browser would clear the cookies of every port of the host, and so end the sessions of other programs there.
  const isAlone = listCookieNames(headers.cookie).every((name) => name === SESSION_COOKIE);
  return { 'Clear-Site-Data': isAlone ? '"cookies", "storage"' : '"storage"' };
}

/** Creates the endpoints that list open sessions and end them: those of others with the permission for identities. */
export function createSessionAdministrationRoutes(administration: SessionAdministration): readonly Route[] {
  const isAvailable = (rest: RestSettings): boolean => rest.sessionBasedAuthenticationEnabled;
  return [
    implement(listSessions, {
      isAvailable,
      handle: (call) => ok({ sessions: administration.list(toCaller(call)).map(toJson) }),
    }),
    implement(endSessionsOf, {
      isAvailable,
      handle(call) {
        const ended = administration.endAllOf(call.query.identity, toCaller(call));
        note(call, ended);
        return ok({ ended: ended.count }, expireCookie(call, ended));
      },
    }),
    implement(endSession, {
      isAvailable,
      handle(call) {
        const ended = administration.end(call.parameters.id, toCaller(call));
        note(call, ended);
        return noContent(expireCookie(call, ended));
      },
    }),
  ];
}

function toCaller(context: RequestContext): SessionCaller {
  return { principal: callerOf(context), sessionId: context.sessionId };
}

function note(context: RequestContext, { identityName, count }: EndedSessions): void {
  context.auditAnnotation = { details: [{ userName: identityName, sessions: count }] };
}

function expireCookie({ isSecure }: RequestContext, { isCurrent }: EndedSessions) {
  return isCurrent ? { 'Set-Cookie': formatExpiredCookie(isSecure) } : undefined;
}

function toJson({ handle, identityName, origin, ...others }: SessionView): ListedSession {
  const { method, isLocked, isCurrent } = others;
  const { createdAtMs: createdAt, lastUsedMs: lastUsedAt, expiresAtMs: expiresAt } = others;
  return {
    id: handle,
    identity: identityName,
    method,
    address: origin.remoteAddress,
    ...(origin.port === 0 ? {} : { port: origin.port }),
    createdAt,
    lastUsedAt,
    expiresAt,
    isLocked,
    isCurrent,
  };
}
