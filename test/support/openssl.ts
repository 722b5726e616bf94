import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Runs the `openssl` of the machine and gives what it prints. */
export function openssl(parameters: readonly string[], directory: string): string {
  return execFileSync('openssl', parameters, { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
}

/** What a certificate made by `openssl` is to be; whatever is not said is as it should be. */
export interface OpensslCertificate {
  /** Subject as `-subj` takes it, for example `/CN=scada`. */
  readonly subject?: string;
  /** Lines of the extension section; a client certificate unless given. */
  readonly extensions?: readonly string[];
  /** Options that make the key; P-256 unless given. */
  readonly key?: readonly string[];
  readonly digest?: string;
  /** Both as GeneralizedTime, for example `20250101000000Z`. */
  readonly validity?: readonly [from: string, until: string];
  /** Multi-valued relative names, as `-multivalue-rdn` reads `+`. */
  readonly isUtf8?: boolean;
}

const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Extension lines of certificates as they should be. */
export const EXTENSIONS = {
  authority: ['basicConstraints = critical,CA:true', 'keyUsage = critical,keyCertSign,cRLSign'],
  client: [
    'basicConstraints = critical,CA:false',
    'keyUsage = critical,digitalSignature',
    'extendedKeyUsage = clientAuth',
  ],
  server: [
    'basicConstraints = critical,CA:false',
    'keyUsage = critical,digitalSignature',
    'extendedKeyUsage = serverAuth',
    'subjectAltName = DNS:localhost,IP:127.0.0.1',
  ],
} as const;

/**
 * Certificates made with `openssl ca`: each has a name, under which `NAME.crt` and `NAME.key` lie in the directory.
 * Authorities keep a database of what they issued, so that they can revoke it.
 */
export class OpensslCertificates {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  file(name: string): string {
    return path.join(this.directory, name);
  }

  /** Makes a self-signed certificate, of an authority unless it says otherwise. */
  makeSelfSigned(name: string, certificate: OpensslCertificate = {}): void {
    this.#makeRequest(name, certificate);
    this.#prepare(name);
    this.#sign(name, name, { extensions: EXTENSIONS.authority, ...certificate }, ['-selfsign']);
  }

  /** Makes a certificate that another one signs. */
  issue(issuer: string, name: string, certificate: OpensslCertificate = {}): void {
    this.#makeRequest(name, certificate);
    this.#prepare(name);
    this.#sign(issuer, name, { extensions: EXTENSIONS.client, ...certificate }, []);
  }

  revoke(issuer: string, name: string): void {
    openssl(['ca', ...this.#keysOf(issuer), '-revoke', `${name}.crt`], this.directory);
  }

  /** Writes the revocation list of an authority; in force for a day unless given. */
  makeRevocationList(
    issuer: string,
    file: string,
    options: readonly string[] = ['-crldays', '1', '-crlexts', 'crl'],
  ): void {
    openssl(
      ['ca', ...this.#keysOf(issuer), '-gencrl', '-md', 'sha256', '-out', file, ...options],
      this.directory,
    );
  }

  #makeRequest(name: string, { subject, key, isUtf8 }: OpensslCertificate): void {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`];
    const names = [
      '-subj',
      subject ?? `/CN=${name}`,
      '-multivalue-rdn',
      ...(isUtf8 === true ? ['-utf8'] : []),
    ];
    openssl(['req', ...(key ?? P256), '-nodes', '-batch', ...files, ...names], this.directory);
  }

  /** Any certificate may sign here, also one that is no authority. */
  #prepare(name: string): void {
    writeFileSync(this.file(`${name}.index`), '');
    writeFileSync(this.file(`${name}.index.attr`), 'unique_subject = no\n');
    writeFileSync(this.file(`${name}.crlnumber`), '01\n');
  }

  #sign(
    issuer: string,
    name: string,
    { extensions = [], digest = 'sha256', validity }: OpensslCertificate,
    options: readonly string[],
  ): void {
    const file = `${name}.ext`;
    writeFileSync(this.file(file), `${extensions.join('\n')}\n`);
    const [from, until] = validity ?? [];
    const dates =
      from === undefined || until === undefined ? ['-days', '30'] : ['-startdate', from, '-enddate', until];
    const how = [...options, '-batch', '-notext', '-preserveDN', '-md', digest, ...dates];
    const files = ['-in', `${name}.csr`, '-out', `${name}.crt`, '-extfile', file];
    openssl(['ca', ...this.#keysOf(issuer), ...how, ...files], this.directory);
  }

  #keysOf(issuer: string): readonly string[] {
    const config = `${issuer}.cnf`;
    writeFileSync(
      this.file(config),
      [
        '[ca]',
        'default_ca = authority',
        '[authority]',
        `database = ${issuer}.index`,
        `crlnumber = ${issuer}.crlnumber`,
        'rand_serial = yes',
        'default_md = sha256',
        'new_certs_dir = .',
        'policy = any',
        '[any]',
        'commonName = optional',
        '[crl]',
        'authorityKeyIdentifier = keyid',
        '',
      ].join('\n'),
    );
    const key = ['-keyfile', `${issuer}.key`];
    return ['-config', config, ...key, '-cert', `${issuer}.crt`];
  }
}

/** How `openssl s_client` got on. */
export interface OpensslClient {
  readonly output: string;
  /** The handshake resumed a session. */
  readonly isResumed: boolean;
  readonly status: number | undefined;
}

/**
 * Connects with `openssl s_client`, sends a request and reads until the server closes.
 *
 * @param parameters after the address, for example `-tls1_2`
 * @param input what is sent; lines of `R` would ask for renegotiation
 */
export async function connectWithOpenssl(
  port: number,
  parameters: readonly string[],
  { directory, input }: { readonly directory: string; readonly input: string },
): Promise<OpensslClient> {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...parameters], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  }
  child.stdin.on('error', () => undefined);
  // Not ended: at the end of its input s_client closes the connection, answer or not.
  child.stdin.write(input);
  await once(child, 'close');
  const [, status] = /HTTP\/1\.1 (\d{3})/.exec(output) ?? [];
  return {
    output,
    isResumed: output.includes('\nReused, '),
    status: status === undefined ? undefined : Number(status),
  };
}

/** Sends one GET with `curl`; status 0: there was no answer. */
export async function getWithCurl(
  url: string,
  parameters: readonly string[],
  directory: string,
): Promise<{ readonly status: number; readonly exitCode: number | null; readonly body: string }> {
  const options = ['--silent', '--insecure', '--max-time', '20', '--write-out', '\\n%{http_code}'];
  const child = spawn('curl', [...options, ...parameters, url], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  const end = output.lastIndexOf('\n');
  return { status: Number(output.slice(end + 1)), exitCode: child.exitCode, body: output.slice(0, end) };
}
