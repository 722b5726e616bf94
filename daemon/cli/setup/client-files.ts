import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import type { KeyPair } from '../../security/certificate/certificate-issuer.ts';

/** Paths of the files of a client. */
export interface ClientFiles {
  readonly certificate: string;
  readonly privateKey: string;
  readonly pkcs12: string;
  readonly pkcs12Password: string;
  readonly authority: string;
}

const PASSWORD_LENGTH = 20;
// Without similar characters, because users may type the password.
const PASSWORD_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Returns the paths of the files of a client. */
export function listClientFiles(folder: string, name: string): ClientFiles {
  const place = (file: string): string => path.join(folder, file);
  return {
    certificate: place(`${name}.crt`),
    privateKey: place(`${name}.key`),
    pkcs12: place(`${name}.p12`),
    pkcs12Password: place(`${name}.p12.password`),
    authority: place('ca.crt'),
  };
}

interface ClientPair {
  readonly pair: KeyPair;
  /** Certificate of the authority, PEM. */
  readonly authority: string;
}

/**
 * Writes the files of a client: certificate and key in PEM, both in PKCS #12 with a generated password for browsers, and
 * the authority of the gateway. The certificate is written last and marks the files as complete.
 */
export async function writeClientFiles(folder: string, name: string, client: ClientPair): Promise<void> {
  const files = listClientFiles(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomically(files.authority, client.authority, 0o644);
  await writePkcs12(files, name, client);
  await writeFileAtomically(files.privateKey, client.pair.privateKey);
  await writeFileAtomically(files.certificate, client.pair.certificate, 0o644);
}

/** Writes certificate and key of a client in PKCS #12, under a new generated password. */
export async function writePkcs12(
  files: ClientFiles,
  name: string,
  { pair, authority }: ClientPair,
): Promise<void> {
  const password = Array.from({ length: PASSWORD_LENGTH }, () =>
    PASSWORD_CHARACTERS.charAt(randomInt(PASSWORD_CHARACTERS.length)),
  ).join('');
  // Loaded only when needed: the library is large.
  const { makePkcs12 } = await import('../../security/certificate/pkcs12.ts');
  const pkcs12 = await makePkcs12({ pair, authorities: [authority], friendlyName: name, password });
  await writeFileAtomically(files.pkcs12Password, `${password}\n`);
  await writeFileAtomically(files.pkcs12, pkcs12);
}
