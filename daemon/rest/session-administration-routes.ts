import type {
  EndedSessions,
  SessionAdministration,
  SessionCaller,
  SessionView,
} from '../session/session-administration.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { noContent, ok } from '../http/answer.ts';
import { formatExpiredCookie } from '../http/cookie.ts';
import { implement } from '../http/implement.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';
import type { ResultOf } from '../interface/endpoint.ts';
import { endSession, endSessionsOf, listSessions } from '../interface/sessions.ts';
import { callerOf } from './caller.ts';

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
  context.auditNote = { details: [{ userName: identityName, sessions: count }] };
}

function expireCookie({ isSecure }: RequestContext, { isCurrent }: EndedSessions) {
  return isCurrent ? { 'Set-Cookie': formatExpiredCookie(isSecure) } : undefined;
}

type ListedSession = ResultOf<typeof listSessions>['sessions'][number];

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
