import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../base/atomic-file.ts';
import type { KeyPair } from '../certificate/certificate-maker.ts';
import { checkPkcs12Password } from '../certificate/pkcs12-password.ts';
import { askNewSecret } from './ask-secret.ts';
import { readSecretFile } from './text-file.ts';
import { UsageError } from './command-error.ts';
import type { Terminal } from './verb.ts';

/** In which files a certificate and its key are handed over: two of PEM, or one of PKCS #12 under a password. */
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
 * Finds out what the options ask for; asks for a password where one is needed and no file holds it.
 *
 * @throws {UsageError} for another format, and for a password that nothing needs
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
 * Writes a certificate with its key; what holds the key is for its owner alone.
 *
 * @returns the files
 */
export async function writeCertificate(files: CertificateFiles): Promise<readonly string[]> {
  const { form, name, pair, authorities } = files;
  await mkdir(form.folder, { recursive: true });
  if (form.format === 'pem') return writePem(form.folder, name, pair);
  const file = path.join(form.folder, `${name}.p12`);
  // Loaded for such files only: the library is large.
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
