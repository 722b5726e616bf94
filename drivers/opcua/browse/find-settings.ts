import type { ApplicationDescription, EndpointDescription } from 'node-opcua-client';
import { createReason, quoteError } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { describeScan } from '../../../daemon/channel/discovery.ts';
import type { Scanning, Settings } from '../../../daemon/channel/discovery.ts';
import type { SettingsSearch } from '../../../daemon/channel/driver.ts';
import type { PresentedCertificate } from '../../../daemon/channel/trusting-driver.ts';
import type { ClientStackFactory } from './client-stack.ts';
import { configSchema } from '../opcua-config.ts';
import { OPCUA_SCAN_SENTENCES } from '../scan-sentences.ts';
import { OpcuaLink } from '../session/opcua-link.ts';
import { chooseProtection, listUserKinds, explainProtection, readOffer } from '../trust/security.ts';
import type { OfferedProtection } from '../trust/security.ts';
import { callUnsecured, findServers } from '../transport/server-channel.ts';
import type { ServerAccess } from '../transport/server-channel.ts';
import { describePresented } from '../trust/server-trust.ts';
import { textOf } from './variable-properties.ts';

/** An endpoint of a server. */
interface OfferedEndpoint extends OfferedProtection {
  readonly endpointUrl: string;
  /** User token types: `anonymous`, `user name`. */
  readonly users: readonly string[];
}

/** A server known to the server, possibly itself. */
interface OfferedServer {
  readonly name: string;
  readonly applicationUri: string;
  readonly urls: readonly string[];
}

/** Result of GetEndpoints and FindServers. */
interface ServerDescription {
  readonly endpoints: readonly OfferedEndpoint[];
  readonly servers: readonly OfferedServer[];
  /** Absent if it presents none. */
  readonly certificate?: PresentedCertificate | undefined;
}

// Servers usually have a handful of each; more are not shown.
const MAXIMUM_ENDPOINTS = 50;
const MAXIMUM_SERVERS = 20;
const MAXIMUM_TEXT = 500;

/**
 * Requests the endpoints of a server, reports them with its certificate, and chooses the strongest security unless
 * configured.
 *
 * @returns the settings for a driver; undefined if the signal aborted the search
 * @throws {ConnectionError}
 */
