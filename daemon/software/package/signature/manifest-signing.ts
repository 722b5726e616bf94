import { createHash } from 'node:crypto';

import { foldLine, writeSection } from '../manifest-writer.ts';

interface SignedManifest {
  /** The manifest with the digests of the entries. */
  readonly manifest: Buffer;
  /** File that names the digests of the manifest: `META-INF/NAME.SF`. */
  readonly signatureFile: Buffer;
}

const DIGEST = 'SHA-256-Digest';
const ANY_DIGEST = /^[A-Za-z0-9-]+-Digest: /i;

/**
 * Writes the digests of entries into their sections of a manifest, replacing earlier ones, and creates the signature file over
 * it (JAR File Specification, Signed JAR File). A manifest that already has these digests stays the same byte for byte, so
 * its other signatures remain valid.
 *
 * @param manifest one that `parseManifest` accepts
 * @param contents the entries to sign, by name
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

/** Splits a manifest into sections, and these into unfolded lines, in which each character is one byte. */
function splitSections(manifest: Buffer): readonly (readonly string[])[] {
  return manifest
    .toString('latin1')
    .replaceAll(/\r\n|\r/g, '\n')
    .replaceAll('\n ', '')
    .split(/\n\n+/)
    .map((section) => section.split('\n').filter((line) => line !== ''))
    .filter((lines) => lines.length > 0);
}

/** Writes a section with the empty line that ends it: the digest covers both. */
function joinLines(lines: readonly string[]): Buffer {
  return Buffer.concat([...lines.map((line) => foldLine(Buffer.from(line, 'latin1'))), Buffer.from('\r\n')]);
}

function digest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
