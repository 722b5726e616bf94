import type { Credentials } from '../../security/identity/provider/authentication-provider.ts';
import { findSessionCookie } from './cookie.ts';
import type { RequestContext } from './request-context.ts';

/** Collects all credentials of a request. */
export function toCredentials(context: RequestContext): Credentials {
  const { request, certificate, remoteAddress, isLocal, isFromOtherHost, endpoint } = context;
  const { headers } = request;
  return {
    remoteAddress,
    isLocal,
    authorization: headers.authorization,
    // A page of another host must not act with the cookie that the browser adds (Fetch, 3.2; RFC 6454).
    sessionId: isFromOtherHost ? undefined : findSessionCookie(headers.cookie),
    xsrfToken: asSingle(headers['x-xsrf-token']),
    // Background refreshes of a page must not keep the session of an absent user alive.
    isBackground: endpoint?.isSessionNeutral === true || headers['x-penstock-background'] === 'true',
    certificateCommonNames: certificate?.commonNames,
    isXsrfExempt: endpoint?.isXsrfExempt ?? false,
    isOpenToLockedSessions: endpoint?.isOpenToLockedSessions ?? false,
    isOpenForEnrolment: endpoint?.isOpenForEnrolment ?? false,
    header(name) {
      const values = request.headersDistinct[name.toLowerCase()];
      return values?.length === 1 ? values[0] : undefined;
    },
  };
}

function asSingle(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
