import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../base/atomic-file.ts';
import type { KeyPair } from '../certificate/certificate-maker.ts';
import { checkPkcs12Password } from '../certificate/pkcs12-password.ts';
import { askNewSecret } from './ask-secret.ts';
import { readSecretFile } from './text-file.ts';
import { UsageError } from './command-error.ts';
import type { Terminal } from './verb.ts';

/** The files of a certificate and its key: two in PEM, or one in PKCS #12 under a password. */
type CertificateForm = { readonly folder: string } & (
  | { readonly format: 'pem' }
  | { readonly format: 'pkcs12'; readonly password: string }
);

export interface FormOptions {
  readonly format: string;
  readonly output: string;
  readonly 'password-file'?: string;
}

/**
 * Chooses the form from the options; asks for a password where one is needed and no file holds it.
 *
 * @throws {UsageError} for an unknown format, and for a password that is not needed
 * @throws {GatewayError} when there is no password, or an unsuitable one
 */
export async function chooseForm(options: FormOptions, terminal: Terminal): Promise<CertificateForm> {
  const { format, output: folder, 'password-file': file } = options;
  if (format !== 'pem' && format !== 'pkcs12') {
    throw new UsageError(`--format ${format}: expected pem or pkcs12`);
  }
  if (format === 'pem') {
    if (file !== undefined) throw new UsageError('--password-file is for --format pkcs12');
    return { format, folder };
  }
  const password = await (file === undefined
    ? askNewSecret('Password of the file', terminal)
    : readSecretFile(file));
  checkPkcs12Password(password);
  return { format, folder, password };
}

interface CertificateFiles {
  readonly form: CertificateForm;
  /** Name of the files, without extension. */
  readonly name: string;
  readonly pair: KeyPair;
  /** Certificates of the authorities over it, PEM. */
  readonly authorities: readonly string[];
}

/**
 * Writes a certificate with its key; only the owner can read the key.
 *
 * @returns the paths of the files
 */
export async function writeCertificate(files: CertificateFiles): Promise<readonly string[]> {
  const { form, name, pair, authorities } = files;
  await mkdir(form.folder, { recursive: true });
  if (form.format === 'pem') return writePem(form.folder, name, pair);
  const file = path.join(form.folder, `${name}.p12`);
  // Loaded only when needed: the library is large.
  const { makePkcs12 } = await import('../certificate/pkcs12.ts');
  const { password } = form;
  await writeFileAtomically(file, await makePkcs12({ pair, authorities, friendlyName: name, password }));
  return [file];
}

async function writePem(folder: string, name: string, pair: KeyPair): Promise<readonly string[]> {
  const certificate = path.join(folder, `${name}.crt`);
  const privateKey = path.join(folder, `${name}.key`);
  await writeFileAtomically(privateKey, pair.privateKey);
  await writeFileAtomically(certificate, pair.certificate, 0o644);
  return [certificate, privateKey];
}
