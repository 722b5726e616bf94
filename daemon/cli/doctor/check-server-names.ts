import { X509Certificate } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

import { readRegularFile } from '../../base/file/regular-file.ts';
import { listLocalNames } from '../../security/certificate/certificate-issuer.ts';
import { chooseTlsFiles } from '../../security/certificate/tls-files.ts';
import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import type { Finding } from '../machine-checks.ts';
import { listAddresses } from '../setup/setup-options.ts';
import type { PrivateAuthority } from './private-authority.ts';

/** Names and addresses of this machine for other machines. */
export interface MachineNames {
  /** Undefined if it is not suitable for a certificate. */
  readonly hostName: string | undefined;
  readonly addresses: readonly string[];
}

/** Issuer of a certificate: the private authority, the daemon at its first start, or another one. */
interface Origin {
  readonly certificateFile: string;
  readonly isOurs: boolean;
  readonly isOwnCertificate: boolean;
}

const CHECK = 'certificate';
const REMEDY = 'penstock setup';

/** Returns the current names of this machine. */
export function readMachineNames(): MachineNames {
  const hostName = listLocalNames().hostNames.find((name) => name !== 'localhost');
  return { hostName, addresses: listAddresses() };
}

/**
 * Checks that clients can verify the server certificate: with their authority, and for the current names of the machine.
 *
 * @param machine names of the machine; loopback names only count if the gateway listens on nothing else
 */
export async function checkServerNames(
  settings: GatewaySettings,
  authority: PrivateAuthority | undefined,
  machine: MachineNames,
): Promise<readonly Finding[]> {
  const { certificateFile, isOwnCertificate } = await chooseTlsFiles(
    settings.tls,
    settings.dataDirectory,
    tlsDirectoryOf(settings),
  );
  const certificate = await read(certificateFile);
  if (certificate === undefined) return [];
  const isOurs =
    authority !== undefined &&
    certificate.checkIssued(authority.certificate) &&
    certificate.verify(authority.certificate.publicKey);
  const foreign = isOurs ? undefined : describeForeign(certificate, certificateFile, authority);
  if (foreign !== undefined) return [foreign];
  const expected = chooseExpected(settings.http.host, machine);
  return compareNames(certificate, expected, { certificateFile, isOurs, isOwnCertificate });
}

/** Finds a certificate not issued by the private authority, although its ledger contains server certificates. */
function describeForeign(
  { issuer }: X509Certificate,
  file: string,
  authority: PrivateAuthority | undefined,
): Finding | undefined {
  if (authority === undefined) return undefined;
  // An authority with only client certificates was never used for the server.
  const hasIssued = (purpose: string): boolean => authority.records.some((each) => each.purpose === purpose);
  if (!hasIssued('server') && hasIssued('client')) return undefined;
  const detail = `${file} was issued by ${nameOf(issuer)}, not by the authority in ${authority.directory}: clients that trust that one refuse it`;
  return { check: CHECK, state: 'WRONG', detail, advice: `${REMEDY} --replace` };
}

function chooseExpected(host: string, machine: MachineNames): MachineNames {
  if (host === '::' || host === '0.0.0.0') return machine;
  if (isIP(host) === 0) return { hostName: host.toLowerCase(), addresses: [] };
  return { hostName: undefined, addresses: [host] };
}

function compareNames(
  certificate: X509Certificate,
  { hostName, addresses }: MachineNames,
  { certificateFile, isOurs, isOwnCertificate }: Origin,
): readonly Finding[] {
  const hasName = hostName === undefined || certificate.checkHost(hostName) !== undefined;
  // IPv6 addresses may change daily.
  const fixed = addresses.some(isIPv4) ? addresses.filter(isIPv4) : addresses;
  const missing = fixed.filter((address) => certificate.checkIP(address) === undefined);
  const isUnknownEverywhere = fixed.length > 0 && missing.length === fixed.length;
  const find = (state: Finding['state'], what: string): readonly Finding[] => [
    {
      check: CHECK,
      state,
      detail: `${certificateFile} is not for ${what}: clients that use it refuse the gateway`,
      advice:
        isOurs || isOwnCertificate
          ? REMEDY
          : 'get a certificate for it, or use a name in the certificate to connect',
    },
  ];
  // The certificate of the first start only contains loopback addresses.
  if (isOwnCertificate) return hasName ? [] : find('WRONG', `the host name ${hostName}`);
  if (!isOurs) {
    const isKnown = (hostName !== undefined && hasName) || (fixed.length > 0 && !isUnknownEverywhere);
    const names = [...(hostName === undefined ? [] : [hostName]), ...fixed].join(', ');
    return isKnown || names === '' || isNamedAlike(certificate, hostName) ? [] : find('WARNING', names);
  }
  if (!hasName) return find('WRONG', `the host name ${hostName}`);
  if (missing.length === 0) return [];
  return find(isUnknownEverywhere ? 'WRONG' : 'WARNING', `the address ${missing.join(', ')}`);
}

/** Returns true if the certificate contains the host name with a domain. */
function isNamedAlike({ subjectAltName = '' }: X509Certificate, hostName: string | undefined): boolean {
  const [label = ''] = hostName?.split('.') ?? [];
  return label !== '' && subjectAltName.toLowerCase().includes(`dns:${label}.`);
}

function nameOf(issuer: string): string {
  return /^CN=(.*)$/m.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ');
}

async function read(file: string): Promise<X509Certificate | undefined> {
  try {
    return new X509Certificate(await readRegularFile(file));
  } catch {
    return undefined;
  }
}
