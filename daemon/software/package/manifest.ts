import { DeploymentError } from './deployment-error.ts';

/** Headers by name in lower case: the names are case-insensitive (JAR File Specification). */
export type Headers = ReadonlyMap<string, string>;

/** A name section: the headers of one entry of the archive. */
export interface ManifestSection {
  /** Header `Name`: path of the entry. */
  readonly name: string;
  readonly headers: Headers;
}

/** A parsed manifest; its headers have not been checked. */
export interface Manifest {
  readonly main: Headers;
  /** In the order of the file. */
  readonly sections: readonly ManifestSection[];
}

/** Maximum size of a manifest. */
export const MAXIMUM_MANIFEST_BYTES = 1_048_576;
/** Maximum number of sections: as many as an archive may have entries. */
const MAXIMUM_SECTIONS = 2000;

const MAXIMUM_HEADERS_PER_SECTION = 200;
// "No line may be longer than 72 bytes" (JAR File Specification). Writers that do not fold break this rule, but none writes
// longer lines than this.
const MAXIMUM_VALUE_BYTES = 65_535;
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,69}$/;

const CR = 13;
const LF = 10;
const SPACE = 32;

/**
 * Parses a manifest or signature file (JAR File Specification).
 *
 * Lines end with CR LF, LF or CR. A line that begins with a space continues the previous one; both are joined before
 * decoding, because a line may end inside a character.
 *
 * @throws {DeploymentError} `BAD_HEADER`; `NOT_A_JAR` when it is larger than a manifest may be
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > MAXIMUM_MANIFEST_BYTES) {
    throw new DeploymentError('NOT_A_JAR', `a manifest has at most ${MAXIMUM_MANIFEST_BYTES} bytes`);
  }
  const [main = new Map<string, string>(), ...others] = splitSections(joinLines(bytes)).map(parseHeaders);
  if (others.length > MAXIMUM_SECTIONS) {
    throw bad(`a manifest has at most ${MAXIMUM_SECTIONS} sections`);
  }
  const sections = others.map((headers) => {
    const name = headers.get('name');
    if (name === undefined) throw bad('a section of the manifest has no header Name');
    return { name, headers };
  });
  const names = new Set(sections.map(({ name }) => name));
  if (names.size < sections.length) throw bad('the manifest has two sections for one entry');
  return { main, sections };
}

/** Splits bytes into lines, and appends each continuation to its line. */
function joinLines(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[][] = [];
  for (const line of cutLines(bytes)) {
    if (line[0] !== SPACE) {
      lines.push([line]);
      continue;
    }
    const last = lines.at(-1);
    if (last === undefined || last[0]?.length === 0) {
      throw bad('a line of the manifest continues a line that does not exist');
    }
    last.push(line.subarray(1));
  }
  return lines.map((parts) => (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
}

function cutLines(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte !== CR && byte !== LF) continue;
    lines.push(bytes.subarray(start, index));
    if (byte === CR && bytes[index + 1] === LF) index += 1;
    start = index + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}

function splitSections(lines: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const sections: Uint8Array[][] = [];
  let isOpen = false;
  for (const line of lines) {
    if (line.length === 0) {
      // The first section is the main section, even when it is empty.
      if (sections.length === 0) sections.push([]);
      isOpen = false;
      continue;
    }
    if (!isOpen) sections.push([]);
    isOpen = true;
    sections.at(-1)?.push(line);
  }
  return sections;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parseHeaders(lines: readonly Uint8Array[]): Headers {
  if (lines.length > MAXIMUM_HEADERS_PER_SECTION) {
    throw bad(`a section of the manifest has at most ${MAXIMUM_HEADERS_PER_SECTION} headers`);
  }
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name, value] = parseHeader(line);
    if (headers.has(name)) throw bad(`the manifest has the header ${name} twice in one section`);
    headers.set(name, value);
  }
  return headers;
}

function parseHeader(line: Uint8Array): readonly [name: string, value: string] {
  if (line.length > MAXIMUM_VALUE_BYTES) throw bad('a header of the manifest is too long');
  const text = decode(line);
  const colon = text.indexOf(': ');
  const name = text.slice(0, Math.max(colon, 0));
  if (!HEADER_NAME.test(name)) throw bad('a line of the manifest is not a header');
  const value = text.slice(colon + 2);
  if (/[\0\r\n]/.test(value)) throw bad(`the header ${name} contains a character that is not allowed`);
  return [name.toLowerCase(), value];
}

function decode(line: Uint8Array): string {
  try {
    return decoder.decode(line);
  } catch (cause) {
    throw new DeploymentError('BAD_HEADER', 'the manifest is not valid UTF-8', cause);
  }
}

function bad(detail: string): DeploymentError {
  return new DeploymentError('BAD_HEADER', detail);
}
