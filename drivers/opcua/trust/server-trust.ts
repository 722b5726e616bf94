import { createReason, explain } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import type { X509Certificate } from 'node:crypto';

import type { EndpointDescription } from 'node-opcua-client';

import { Conflict } from '../../../daemon/base/errors.ts';
import type { PresentedCertificate } from '../../../daemon/channel/trusting-driver.ts';
import { describeCertificate } from './described-certificate.ts';
import { ConnectFailed, explainStatus } from '../opcua-errors.ts';
import { parseEndpointUrl } from '../transport/opcua-transport.ts';
import {
  findCertificateFault,
  findTrustFault,
  includes,
  listCertificateFaults,
  OTHER_HOST,
  parseChain,
  UNTRUSTED,
} from './server-certificate.ts';
import type { CertificateCheck } from './server-certificate.ts';
import { callUnsecured, chooseEndpoint, listEndpoints } from '../transport/server-channel.ts';
import type { ServerAccess } from '../transport/server-channel.ts';
import { keepRejected, readTrustLists, trustCertificate } from './trust-directory.ts';

/**
 * Requests the endpoints of a server and validates its certificate.
 *
 * @throws {ConnectFailed}
 */
export async function findTrustedServer(access: ServerAccess): Promise<X509Certificate | undefined> {
  const check = await presentTo(access);
  const fault = findCertificateFault(check, access.library);
  const [leaf] = check.chain;
  if (fault === undefined) return leaf;
  const isUnknown = fault.status === UNTRUSTED && leaf !== undefined;
  // No trust on first use: an administrator compares the certificate with that of the device.
  const advice = isUnknown
    ? [
        createReason(OPCUA_FAILURES, 'SERVER_CERTIFICATE_TRUST', {}),
        createReason(OPCUA_FAILURES, 'SERVER_CERTIFICATE_KEPT', {
          file: await keepRejected(access.dataDirectory, leaf),
        }),
      ]
    : [];
  const url = { url: access.config.endpointUrl };
  const refused = createReason(OPCUA_FAILURES, 'SERVER_CERTIFICATE_REFUSED', url);
  const { status, message } = fault;
  const problem = { ...explainStatus(status), message: `${message} (${status})` };
  throw new ConnectFailed({ code: 'OPCUA_SERVER_CERTIFICATE', ...explain(refused, problem, ...advice) });
}

/**
 * Describes the certificate that a server presents, and the reasons for rejecting it.
 *
 * @throws {ConnectFailed}
 */
export async function describeServer(access: ServerAccess): Promise<PresentedCertificate> {
  return describe(await presentTo(access), access);
}

/**
 * Trusts the certificate that a server presents, if it is the reviewed one and usable.
 *
 * @throws {ConnectFailed}
 * @throws {Conflict} `OPCUA_CERTIFICATE_CHANGED`, `OPCUA_CERTIFICATE_UNUSABLE`, `OPCUA_TRUST_FULL`
 */
export async function trustServer(fingerprint: string, access: ServerAccess): Promise<PresentedCertificate> {
  const check = await presentTo(access);
  const presented = describe(check, access);
  const [leaf] = check.chain;
  const { endpointUrl } = access.config;
  if (leaf === undefined || presented.fingerprint !== fingerprint) {
    const detail = `${endpointUrl} now presents a different certificate with fingerprint ${presented.fingerprint}; nothing was trusted`;
    throw new Conflict({ code: 'OPCUA_CERTIFICATE_CHANGED', detail });
  }
  const lasting = presented.problems.find(({ isCurable }) => !isCurable);
  if (lasting !== undefined) {
    const detail = `${endpointUrl} would still be refused: ${lasting.message} (${lasting.status}); nothing was trusted`;
    throw new Conflict({ code: 'OPCUA_CERTIFICATE_UNUSABLE', detail });
  }
  await trustCertificate(access.dataDirectory, leaf);
  return { ...presented, trustedAs: 'CERTIFICATE' };
}

/** Describes the certificate in the endpoints of a server; undefined if there is no readable one. */
export async function describePresented(
  endpoints: readonly EndpointDescription[],
  access: ServerAccess,
): Promise<PresentedCertificate | undefined> {
  const presenting = endpoints.find(hasCertificate);
  const check = presenting === undefined ? undefined : await toCheck(presenting, access);
  return check === undefined || check.chain.length === 0 ? undefined : describe(check, access);
}

/** Requests the certificate of the server and everything needed to validate it. */
async function presentTo(access: ServerAccess): Promise<CertificateCheck> {
  const endpoints = await callUnsecured(access, (channel) => listEndpoints(channel, access));
  return toCheck(findPresenting(endpoints, access.config), access);
}

async function toCheck(
  endpoint: EndpointDescription,
  { library, config, dataDirectory, clock }: ServerAccess,
): Promise<CertificateCheck> {
  return {
    chain: parseChain(endpoint.serverCertificate, library),
    trust: await readTrustLists(dataDirectory),
    hostName: config.serverName ?? parseEndpointUrl(config.endpointUrl).hostname,
    applicationUri: endpoint.server.applicationUri ?? '',
    nowMs: clock.epochMs(),
  };
}

// An endpoint without security may omit the certificate.
function findPresenting(
  endpoints: readonly EndpointDescription[],
  config: ServerAccess['config'],
): EndpointDescription {
  const chosen = chooseEndpoint(endpoints, config);
  if (config.securityMode !== 'NONE' || hasCertificate(chosen)) return chosen;
  return endpoints.find(hasCertificate) ?? chosen;
}

function hasCertificate({ serverCertificate }: EndpointDescription): boolean {
  const certificate: Buffer | null | undefined = serverCertificate;
  return certificate !== null && certificate !== undefined && certificate.length > 0;
}

/** @throws {ConnectFailed} `OPCUA_SERVER_CERTIFICATE` if there is none */
function describe(check: CertificateCheck, { library, config }: ServerAccess): PresentedCertificate {
  const [leaf, ...issuers] = check.chain;
  if (leaf === undefined) {
    const url = { url: config.endpointUrl };
    const reason = createReason(OPCUA_FAILURES, 'SERVER_CERTIFICATE_MISSING', url);
    throw new ConnectFailed({ code: 'OPCUA_SERVER_CERTIFICATE', ...explain(reason) });
  }
  const { trusted } = check.trust;
  const asTrusted = { ...trusted, certificates: [...trusted.certificates, leaf] };
  const faults = listCertificateFaults({ ...check, trust: { ...check.trust, trusted: asTrusted } }, library);
  return {
    ...describeCertificate(leaf),
    issuers: issuers.map(describeCertificate),
    trustedAs: findTrustedAs(leaf, check, library),
    isNeeded: config.securityMode !== 'NONE',
    problems: faults.map(({ status, message }) => ({ status, message, isCurable: status === OTHER_HOST })),
  };
}

function findTrustedAs(
  leaf: X509Certificate,
  check: CertificateCheck,
  library: ServerAccess['library'],
): PresentedCertificate['trustedAs'] {
  if (includes(check.trust.trusted, leaf)) return 'CERTIFICATE';
  return findTrustFault(leaf, check, library) === undefined ? 'AUTHORITY' : undefined;
}