export async function findOpcuaSettings(
  given: Settings,
  { context, signal, report }: SettingsSearch,
  equip: ClientStackFactory,
): Promise<Settings | undefined> {
  const { endpointUrl, connectTimeoutMs, serverName } = given;
  // These requests need neither security nor a user.
  const config = configSchema.parse({ endpointUrl, connectTimeoutMs, serverName });
  report({ type: 'progress', done: 0, text: config.endpointUrl });
  let offer: ServerDescription;
  try {
    offer = await new OpcuaLink(config, context, equip).withServerAccess(signal, describeOfferingServer);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
  reportOffer(offer, report);
  if (given['securityMode'] !== undefined || given['securityPolicy'] !== undefined) return given;
  const hasUser = given['userName'] !== undefined || given['userCertificateFile'] !== undefined;
  // A user is never sent unprotected; without a secure endpoint the connection fails with a message that lists the
  // endpoints.
  const offers = hasUser ? offer.endpoints.filter(isProtected) : offer.endpoints;
  return { ...given, ...chooseProtection(offers) };
}

function isProtected({ securityMode }: OfferedEndpoint): boolean {
  return securityMode !== 'NONE';
}

function reportOffer(
  { endpoints, servers, certificate }: ServerDescription,
  report: Scanning['report'],
): void {
  for (const { name, applicationUri, urls } of servers) {
    report({
      type: 'found',
      subject: applicationUri,
      kind: 'SERVER',
      text: [name, ...urls].join(' '),
      fields: { name, applicationUri, urls: urls.join(' ') },
    });
  }
  for (const endpoint of endpoints) {
    const { endpointUrl, securityMode = 'UNKNOWN', securityPolicy, users, isUsable } = endpoint;
    report({
      type: 'found',
      subject: endpointUrl,
      kind: 'ENDPOINT',
      ...describeScan(explainProtection(endpoint), explainUsers(users)),
      fields: { endpointUrl, securityMode, securityPolicy, users: users.join(', '), isUsable },
    });
  }
  if (certificate !== undefined) reportCertificate(certificate, report);
}

function reportCertificate(certificate: PresentedCertificate, report: Scanning['report']): void {
  const { subject, issuer, fingerprint, validFromMs, validUntilMs, trustedAs, problems } = certificate;
  const [from = '', until = ''] = [validFromMs, validUntilMs].map(toTime);
  const problem = problems.map(({ message }) => message).join('; ');
  report({
    type: 'found',
    subject,
    kind: 'CERTIFICATE',
    ...describeScan(...explainCertificate(certificate)),
    fields: {
      subject,
      issuer,
      fingerprint,
      validFrom: from,
      validUntil: until,
      isTrusted: trustedAs !== undefined,
      problems: problem,
    },
  });
}

function explainUsers(users: readonly string[]): FaultReason {
  return users.length === 0
    ? createReason(OPCUA_SCAN_SENTENCES, 'SCAN_ENDPOINT_WITHOUT_USERS', {})
    : createReason(OPCUA_SCAN_SENTENCES, 'SCAN_ENDPOINT_USERS', { users });
}

function explainCertificate(certificate: PresentedCertificate): readonly FaultReason[] {
  const { fingerprint, validUntilMs, trustedAs, problems } = certificate;
  const sentences = OPCUA_SCAN_SENTENCES;
  const trust = trustedAs === undefined ? 'SCAN_CERTIFICATE_NOT_TRUSTED' : 'SCAN_CERTIFICATE_TRUSTED';
  return [
    createReason(sentences, trust, {}),
    validUntilMs === undefined
      ? createReason(sentences, 'SCAN_CERTIFICATE_VALIDITY_UNKNOWN', {})
      : createReason(sentences, 'SCAN_CERTIFICATE_VALID', { until: toTime(validUntilMs) }),
    ...problems.map(({ status, message }) => quoteError({ code: status, message })),
    createReason(sentences, 'SCAN_CERTIFICATE_FINGERPRINT', { fingerprint }),
  ];
}

function toTime(timeMs: number | undefined): string {
  return timeMs === undefined ? 'an unknown time' : new Date(timeMs).toISOString();
}

/**
 * Requests the endpoints, the identity and the known servers of a server.
 *
 * @throws {ConnectFailed}
 */
async function describeOfferingServer(access: ServerAccess): Promise<ServerDescription> {
  const { endpoints, servers } = await callUnsecured(access, async (channel) => ({
    endpoints: await channel.getEndpoints(),
    servers: await findServers(channel, access),
  }));
  return {
    endpoints: endpoints.slice(0, MAXIMUM_ENDPOINTS).map((endpoint) => toEndpoint(endpoint)),
    servers: servers.slice(0, MAXIMUM_SERVERS).map((server) => toServer(server)),
    certificate: await describePresented(endpoints, access),
  };
}

function toEndpoint(endpoint: EndpointDescription): OfferedEndpoint {
  return {
    ...readOffer(endpoint),
    endpointUrl: cut(endpoint.endpointUrl),
    users: listUserKinds(endpoint),
  };
}

function toServer({ applicationName, applicationUri, discoveryUrls }: ApplicationDescription): OfferedServer {
  return {
    name: cut(textOf(applicationName)),
    applicationUri: cut(applicationUri),
    urls: (discoveryUrls ?? []).slice(0, MAXIMUM_ENDPOINTS).map(cut),
  };
}

function cut(text: string | null | undefined): string {
  return (text ?? '').toWellFormed().slice(0, MAXIMUM_TEXT);
}
