import { createHash } from 'node:crypto';

import { foldLine, writeSection } from './manifest-writer.ts';

interface SignedManifest {
  /** The manifest with the digests of the entries. */
  readonly manifest: Buffer;
  /** What says which manifest is signed: `META-INF/NAME.SF`. */
  readonly signatureFile: Buffer;
}

const DIGEST = 'SHA-256-Digest';
const ANY_DIGEST = /^[A-Za-z0-9-]+-Digest: /i;

/**
 * Puts digests of entries into their sections of a manifest, in place of those that stand there, and writes the signature file
 * over it (JAR File Specification, Signed JAR File). A manifest that was signed so before stays byte for byte the same, and
 * with it other signatures are still right.
 *
 * @param manifest one that `parseManifest` takes
 * @param contents the entries that are signed, by their names
 */
export function signManifest(manifest: Buffer, contents: ReadonlyMap<string, Uint8Array>): SignedManifest {
  const [main = [], ...others] = splitSections(manifest);
  const mainBytes = joinLines(main);
  const sections = others.map((lines) => {
    const name = lines.find((line) => /^Name: /i.test(line))?.slice('Name: '.length) ?? '';
    const content = contents.get(name);
    if (content === undefined) return { name, isSigned: false, bytes: joinLines(lines) };
    const kept = lines.filter((line) => !ANY_DIGEST.test(line));
    return { name, isSigned: true, bytes: joinLines([...kept, `${DIGEST}: ${digest(content)}`]) };
  });
  const signed = Buffer.concat([mainBytes, ...sections.map(({ bytes }) => bytes)]);
  const signatureFile = Buffer.concat([
    writeSection({
      'Signature-Version': '1.0',
      [`${DIGEST}-Manifest-Main-Attributes`]: digest(mainBytes),
      [`${DIGEST}-Manifest`]: digest(signed),
    }),
    ...sections
      .filter(({ isSigned }) => isSigned)
      .map(({ name, bytes }) => writeSection({ Name: name, [DIGEST]: digest(bytes) })),
  ]);
  return { manifest: signed, signatureFile };
}

/** Cuts a manifest into its sections, and these into unfolded lines; a character stands for a byte. */
function splitSections(manifest: Buffer): readonly (readonly string[])[] {
  return manifest
    .toString('latin1')
    .replaceAll(/\r\n|\r/g, '\n')
    .replaceAll('\n ', '')
    .split(/\n\n+/)
    .map((section) => section.split('\n').filter((line) => line !== ''))
    .filter((lines) => lines.length > 0);
}

/** Writes a section again, with the empty line that ends it: both are digested together. */
function joinLines(lines: readonly string[]): Buffer {
  return Buffer.concat([...lines.map((line) => foldLine(Buffer.from(line, 'latin1'))), Buffer.from('\r\n')]);
}

function digest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
