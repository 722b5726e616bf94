import type { Scanning, Settings } from '../../daemon/channel/discovery.ts';
import type { SettingsSearch } from '../../daemon/channel/driver.ts';
import type { PresentedCertificate } from '../../daemon/channel/trusting-driver.ts';
import type { Equip } from './equipment.ts';
import { configSchema } from './opcua-config.ts';
import { OpcuaLink } from './opcua-link.ts';
import { chooseProtection } from './security.ts';
import { askOffer } from './server-offer.ts';
import type { OfferedEndpoint, ServerOffer } from './server-offer.ts';

/**
 * Asks a server for its endpoints, reports them with its certificate, and chooses the strongest protection, unless the
 * settings name one.
 *
 * @returns the settings for a driver; undefined when the signal ended the search
 * @throws {ConnectionError}
 */
export async function findOpcuaSettings(
  given: Settings,
  { context, signal, report }: SettingsSearch,
  equip: Equip,
): Promise<Settings | undefined> {
  const { endpointUrl, connectTimeoutMs, serverName } = given;
  // What is asked for here goes over a channel without protection, and without a user.
  const config = configSchema.parse({ endpointUrl, connectTimeoutMs, serverName });
  report({ type: 'progress', done: 0, text: config.endpointUrl });
  let offer: ServerOffer;
  try {
    offer = await new OpcuaLink(config, context, equip).workApart(signal, askOffer);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
  reportOffer(offer, report);
  if (given['securityMode'] !== undefined || given['securityPolicy'] !== undefined) return given;
  const hasUser = given['userName'] !== undefined || given['userCertificateFile'] !== undefined;
  // A user is never shown to everyone; without protection the connection fails, and its message lists the offer.
  const offers = hasUser ? offer.endpoints.filter(isProtected) : offer.endpoints;
  return { ...given, ...chooseProtection(offers) };
}

function isProtected({ securityMode }: OfferedEndpoint): boolean {
  return securityMode !== 'NONE';
}

function reportOffer({ endpoints, servers, certificate }: ServerOffer, report: Scanning['report']): void {
  for (const { name, applicationUri, urls } of servers) {
    report({
      type: 'found',
      subject: applicationUri,
      kind: 'SERVER',
      text: [name, ...urls].join(' '),
      fields: { name, applicationUri, urls: urls.join(' ') },
    });
  }
  for (const { endpointUrl, securityMode = 'UNKNOWN', securityPolicy, users, isUsable } of endpoints) {
    const protection = securityMode === 'NONE' ? securityMode : `${securityMode} with ${securityPolicy}`;
    const remark = isUsable ? '' : ' (not supported)';
    report({
      type: 'found',
      subject: endpointUrl,
      kind: 'ENDPOINT',
      text: `${protection}${remark}; users: ${users.join(', ') || 'none'}`,
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
    text: [
      trustedAs === undefined ? 'not trusted yet' : 'trusted',
      `valid until ${until}`,
      ...(problem === '' ? [] : [problem]),
      `SHA-256 ${fingerprint}`,
    ].join('; '),
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

function toTime(timeMs: number | undefined): string {
  return timeMs === undefined ? 'an unknown time' : new Date(timeMs).toISOString();
}
