import { z } from '../base/schema.ts';
import type {
  EndedSessions,
  SessionAdministration,
  SessionCaller,
  SessionView,
} from '../session/session-administration.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { noContent, ok } from '../http/answer.ts';
import { formatExpiredCookie } from '../http/cookie.ts';
import { readQuery } from '../http/query.ts';
import type { RequestContext } from '../http/request-context.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { callerOf } from './caller.ts';

const PATH = '/services/session/v1/sessions';

const timeMs = z.int().describe('Milliseconds since the epoch');
const openSession = z
  .strictObject({
    id: z.string().describe('Names the session for its end; the cookie is something else'),
    identity: z.string(),
    method: z.enum(['password', 'certificate']),
    address: z.string().describe('From which the login came; `local` for the socket on the machine itself'),
    port: z.int().optional().describe('To which the login came; absent for that socket'),
    createdAt: timeMs,
    lastUsedAt: timeMs,
    expiresAt: timeMs.describe('When it ends unless it is used again, in milliseconds since the epoch'),
    isLocked: z
      .boolean()
      .describe('It can only be used to do first what its identity has to, such as changing the password'),
    isCurrent: z.boolean().describe('It is that of the request'),
  })
  .meta({ id: 'OpenSession' });
const openSessions = z.strictObject({ sessions: z.array(openSession) }).meta({ id: 'OpenSessions' });
const endedSessions = z.strictObject({ ended: z.int() }).meta({ id: 'EndedSessions' });
const endQuery = z.object({ identity: z.string().min(1).max(255) });

/** Creates the endpoints that list open sessions and end them: those of others with the permission for identities. */
export function createSessionAdministrationRoutes(administration: SessionAdministration): readonly Route[] {
  const shared = {
    access: 'ANY_IDENTITY',
    isAvailable: (rest: RestSettings): boolean => rest.sessionBasedAuthenticationEnabled,
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: PATH,
      summary: 'Lists the open sessions: all of them with the permission for identities, else the own ones',
      response: { status: 200, schema: openSessions },
      handle: (context) => ok({ sessions: administration.list(toCaller(context)).map(toJson) }),
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: PATH,
      summary: 'Ends all sessions of an identity',
      query: endQuery,
      audit: 'SESSION_ENDED',
      response: { status: 200, schema: endedSessions },
      handle(context) {
        const { identity } = readQuery(context.request, endQuery);
        const ended = administration.endAllOf(identity, toCaller(context));
        note(context, ended);
        return ok({ ended: ended.count }, expireCookie(context, ended));
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: `${PATH}/:id`,
      summary: 'Ends one session',
      audit: 'SESSION_ENDED',
      response: { status: 204 },
      handle(context) {
        const ended = administration.end(context.parameters['id'] ?? '', toCaller(context));
        note(context, ended);
        return noContent(expireCookie(context, ended));
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

function toJson({ handle, identityName, origin, ...others }: SessionView): z.infer<typeof openSession> {
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
