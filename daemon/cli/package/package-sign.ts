import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import { systemClock } from '../../base/clock.ts';
import { inspectPackage } from '../../software/package/package-inspection.ts';
import { isEncryptedKey, readSigner } from '../../software/package/signature/signing-key.ts';
import type { PackageSigner } from '../../software/package/signature/signing-key.ts';
import { parseSourceDate } from '../../software/package/archive/zip-time.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { inspectBytes } from './package-build.ts';
import { promptSecret } from '../terminal/prompt.ts';
import { readSecretFile, readTextFile } from '../terminal/text-file.ts';
import { UsageError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

export const SIGN_OPTIONS = {
  key: { value: 'FILE', help: 'key of the signer (PEM); prompts for its passphrase', names: 'file' },
  'passphrase-file': { value: 'FILE', help: 'read that passphrase from a file', names: 'file' },
  certificate: {
    value: 'FILE',
    help: 'certificate of the key, followed by its authorities (PEM)',
    names: 'file',
  },
  output: { value: 'FILE', help: 'signed package (default: replace the package)', names: 'file' },
} as const;

type SignOptions = Readonly<Partial<Record<keyof typeof SIGN_OPTIONS, string>>>;

/** Signs an acceptable package and inspects the result like a gateway that trusts the signer. */
export async function sign({ words, options, terminal, show }: LocalInvocation): Promise<void> {
  const [file = ''] = words;
  const { output = file, ...signing }: SignOptions = options;
  const signer = await getSigner(signing, terminal);
  const modified = parseSourceDate(process.env['SOURCE_DATE_EPOCH']);
  await inspectPackage({
    file,
    trustedCertificates: [],
    clock: systemClock,
    signal: terminal.stopSignal,
  });
  // Lazy: the library is large.
  const { signPackage } = await import('../../software/package/signature/sign-package.ts');
  const { content, dropped } = await signPackage({ file, signer, modified });
  const [certificate] = signer.certificates;
  const { signature, sha256 } = await inspectBytes(content, [certificate.toString()], terminal);
  for (const name of dropped) terminal.note(`dropped ${name}: it signs another manifest\n`);
  if (signature.state === 'UNTRUSTED') terminal.note(`no gateway will trust it: ${signature.reason}\n`);
  await writeFileAtomically(output, content, 0o644);
  show({ file: output, sha256, sizeBytes: content.length, signature }, () => `${output}\n`);
}

async function getSigner(options: SignOptions, terminal: Terminal): Promise<PackageSigner> {
  const { key, certificate, 'passphrase-file': passphraseFile } = options;
  if (key === undefined) throw new UsageError('--key is missing');
  if (certificate === undefined) throw new UsageError('--certificate is missing');
  const privateKey = await readTextFile(key, 'key file');
  const certificates = await readTextFile(certificate, 'certificate file');
  if (!isEncryptedKey(privateKey)) return readSigner({ privateKey, certificates });
  const passphrase = await (passphraseFile === undefined
    ? promptSecret(`Passphrase of ${key}: `, terminal)
    : readSecretFile(passphraseFile, 'passphrase file'));
  return readSigner({ privateKey, passphrase, certificates });
}
