import type { IncomingMessage } from 'node:http';

import type { TrustedProxies } from './trusted-proxies.ts';

/** What a request says about the page that sent it, and about whom it was sent to. */
export interface OriginClaims {
  /** Value of the field Origin (RFC 6454, 7). */
  readonly origin?: string | undefined;
  /** Value of the field Sec-Fetch-Site (W3C Fetch Metadata, 2.3), which no page can set. */
  readonly fetchSite?: string | undefined;
  /** Host, and port unless it is the usual one, as the browser knows the gateway. */
  readonly host?: string | undefined;
  readonly isTls: boolean;
}

/** Takes from a request what it says; of the host behind a trusted proxy what that says, the first where there are several. */
export function readOriginClaims(
  request: IncomingMessage,
  isTls: boolean,
  trustedProxies: TrustedProxies,
): OriginClaims {
  const { headers } = request;
  const forwarded = [headers['x-forwarded-host'] ?? []].flat().join(',').split(',')[0]?.trim() ?? '';
  const isForwarded = forwarded !== '' && trustedProxies.sent(request);
  return {
    origin: headers.origin,
    fetchSite: [headers['sec-fetch-site']].flat().join(', ') || undefined,
    host: isForwarded ? forwarded : headers.host,
    isTls,
  };
}

/**
 * Whether a page of another origin sent the request: a browser adds the cookie, the certificate and remembered BASIC
 * credentials to it by itself. Another port of the same host is another origin. What no browser sends says nothing of its
 * origin, and is none of another.
 */
export function isFromOtherOrigin({ origin, fetchSite, host, isTls }: OriginClaims): boolean {
  // `same-site` is another origin as well, or else the browser would say `same-origin`; `none` is the user.
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true;
  if (origin === undefined) return false;
  // Of a page that hides where it comes from; a form of the own pages has it too, under the policy `no-referrer`.
  if (origin === 'null') return fetchSite !== 'same-origin';
  const [scheme, sender] = splitOrigin(origin);
  if (sender === undefined) return true;
  // Plain HTTP is the same origin only for plain HTTP; the other way round a proxy may have ended the TLS connection.
  if (isTls && scheme !== 'https:') return true;
  return sender !== normalizeHost(scheme, host);
}

function splitOrigin(origin: string): readonly [string, string | undefined] {
  const [, scheme = '', host] = /^(https?:)\/\/([^/]*)$/.exec(origin) ?? [];
  return [scheme, normalizeHost(scheme, host)];
}

/** Gives a host in one spelling: small letters, no usual port. Undefined for what is more or less than host and port. */
function normalizeHost(scheme: string, host: string | undefined): string | undefined {
  if (host === undefined || !/^[^\s/\\?#@]+$/.test(host)) return undefined;
  return URL.parse(`${scheme}//${host}`)?.host;
}
