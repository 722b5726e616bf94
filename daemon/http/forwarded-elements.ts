import { isIP } from 'node:net';

import { unmapped } from './trusted-proxies.ts';

// One parameter, and what ends it: token = token, or token = quoted-string (RFC 7239, 4; RFC 9110, 5.6). Colons and brackets are
// for those who do not quote addresses of IPv6.
const PARAMETER =
  /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\[\t -~])*)"|([!#$%&'*+.^_`|~\w:[\]-]+)))?[ \t]*(;|,|$)/y;

/**
 * Parses the field `Forwarded` (RFC 7239).
 *
 * @returns the parameters of each element, by their names in lower case, the client first; empty when the field is malformed
 */
export function parseForwarded(field: string): readonly ReadonlyMap<string, string>[] {
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
export function readNodeAddress(node: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::[\w.-]{1,64})?$/.exec(node) ?? [];
  const address = unmapped((bracketed ?? plain ?? node).toLowerCase());
  return isIP(address) === 0 ? undefined : address;
}
