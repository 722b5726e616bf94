import type { Credentials } from '../identity/authentication-provider.ts';
import { findSessionCookie } from './cookie.ts';
import type { Exchange } from './exchange.ts';

/** Takes from a request what can prove who sent it. */
export function toCredentials(exchange: Exchange): Credentials {
  const { request, certificate, remoteAddress, isLocal, route } = exchange;
  const { headers } = request;
  return {
    remoteAddress,
    isLocal,
    authorization: headers.authorization,
    // A page of another origin must not act with the cookie that the browser adds (Fetch, 3.2; RFC 6454).
    sessionId: isForeignOrigin(exchange) ? undefined : findSessionCookie(headers.cookie),
    xsrfToken: asSingle(headers['x-xsrf-token']),
    certificateCommonNames: certificate?.commonNames,
    isXsrfExempt: route?.isXsrfExempt ?? false,
    isOpenToLockedSessions: route?.isOpenToLockedSessions ?? false,
    header(name) {
      const values = request.headersDistinct[name.toLowerCase()];
      return values?.length === 1 ? values[0] : undefined;
    },
  };
}

function isForeignOrigin({ request, isTls }: Exchange): boolean {
  const { origin, host = '' } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return true;
  if (origin === undefined || origin === `https://${host}`) return false;
  // Plain HTTP is the same origin only for plain HTTP; the other way round a proxy may have ended the TLS connection.
  return isTls || origin !== `http://${host}`;
}

function asSingle(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
