import { ArchiveReader, scanArchive } from '../archive/archive-reader.ts';
import { isSignatureFile } from '../archive/entry-order.ts';
import { isMetadata, MANIFEST_PATH } from '../package-contents.ts';
import { signManifest } from './manifest-signing.ts';
import { getBlockExtension, makeSignatureBlock } from './signature-block-maker.ts';
import type { PackageSigner } from './signing-key.ts';
import type { ZipTime, ArchiveFile } from '../archive/zip-writer.ts';
import { writeZip } from '../archive/zip-writer.ts';

interface SigningRequest {
  /** A package that `inspectPackage` accepts. */
  readonly file: string;
  readonly signer: PackageSigner;
  /** Modification time of every file. */
  readonly modified: ZipTime;
}

interface SignedPackageFile {
  readonly content: Buffer;
  /** Names of earlier signatures that were removed, because they cover another manifest. */
  readonly dropped: readonly string[];
}

const MAXIMUM_SIGNATURE_NAME_LENGTH = 64;

/**
 * Signs a package as a JAR is signed (JAR File Specification, Signed JAR File). A signature under the same name is replaced.
 *
 * @throws {PackagingError} `KEY_UNSUITABLE`
 */
export async function signPackage({ file, signer, modified }: SigningRequest): Promise<SignedPackageFile> {
  const files = readAll(file);
  const previous = files.find(({ name }) => name === MANIFEST_PATH)?.content ?? new Uint8Array();
  const covered = new Map(
    files.filter(({ name }) => !isMetadata(name)).map(({ name, content }) => [name, content]),
  );
  const { manifest, signatureFile } = signManifest(Buffer.from(previous), covered);
  const block = await makeSignatureBlock(signatureFile, signer);
  const base = `META-INF/${nameSignature(signer)}`;
  const others = files.filter(({ name }) => isSignatureFile(name) && !isOf(name, base));
  const isKept = manifest.equals(previous);
  const content = writeZip(
    [
      { name: MANIFEST_PATH, content: manifest },
      ...(isKept ? others : []),
      { name: `${base}.SF`, content: signatureFile },
      { name: `${base}.${getBlockExtension(signer.key)}`, content: block },
      ...files.filter(({ name }) => name !== MANIFEST_PATH && !isSignatureFile(name)),
    ],
    modified,
  );
  return { content, dropped: isKept ? [] : others.map(({ name }) => name) };
}

function readAll(file: string): readonly ArchiveFile[] {
  const reader = new ArchiveReader(file);
  return scanArchive(file, 'PORTABLE')
    .filter(({ isDirectory }) => !isDirectory)
    .map(({ name, sizeBytes }) => ({ name, content: reader.read(name, sizeBytes) }));
}

function isOf(name: string, base: string): boolean {
  return name.slice(0, name.lastIndexOf('.')).toUpperCase() === base.toUpperCase();
}

/** Returns the name of a signature: the common name of the signer, in the characters that are allowed. */
function nameSignature({ certificates: [{ subject }] }: PackageSigner): string {
  const commonName = /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
  const name = commonName.toUpperCase().replaceAll(/[^A-Z0-9_-]+/g, '_');
  return name.slice(0, MAXIMUM_SIGNATURE_NAME_LENGTH) || 'SIGNER';
}
