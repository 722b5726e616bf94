import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { HttpRefusal } from '../problem.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** True if the Host header, with or without a port, contains a name of the gateway. */
export type IsKnownHost = (host: string) => boolean;

interface HostNameSources {
  /** The setting `http.names`; `*.` matches one label. */
  readonly configured: () => readonly string[];
  /** The active server certificate; undefined while there is none. */
  readonly certificate: () => X509Certificate | undefined;
  /** True if it is a name of the machine; in lower case. */
  readonly isOfMachine: (name: string) => boolean;
}

// Clients send the same few spellings; each is worked out once.
const MAXIMUM_REMEMBERED = 64;

/**
 * Creates the check of Host fields (RFC 9110, 7.2): known are addresses, `localhost`, and the names of the machine, of the
 * certificate and of the settings, as these are at that moment. With any other name, a page of a foreign site whose name
 * resolves to the gateway would be a page of the gateway for a browser.
 */
export function createHostNames({ configured, certificate, isOfMachine }: HostNameSources): IsKnownHost {
  let accepted = new Set<string>();
  let names: readonly string[] = [];
  let leaf: X509Certificate | undefined;

  return (host) => {
    if (names !== configured() || leaf !== certificate()) {
      names = configured();
      leaf = certificate();
      accepted = new Set();
    }
    if (accepted.has(host)) return true;
    const name = readHostname(host);
    const isKnown =
      name !== undefined &&
      (isIP(name) !== 0 ||
        name === 'localhost' ||
        names.some((pattern) => isNamedBy(pattern, name)) ||
        // OpenSSL compares as the clients of the certificate do, wildcards included.
        leaf?.checkHost(name) !== undefined ||
        isOfMachine(name));
    if (isKnown && accepted.size < MAXIMUM_REMEMBERED) accepted.add(host);
    return isKnown;
  };
}

/**
 * Refuses a request for a host that the gateway is not, unless a trusted proxy sent it.
 *
 * @throws {HttpRefusal} 421 `HOST_UNKNOWN`
 */
export function refuseUnknownHost(
  request: IncomingMessage,
  isKnown: IsKnownHost,
  trustedProxies: TrustedProxies,
): void {
  const unknown = listHosts(request).find((host) => !isKnown(host));
  if (unknown === undefined || trustedProxies.sent(request)) return;
  const shown = JSON.stringify(unknown.slice(0, 253));
  const detail = `unknown host ${shown}; if it is a name of this gateway, add it to http.names in penstock.yaml`;
  throw new HttpRefusal({ status: 421, code: 'HOST_UNKNOWN', detail });
}

/** Lists the hosts that a request names: in its field Host, and in a target in absolute form (RFC 9112, 3.2.2). */
function listHosts({ headers: { host }, url = '' }: IncomingMessage): readonly string[] {
  const named = host === undefined ? [] : [host];
  if (url.startsWith('/') || url === '*') return named;
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  return authority === undefined ? named : [...named, authority];
}

/** Returns the name or address without brackets, port and the dot of the root, in lower case; undefined for anything else. */
function readHostname(host: string): string | undefined {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|(\w[\w.-]*))(?::\d*)?$/.exec(host) ?? [];
  // A zone is an affair of the client (RFC 6874).
  if (address !== undefined) return isIP(address.replace(/%.*$/, '')) === 6 ? '::' : undefined;
  const plain = name.replace(/\.$/, '').toLowerCase();
  return plain === '' ? undefined : plain;
}

function isNamedBy(pattern: string, name: string): boolean {
  const wanted = pattern.replace(/\.$/, '').toLowerCase();
  if (!wanted.startsWith('*.')) return name === wanted;
  const dot = name.indexOf('.');
  return dot > 0 && name.slice(dot) === wanted.slice(1);
}
