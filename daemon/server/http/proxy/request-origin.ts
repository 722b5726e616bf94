import type { IncomingMessage } from 'node:http';

import { readForwarded } from './forwarded.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Headers about the page that sent a request and the host that it was sent to. */
interface OriginClaims {
  /** Value of the header Origin (RFC 6454, 7). */
  readonly origin?: string | undefined;
  /** Value of the header Sec-Fetch-Site (W3C Fetch Metadata, 2.3), which no page can set. */
  readonly fetchSite?: string | undefined;
  /** Host, and port unless it is the default, under which the browser reached the gateway. */
  readonly host?: string | undefined;
}

/** Reads the claims of a request; behind a trusted proxy the host is the one that it forwards. */
export function readOriginClaims(request: IncomingMessage, trustedProxies: TrustedProxies): OriginClaims {
  const { origin, host, 'sec-fetch-site': fetchSite } = request.headers;
  return {
    origin,
    fetchSite: (fetchSite === undefined ? '' : joinLines(fetchSite)) || undefined,
    host: readForwarded(request, trustedProxies).host ?? host,
  };
}

// Most requests have neither header.
function joinLines(lines: string | readonly string[]): string {
  return typeof lines === 'string' ? lines : lines.join(', ');
}

/**
 * True if a page of another host sent the request: a browser adds the cookie, the certificate and remembered BASIC credentials
 * automatically. Another port of the same host is the same host, as for cookies. Requests of programs have no origin and are
 * never from another host.
 */
export function isFromOtherHost({ origin, fetchSite, host }: OriginClaims): boolean {
  // The page hides its origin; a form of the gateway's own pages does too, under the policy `no-referrer`.
  if (origin === 'null') return fetchSite !== 'same-origin';
  const isSameHost = origin !== undefined && isOfHost(origin, host);
  switch (fetchSite) {
    // A browser without the header, or the user.
    case undefined:
    case 'none':
    case 'same-origin':
      return origin !== undefined && !isSameHost;
    // Another port, or another host below the same domain: only Origin distinguishes them.
    case 'same-site':
      return !isSameHost;
    default:
      return true;
  }
}

function isOfHost(origin: string, host: string | undefined): boolean {
  const [, sender] = /^https?:\/\/([^/]*)$/.exec(origin) ?? [];
  const hostname = findHostname(sender);
  return hostname !== undefined && hostname === findHostname(host);
}

/** Returns the name without the port, in one spelling; undefined for what is more or less than host and port. */
function findHostname(host: string | undefined): string | undefined {
  if (host === undefined || !/^[^\s/\\?#@]+$/.test(host)) return undefined;
  return URL.parse(`https://${host}`)?.hostname;
}
