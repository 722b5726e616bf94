import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';

import { formatTable } from '../terminal/table.ts';
import { listClientFiles } from './client-files.ts';
import type { CurrentSetup } from './current-setup.ts';
import type { PlannedPart } from './plan.ts';
import { isMissing } from './optional-file.ts';
import { listAddresses } from './setup-options.ts';

/** Lists the parts of a plan with their outcome. */
export function formatPlan(parts: readonly PlannedPart[], done: string): string {
  return formatTable<PlannedPart>(
    [
      {
        title: 'STEP',
        show: ({ step, refusal }) =>
          refusal === undefined ? (step === undefined ? 'kept' : done) : 'REFUSED',
      },
      { title: 'PART', show: ({ text }) => text },
    ],
    parts,
  );
}

/** Addresses of the gateway and files of the clients after the setup. */
export interface AccessReport {
  readonly https: readonly string[];
  readonly clientCertificate: readonly string[];
  /** Addresses of the console; empty if it is disabled. */
  readonly console: readonly string[];
  /** Clients with files on this machine. */
  readonly clients: readonly {
    readonly name: string;
    readonly folder: string;
    readonly curl: string;
    /** PKCS #12 file for browsers; undefined: no longer here. */
    readonly pkcs12: string | undefined;
  }[];
}

/** Describes the access for clients, with a name that this machine can resolve. */
export async function describeAccess({ settings, clients }: CurrentSetup): Promise<AccessReport> {
  const { httpsPorts, httpsClientAuthPorts } = settings.http;
  const name = await findName();
  const toUrl = (port: number, standard?: number): string =>
    `https://${name}${port === standard ? '' : `:${port}`}`;
  const [port = 4443] = httpsClientAuthPorts;
  return {
    https: httpsPorts.map((each) => toUrl(each, 443)),
    clientCertificate: httpsClientAuthPorts.map((each) => toUrl(each)),
    console: settings.console.enabled ? httpsPorts.map((each) => `${toUrl(each, 443)}/`) : [],
    clients: await Promise.all(
      [...clients]
        .filter(([, { files }]) => files !== 'KEY_AWAY')
        .map(async ([client, { folder }]) => ({
          name: client,
          folder,
          curl: toCurl(folder, client, `${toUrl(port)}/services/assets`),
          pkcs12: await findPkcs12(folder, client),
        })),
    ),
  };
}

/** Formats the access for clients and the next step. */
export function formatAccess({ https, clientCertificate, console: consoles, clients }: AccessReport): string {
  const urls = [
    ...https.map((url) => `  ${url}  with a password, a session or a token\n`),
    ...clientCertificate.map((url) => `  ${url}  with a client certificate\n`),
    ...consoles.map((url) => `  ${url}  the console, in a browser\n`),
  ];
  const tries = clients.map(
    ({ name, folder, curl, pkcs12 }) =>
      `\nFiles of ${name}, to be copied to it over a secure channel:\n  ${folder}\n` +
      (pkcs12 === undefined
        ? ''
        : `Browsers import ${name}.p12 with the password in ${name}.p12.password. `) +
      `Try it:\n${curl}\n`,
  );
  const next = 'penstock driver add plc --type modbus --host 192.0.2.20';
  return `The gateway is available at\n${urls.join('')}${tries.join('')}\nNext, connect a device, for example:\n${next}\n`;
}

async function findPkcs12(folder: string, name: string): Promise<string | undefined> {
  const { pkcs12, pkcs12Password } = listClientFiles(folder, name);
  const isMissingOne = (await isMissing(pkcs12)) || (await isMissing(pkcs12Password));
  return isMissingOne ? undefined : pkcs12;
}

async function findName(): Promise<string> {
  const name = hostname().toLowerCase();
  try {
    await lookup(name);
    return name;
  } catch {
    const [address] = listAddresses();
    if (address === undefined) return 'localhost';
    return address.includes(':') ? `[${address}]` : address;
  }
}

function toCurl(folder: string, name: string, url: string): string {
  const files = listClientFiles(folder, name);
  return [
    `curl --cacert ${quote(files.authority)} \\`,
    `  --cert ${quote(files.certificate)} \\`,
    `  --key ${quote(files.privateKey)} \\`,
    `  ${url}`,
  ].join('\n');
}

/** Quotes a path for the shell if needed. */
function quote(file: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}
