import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import type { TrustedProxies } from './trusted-proxies.ts';
import { unmapped, peerAddressOf } from './trusted-proxies.ts';

// One parameter, and what ends it: token = token, or token = quoted-string (RFC 7239, 4; RFC 9110, 5.6). Colons and brackets are
// for those who do not quote addresses of IPv6.
const PARAMETER =
  /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\[\t -~])*)"|([!#$%&'*+.^_`|~\w:[\]-]+)))?[ \t]*(;|,|$)/y;

/** Connection of a client to the proxy. */
interface Forwarded {
  /** True for TLS; undefined: not reported by the proxy. */
  readonly isSecure?: boolean;
  /** Host, and port unless it is the default; undefined: not reported by the proxy. */
  readonly host?: string;
  /** Path of the gateway on the proxy, without a slash at its end; empty: the root. */
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

/**
 * Parses the field `Forwarded` (RFC 7239).
 *
 * @returns the parameters of each element, by their names in lower case, the client first; empty when the field is malformed
 */
function parseForwarded(field: string): readonly ReadonlyMap<string, string>[] {
  const elements: Map<string, string>[] = [];
  let element = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  for (;;) {
    const [whole, name, quoted, token, end] = PARAMETER.exec(field) ?? [];
    if (whole === undefined) return [];
    if (name !== undefined)
      element.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? token ?? '');
    if (end === ';') continue;
    // Empty elements of a list are no elements (RFC 9110, 5.6.1).
    if (element.size > 0) elements.push(element);
    element = new Map();
    if (end === '') return elements;
  }
}

/**
 * Returns the address of a node, which may have a port (RFC 7239, 6).
 *
 * @param node such as `192.0.2.7`, `192.0.2.7:4711`, `[2001:db8::7]:4711`
 * @returns undefined for `unknown`, for a name that hides the address, and for what is none
 */
function readNodeAddress(node: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::[\w.-]{1,64})?$/.exec(node) ?? [];
  const address = unmapped((bracketed ?? plain ?? node).toLowerCase());
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Returns the address of a client, also behind proxies.
 *
 * `X-Forwarded-For`, else `for` of `Forwarded` (RFC 7239), counts only where the peer is a trusted proxy; read from its end, the
 * first address that is no trusted proxy is the client. What is no address ends the way at the last one that is.
 */
export function findForwardedAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  const peer = peerAddressOf(request);
  if (!trusted.has(peer)) return peer;
  let client = peer;
  for (const hop of listHops(request).toReversed()) {
    const address = readNodeAddress(hop);
    if (address === undefined) break;
    client = address;
    if (!trusted.has(address)) break;
  }
  return client;
}

/** Lists whom the proxies have received the request from, the client first. */
function listHops({ headers }: IncomingMessage): readonly string[] {
  const addresses = [headers['x-forwarded-for'] ?? []].flat().join(',');
  if (addresses !== '') return addresses.split(',').map((text) => text.trim());
  return parseForwarded(headers.forwarded ?? '').map((element) => element.get('for') ?? 'unknown');
}
