import { InvalidRequest } from '../../base/errors.ts';
import { refuseUnknownHost } from './proxy/host-names.ts';
import type { IsKnownHost } from './proxy/host-names.ts';
import { HttpRefusal } from './problem.ts';
import type { Step } from './request-context.ts';
import type { TrustedProxies } from './proxy/trusted-proxies.ts';

const HEADER_LIMIT = 100;
// Of a duplicate, one component may evaluate the first and another the second.
const SINGLE_HEADERS = new Set([
  'authorization',
  'content-type',
  'host',
  'cookie',
  'x-xsrf-token',
  'content-encoding',
]);

/** 505: refuses versions other than HTTP/1.1 and HTTP/1.0, and request lines without a version. */
export const refuseOtherVersions: Step = ({ request: { httpVersion } }) => {
  if (httpVersion === '1.1' || httpVersion === '1.0') return;
  const detail = 'expected HTTP/1.1 or HTTP/1.0';
  const headers = { Connection: 'close' };
  throw new HttpRefusal({ status: 505, code: 'HTTP_VERSION_UNSUPPORTED', detail, headers });
};

/** 400: refuses a request line with several spaces, and more than one empty line before it. */
export const refuseMalformedLine: Step = ({ isLineMalformed = false }) => {
  if (!isLineMalformed) return;
  const detail = 'expected method, target and version separated by one space, after at most one empty line';
  const headers = { Connection: 'close' };
  throw new HttpRefusal({ status: 400, code: 'REQUEST_LINE_MALFORMED', detail, headers });
};

/** 400 and 431: refuses ambiguous or too many headers. */
export const refuseAmbiguousHeaders: Step = ({ request: { rawHeaders, headers, httpVersion } }) => {
  if (rawHeaders.length > 2 * HEADER_LIMIT) {
    const detail = `more than ${HEADER_LIMIT} headers`;
    throw new HttpRefusal({ status: 431, code: 'HEADERS_TOO_MANY', detail });
  }
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) {
      throw new InvalidRequest({ code: 'HEADER_DOUBLED', detail: `duplicate header ${name}` });
    }
    seen.add(name);
  }
  // RFC 9112, 3.2.
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new InvalidRequest({ code: 'HOST_MISSING', detail: 'the Host header is missing' });
  }
};

/** 421: refuses unknown host names, through which a foreign page could reach the gateway (DNS rebinding). */
export function refuseForeignHost(isKnown: IsKnownHost, trustedProxies: () => TrustedProxies): Step {
  return ({ isLocal, request }) => {
    if (!isLocal) refuseUnknownHost(request, isKnown, trustedProxies());
  };
}
