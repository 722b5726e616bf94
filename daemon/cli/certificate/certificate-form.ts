import { X509Certificate } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import type { KeyPair } from '../../security/certificate/certificate-issuer.ts';
import { checkPkcs12Password } from '../../security/certificate/pkcs12-password.ts';
import { promptNewSecret } from '../terminal/prompt.ts';
import { isMissing, readIfExists } from '../setup/optional-file.ts';
import { readSecretFile } from '../terminal/text-file.ts';
import { UsageError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

/** Format of a certificate with key: two PEM files, or one password-protected PKCS #12 file. */
export type CertificateForm = { readonly folder: string } & (
  | { readonly format: 'pem' }
  | { readonly format: 'pkcs12'; readonly password: string }
);

export interface FormOptions {
  readonly format: string;
  readonly output: string;
  readonly 'password-file'?: string;
}

/**
 * Chooses the format from the options; prompts for a password if one is needed and no file is given.
 *
 * @throws {UsageError} for an unknown format, or an unneeded password
 * @throws {GatewayError} without a password, or for an unsuitable one
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
    ? promptNewSecret('Password of the file', terminal)
    : readSecretFile(file, 'password file'));
  checkPkcs12Password(password);
  return { format, folder, password };
}

interface CertificateFiles {
  readonly form: CertificateForm;
  /** Name of the files, without extension. */
  readonly name: string;
  readonly pair: KeyPair;
  /** Certificates of its authorities, PEM. */
  readonly authorities: readonly string[];
}

/** Lists the files of a format; the first one is written last. */
export function listCertificateFiles({ format, folder }: CertificateForm, name: string): readonly string[] {
  const extensions = format === 'pem' ? ['crt', 'key'] : ['p12'];
  return extensions.map((extension) => path.join(folder, `${name}.${extension}`));
}

/** Writes a certificate with its key; only the owner can read the key. */
export async function writeCertificate(files: CertificateFiles): Promise<void> {
  const { form, name, pair, authorities } = files;
  await mkdir(form.folder, { recursive: true });
  const [first = '', second = ''] = listCertificateFiles(form, name);
  if (form.format === 'pem') {
    await writeFileAtomically(second, pair.privateKey);
    await writeFileAtomically(first, pair.certificate, 0o644);
    return;
  }
  // Lazy: the library is large.
  const { makePkcs12 } = await import('../../security/certificate/pkcs12.ts');
  const { password } = form;
  await writeFileAtomically(first, await makePkcs12({ pair, authorities, friendlyName: name, password }));
}

/**
 * Replaces the other format of a renewed certificate in the same directory: PEM files of a previous certificate, and a
 * PKCS #12 file with a password file, as written by `penstock setup`. Renames any other PKCS #12 file.
 *
 * @param previous serial numbers of the replaced certificates
 * @returns the written files
 */
export async function replaceOtherForms(
  files: CertificateFiles,
  previous: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { form, name } = files;
  const { folder } = form;
  if (form.format === 'pkcs12') {
    const other = { format: 'pem', folder } as const;
    const paths = listCertificateFiles(other, name);
    const text = await readIfExists(paths[0] ?? '');
    if (text === undefined || !previous.has(readSerial(text))) return [];
    await writeCertificate({ ...files, form: other });
    return paths;
  }
  const file = path.join(folder, `${name}.p12`);
  if (await isMissing(file)) return [];
  const password = (await readIfExists(`${file}.password`))?.trim() ?? '';
  if (password === '') {
    await rename(file, `${file}.revoked`);
    return [];
  }
  await writeCertificate({ ...files, form: { format: 'pkcs12', folder, password } });
  return [file];
}

function readSerial(text: string): string {
  try {
    return new X509Certificate(text).serialNumber.toLowerCase();
  } catch {
    return '';
  }
}
