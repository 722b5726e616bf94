import { isIPv4 } from 'node:net';

import { chooseTlsFiles } from '../../security/certificate/tls-files.ts';
import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { listIdentities, listPermissions } from '../../interface/security/identities.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { isNotFound, Refused, CommandError } from '../command-error.ts';
import type { Finding } from '../machine-checks.ts';
import { readSection } from '../../interface/configuration/configuration.ts';
import type { RestClient } from '../client/rest-client.ts';
import { isItem } from '../configuration/setting-edit.ts';
import { listValid } from './private-authority.ts';
import type { PrivateAuthority } from './private-authority.ts';
import type { UserConfig } from '../../interface/security/identities.ts';
import { hasEnded } from '../identity/grant-text.ts';
import { suggest } from '../terminal/suggestion.ts';
import { GrantMatcher } from '../identity/unmatched-grants.ts';

interface AuthenticationContext {
  readonly settings: GatewaySettings;
  readonly authority: PrivateAuthority | undefined;
  readonly nowMs: number;
}

const CHECK = 'authentication';

/**
 * Checks that clients can use their credentials and that none are sent in clear text; empty if the caller may not see the
 * configuration.
 */
export async function checkAuthentication(
  client: RestClient,
  context: AuthenticationContext,
): Promise<readonly Finding[]> {
  try {
    const section = await client.call(readSection, { section: 'rest' });
    const rest = isItem(section) ? section : {};
    const { userConfig } = await client.call(listIdentities);
    return [
      ...checkPlainBasic(rest, context.settings),
      ...(await checkCertificateLogin(rest, context)),
      ...checkCertified(new Set(userConfig.map(({ userName }) => userName)), context),
    ];
  } catch (error) {
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  }
}

/** BASIC sends the password with every request; a trusted proxy may terminate TLS. */
function checkPlainBasic(
  rest: Readonly<Record<string, unknown>>,
  { http }: GatewaySettings,
): readonly Finding[] {
  const allowed = rest['allowedPorts'] as readonly number[] | undefined;
  const ports = http.ports.filter(
    (port) => allowed === undefined || allowed.length === 0 || allowed.includes(port),
  );
  const isOn = rest['basicAuthenticationEnabled'] === true;
  if (!isOn || ports.length === 0 || http.trustedProxies.length > 0) return [];
  const isLocal = http.host === '::1' || (isIPv4(http.host) && http.host.startsWith('127.'));
  const detail = `BASIC is enabled, and port ${ports.join(', ')} has no TLS: each request sends the password in clear text`;
  const advice = 'remove http.ports, or: penstock config set rest.basicAuthenticationEnabled false';
  return [{ check: CHECK, state: isLocal ? 'WARNING' : 'WRONG', detail, advice }];
}

/** Clients with a certificate of the private authority send it with each request, as `penstock setup` prints. */
async function checkCertificateLogin(
  rest: Readonly<Record<string, unknown>>,
  { settings, authority, nowMs }: AuthenticationContext,
): Promise<readonly Finding[]> {
  const { http, tls, dataDirectory } = settings;
  const files = await chooseTlsFiles(tls, dataDirectory, tlsDirectoryOf(settings));
  const hasPort = http.httpsClientAuthPorts.length > 0 && files.clientCertificateAuthoritiesFile !== null;
  if (!hasPort || rest['statelessCertificateAuthenticationEnabled'] === true) return [];
  const isLoginOn =
    rest['certificateAuthenticationEnabled'] !== false && rest['sessionBasedAuthenticationEnabled'] !== false;
  const clients = authority === undefined ? [] : listValid(authority, 'client', nowMs);
  if (clients.length === 0 && isLoginOn) return [];
  const detail = isLoginOn
    ? `certificates are only accepted for session logins: requests of ${listNames(clients)} get 401`
    : 'certificates are accepted neither with a request nor for a login: every client with one gets 401';
  const advice =
    'penstock setup, or: penstock config set rest.statelessCertificateAuthenticationEnabled true';
  return [{ check: CHECK, state: 'WRONG', detail, advice }];
}

/** A certificate is only usable if its name is an identity. */
function checkCertified(
  identities: ReadonlySet<string>,
  { authority, nowMs }: AuthenticationContext,
): readonly Finding[] {
  if (authority === undefined) return [];
  const orphans = listValid(authority, 'client', nowMs).filter(({ name }) => !identities.has(name));
  const byName = new Map(orphans.map((record) => [record.name, record]));
  return [...byName.values()].map(({ name, expiresAtMs }) => ({
    check: `identity ${name}`,
    state: 'WRONG',
    detail: `it does not exist, and its certificate is valid until ${formatLocalTime(expiresAtMs)}: requests with it get 401`,
    advice: `penstock certificate revoke '${name}', or: penstock setup --client '${name}'`,
  }));
}

function listNames(records: readonly { readonly name: string }[]): string {
  const names = [...new Set(records.map(({ name }) => name))];
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and others` : names.join(', ');
}

/** Reports unused permissions and unmatched grants; empty if the caller may not see them. */
export async function checkRights(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { userConfig } = await client.call(listIdentities);
    const { permissions } = await client.call(listPermissions);
    const matcher = new GrantMatcher(client);
    const findings = userConfig.map((identity) => checkIdentity(identity, permissions, matcher));
    return (await Promise.all(findings)).flat();
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}

async function checkIdentity(
  { userName, permissions, grants = [] }: UserConfig,
  defined: readonly string[],
  matcher: GrantMatcher,
): Promise<readonly Finding[]> {
  const check = `identity ${userName}`;
  const unknown = permissions
    .filter((permission) => !defined.includes(permission))
    .map((permission): Finding => {
      const detail = `nothing uses the permission ${permission}${suggest(permission, defined)}`;
      return { check, state: 'WARNING', detail, advice: `penstock identity update '${userName}'` };
    });
  const inForce = grants.filter((grant) => !hasEnded(grant));
  const unmatched = (await Promise.all(inForce.map((grant) => matcher.findUnmatched(grant)))).flat();
  const advice = `penstock identity show '${userName}'; ignore this if the names will exist later`;
  return [
    ...unknown,
    ...[...new Set(unmatched)].map((detail): Finding => ({ check, state: 'WARNING', detail, advice })),
  ];
}
