import { PackagingError } from './deployment-error.ts';

/** Headers of a section, in order. */
export type SectionHeaders = Readonly<Record<string, string>>;

// "No line may be longer than 72 bytes" (JAR File Specification); the line end does not count.
const MAXIMUM_LINE_BYTES = 72;
const LINE_END = Buffer.from('\r\n');

/**
 * Writes a section of a manifest, with the empty line that ends it (JAR File Specification).
 *
 * @throws {PackagingError} `HEADER_INVALID` for a value that contains a line end
 */
export function writeSection(headers: SectionHeaders): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => {
    if (/[\0\r\n]/.test(value)) {
      const detail = `the header ${name} cannot contain a line end`;
      throw new PackagingError({ code: 'HEADER_INVALID', detail });
    }
    return foldLine(Buffer.from(`${name}: ${value}`));
  });
  return Buffer.concat([...lines, LINE_END]);
}

/** Folds a line at the maximum length, if need be inside a character, and ends each part. */
export function foldLine(line: Buffer): Buffer {
  const pieces = [line.subarray(0, MAXIMUM_LINE_BYTES), LINE_END];
  const rest = MAXIMUM_LINE_BYTES - 1;
  for (let at = MAXIMUM_LINE_BYTES; at < line.length; at += rest) {
    pieces.push(Buffer.from(' '), line.subarray(at, at + rest), LINE_END);
  }
  return Buffer.concat(pieces);
}
