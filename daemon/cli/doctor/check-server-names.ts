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

/** What other machines reach this one by. */
export interface MachineNames {
  /** Undefined where it is no name that a certificate can have. */
  readonly hostName: string | undefined;
  readonly addresses: readonly string[];
}

/** Who made a certificate: the private authority, or the daemon itself at its first start, or somebody else. */
interface Origin {
  readonly certificateFile: string;
  readonly isOurs: boolean;
  readonly isOwnCertificate: boolean;
}

const CHECK = 'certificate';
const CURE = 'penstock setup';

/** Returns the names of this machine as they are now. */
export function readMachineNames(): MachineNames {
  const hostName = listLocalNames().hostNames.find((name) => name !== 'localhost');
  return { hostName, addresses: listAddresses() };
}

/**
 * Checks that clients can verify the certificate of the server: by the authority that they were given, and under the names
 * that the machine has now.
 *
 * @param machine the names of the machine; those of the loopback count where the gateway serves nothing else
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

/** Finds a certificate that those who trust the private authority refuse; its ledger says that it issued one before. */
function describeForeign(
  { issuer }: X509Certificate,
  file: string,
  authority: PrivateAuthority | undefined,
): Finding | undefined {
  if (authority === undefined) return undefined;
  // An authority that has issued for clients alone was never to verify the server.
  const hasIssued = (purpose: string): boolean => authority.records.some((each) => each.purpose === purpose);
  if (!hasIssued('server') && hasIssued('client')) return undefined;
  const detail = `${file} was issued by ${nameOf(issuer)}, not by the authority in ${authority.directory}: clients that trust that one refuse it`;
  return { check: CHECK, state: 'WRONG', detail, advice: `${CURE} --replace` };
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
  // Addresses of version 6 may change by the day.
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
          ? CURE
          : 'get a certificate for it, or use a name in the certificate to connect',
    },
  ];
  // The certificate of the first start has no addresses but those of the loopback.
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

/** Whether the certificate has the name of the machine with a domain. */
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
