import type { IncomingMessage } from 'node:http';

import { parseForwarded } from './forwarded-elements.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** How a client reached the proxy before the gateway. */
interface Forwarded {
  /** Whether it did so over TLS; undefined: the proxy does not say. */
  readonly isSecure?: boolean;
  /** Host, and port unless it is the usual one; undefined: the proxy does not say. */
  readonly host?: string;
  /** Path below which the gateway lies there, without a slash at its end; empty: at the root. */
  readonly pathPrefix: string;
}

const DIRECT: Forwarded = { pathPrefix: '' };
// A path, and nothing that a browser would take for another host or for a parent.
const PREFIX = /^(?:\/[A-Za-z0-9_~!$&'()*+,;=:@%-][A-Za-z0-9._~!$&'()*+,;=:@%-]*){1,16}$/;
const MAXIMUM_PREFIX = 256;

/**
 * Reads what a trusted proxy says of the way to it: `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-Prefix`, else
 * `Forwarded` (RFC 7239). Of several values the first counts, which is that of the proxy next to the client. Fields of
 * others, and values that are none, say nothing.
 */
export function readForwarded(request: IncomingMessage, trusted: TrustedProxies): Forwarded {
  const { headers } = request;
  const {
    'x-forwarded-proto': proto,
    'x-forwarded-host': hosts,
    'x-forwarded-prefix': prefix,
    forwarded,
  } = headers;
  if ((proto ?? hosts ?? prefix ?? forwarded) === undefined || !trusted.sent(request)) return DIRECT;
  const [standard] = parseForwarded(forwarded ?? '');
  const scheme = (firstOf(proto) ?? standard?.get('proto'))?.toLowerCase();
  const host = firstOf(hosts) ?? (standard?.get('host') || undefined);
  return {
    ...(scheme === 'https' || scheme === 'http' ? { isSecure: scheme === 'https' } : {}),
    ...(host === undefined ? {} : { host }),
    pathPrefix: readPrefix(firstOf(prefix)),
  };
}

/** Returns the first element of a list in a field; undefined when it is empty. */
function firstOf(field: string | readonly string[] | undefined): string | undefined {
  const first = [field ?? []].flat().join(',').split(',', 1)[0]?.trim();
  return first === '' ? undefined : first;
}

function readPrefix(given: string | undefined): string {
  const prefix = given?.replace(/\/+$/, '') ?? '';
  return prefix.length <= MAXIMUM_PREFIX && PREFIX.test(prefix) ? prefix : '';
}
