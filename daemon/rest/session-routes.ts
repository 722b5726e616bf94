import type { IncomingMessage } from 'node:http';

import type { Clock } from '../base/clock.ts';
import { z } from '../base/schema.ts';
import type { Identity, Principal } from '../identity/identity.ts';
import { findDuty } from '../identity/pending-duty.ts';
import type { PasswordChange } from '../identity/password-change.ts';
import type { Login, SessionLogin } from '../session/login.ts';
import type { SessionStore } from '../session/session-store.ts';
import { findExpiry } from '../session/session.ts';
import type { Session } from '../session/session.ts';
import type { Banners, RestSettings } from '../settings/rest-settings.ts';
import { noContent, ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import {
  findSessionCookie,
  formatExpiredCookie,
  formatSessionCookie,
  listCookieNames,
  SESSION_COOKIE,
} from '../http/cookie.ts';
import { defineRoute } from '../http/route.ts';
import { callerOf } from './caller.ts';
import { grantRecords } from '../interface/grant.ts';
import { toGrantRecords } from './grant-json.ts';
import { showsDetails } from './record-details.ts';
import { jsonBody } from '../interface/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';
import { getOwnSession } from './own-session.ts';

const ROOT = '/services/session/v1';
const MAXIMUM_BYTES = 8192;
// Room for a recovery code with blanks.
const MAXIMUM_CODE_LENGTH = 64;

// Other members of a body are ignored, as clients of Kura expect.
const usernamePassword = z
  .object({
    username: z.string(),
    password: z.string(),
    secondFactorCode: z
      .string()
      .max(MAXIMUM_CODE_LENGTH)
      .meta({ writeOnly: true })
      .optional()
      .describe('Six digits of the authenticator app, or a recovery code; ignored without a second factor'),
  })
  .meta({ id: 'UsernamePassword' });
const enrolmentNeeded = z
  .literal(true)
  .optional()
  .describe('A second factor has to be set up before the password opens anything else; absent: it has not');
const authenticationResponse = z
  .strictObject({
    passwordChangeNeeded: z.boolean(),
    secondFactorEnrolmentNeeded: enrolmentNeeded,
    message: z.string().optional(),
  })
  .meta({ id: 'AuthenticationResponse' });
// The operation refuses a missing member in the same way as an empty one.
const passwordChangeRequest = z
  .object({
    currentPassword: z.string().default(''),
    newPassword: z.string().default(''),
  })
  .meta({ id: 'PasswordChangeRequest' });
const identityInfo = z
  .strictObject({
    name: z.string(),
    passwordChangeNeeded: z.boolean(),
    permissions: z.array(z.string()),
    grants: grantRecords.optional().describe('Absent when the identity has none, and without details'),
  })
  .meta({ id: 'IdentityInfo' });
const ownSession = z
  .strictObject({
    secondFactorEnrolmentNeeded: enrolmentNeeded,
    sessionSecondsLeft: z
      .int()
      .optional()
      .describe('Seconds until the session ends unless it is used; absent without one'),
  })
  .meta({ id: 'OwnSession' });
const authenticationInfo = z
  .strictObject({
    passwordAuthenticationEnabled: z.boolean(),
    certificateAuthenticationEnabled: z.boolean(),
    certificateAuthenticationPorts: z.array(z.int()).optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'AuthenticationInfo' });
const xsrfToken = z.strictObject({ xsrfToken: z.string() }).meta({ id: 'XSRFToken' });

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
  const welcome = ({ session, identity }: Login, { isSecure }: RequestContext): Answer => {
    const { enabled, message } = banners().postLogin;
    const body = { ...toDuties(identity), ...(enabled ? { message } : {}) };
    return ok(body, { 'Set-Cookie': formatSessionCookie(session.id, isSecure) });
  };
  return [
    defineRoute({
      method: 'POST',
      path: `${ROOT}/login/password`,
      isOfSpecification: true,
      summary: 'Opens a session by password',
      access: 'ANYBODY',
      isLogin: true,
      refusals: [401],
      audit: 'LOGIN',
      isAvailable: (rest) => withSessions(rest) && rest.passwordAuthenticationEnabled,
      request: { ...jsonBody(usernamePassword, MAXIMUM_BYTES), mayHoldNul: true },
      response: { status: 200, schema: authenticationResponse },
      async handle(context) {
        const { body, remoteAddress, port, request } = context;
        context.auditNote = { method: 'password', claimedName: body.username };
        const carriedSessionId = findSessionCookie(request.headers.cookie);
        const origin = { remoteAddress, port };
        const opened = await login.byPassword({ ...body, origin, carriedSessionId });
        const { secondFactor } = opened;
        if (secondFactor !== undefined)
          context.auditNote = { ...context.auditNote, details: [{ secondFactor }] };
        return welcome(opened, context);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/login/certificate`,
      isOfSpecification: true,
      summary: 'Opens a session by the client certificate of the connection',
      access: 'ANYBODY',
      isLogin: true,
      refusals: [401],
      audit: 'LOGIN',
      isAvailable: (rest) => withSessions(rest) && rest.certificateAuthenticationEnabled,
      response: { status: 200, schema: authenticationResponse },
      handle(context) {
        const { certificate, remoteAddress, port, request } = context;
        context.auditNote = { method: 'certificate', claimedName: certificate?.commonNames[0] };
        const carriedSessionId = findSessionCookie(request.headers.cookie);
        const origin = { remoteAddress, port };
        const commonNames = certificate?.commonNames;
        return welcome(login.byCertificate({ commonNames, origin, carriedSessionId }), context);
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
    defineRoute({
      method: 'GET',
      path: `${ROOT}/xsrfToken`,
      isOfSpecification: true,
      summary: 'Returns the XSRF token of the session',
      access: 'ANY_IDENTITY',
      isAvailable: withSessions,
      isXsrfExempt: true,
      isSessionQuery: true,
      isOpenToLockedSessions: true,
      response: { status: 200, schema: xsrfToken },
      handle: (context) => ok({ xsrfToken: getSession(context).xsrfToken }),
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/logout`,
      isOfSpecification: true,
      summary: 'Ends the session',
      access: 'ANY_IDENTITY',
      audit: 'LOGOUT',
      isAvailable: withSessions,
      isOpenToLockedSessions: true,
      response: { status: 204 },
      handle(context) {
        sessions.remove(getSession(context).id);
        return noContent({
          'Set-Cookie': formatExpiredCookie(context.isSecure),
          ...clearBrowser(context.request),
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/changePassword`,
      isOfSpecification: true,
      summary: 'Replaces the password of the identity and ends all its sessions',
      access: 'ANY_IDENTITY',
      audit: 'PASSWORD_CHANGE',
      isAvailable: withSessions,
      isOpenToLockedSessions: true,
      request: { ...jsonBody(passwordChangeRequest, MAXIMUM_BYTES), mayHoldNul: true },
      response: { status: 204 },
      async handle(context) {
        const { identityName } = getSession(context);
        const { body, remoteAddress, isSecure } = context;
        await passwordChange.change({ identityName, ...body, remoteAddress });
        return noContent({ 'Set-Cookie': formatExpiredCookie(isSecure) });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/currentIdentity`,
      isOfSpecification: true,
      summary: 'Shows the identity of the request',
      access: 'ANY_IDENTITY',
      isAvailable: withSessions,
      isSessionQuery: true,
      response: { status: 200, schema: identityInfo },
      handle: (context) => ok(toIdentityInfo(callerOf(context), showsDetails(context.request, rest()))),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/_own`,
      summary: 'Shows how long the session of the request lasts, without using it',
      access: 'ANY_IDENTITY',
      isAvailable: withSessions,
      isSessionQuery: true,
      isNoUseOfSession: true,
      response: { status: 200, schema: ownSession },
      handle(context) {
        const { identity } = callerOf(context);
        return ok({ ...toEnrolment(identity), ...showTimeLeft(context.sessionId) });
      },
    }),
  ];
}

function informationRoute({ rest, banners, clientCertificatePorts }: SessionRouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: `${ROOT}/authenticationInfo`,
    isOfSpecification: true,
    summary: 'Shows which login methods are available',
    access: 'ANYBODY',
    response: { status: 200, schema: authenticationInfo },
    handle() {
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
    },
  });
}

function toIdentityInfo({ identity }: Principal, hasDetails: boolean): z.infer<typeof identityInfo> {
  const { name, passwordChangeNeeded, permissions, grants } = identity;
  const info = { name, passwordChangeNeeded, permissions: [...permissions] };
  return grants === undefined || !hasDetails ? info : { ...info, grants: toGrantRecords(grants) };
}

function toDuties(identity: Identity) {
  return { passwordChangeNeeded: identity.passwordChangeNeeded, ...toEnrolment(identity) };
}

function toEnrolment(identity: Identity): { readonly secondFactorEnrolmentNeeded?: true } {
  const duty = findDuty({ ...identity, passwordChangeNeeded: false });
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
