import { decodeUtf8 } from '../../../base/text/plain-text.ts';
import { DeploymentError } from '../deployment-error.ts';
import { checkEntryNames } from './entry-name.ts';
import type { NameRule } from './entry-name.ts';
import {
  CENTRAL_HEADER_BYTES,
  DESCRIPTOR_BYTES,
  END_RECORD_BYTES,
  findCentralHeader,
  findDataDescriptor,
  findEndRecord,
  findLocalHeader,
  isZip64Locator,
  LOCAL_HEADER_BYTES,
  ZIP64_END_LOCATOR_BYTES,
} from './zip-record.ts';
import type { CentralHeader, EndRecord } from './zip-record.ts';

/** Maximum number of entries of an archive that is unpacked. */
export const MAXIMUM_ENTRIES = 2000;
/** Maximum number of entries of an archive that is stored unchanged; Java libraries have thousands of classes. */
export const MAXIMUM_KEPT_ENTRIES = 10_000;
/** Maximum total size of the entries of an archive, uncompressed. */
export const MAXIMUM_UNPACKED_BYTES = 268_435_456;
/** Maximum compression ratio of an entry that has more than {@link RATIO_FREE_BYTES}. */
export const MAXIMUM_RATIO = 200;
export const RATIO_FREE_BYTES = 1_048_576;

const STORED = 0;
const DEFLATED = 8;
// APPNOTE.TXT, 4.4.4: encrypted, strongly encrypted, headers masked.
const ENCRYPTED_FLAGS = 0x2041;
const DESCRIPTOR_FLAG = 0x0008;
const UTF8_FLAG = 0x0800;
// Compression level; both headers need not agree on it.
const EFFORT_FLAGS = 0x0006;
const KNOWN_FLAGS = EFFORT_FLAGS | DESCRIPTOR_FLAG | UTF8_FLAG;
const MADE_ON_UNIX = 3;
const FILE_TYPE_MASK = 0xf000;
const REGULAR_FILE = 0x8000;
const DIRECTORY = 0x4000;
const UNKNOWN_32 = 0xff_ff_ff_ff;
const SIZES = ['crc32', 'compressedBytes', 'sizeBytes'] as const;

/** Reads bytes of a file; fewer than requested at its end. */
type ReadAt = (position: number, length: number) => Buffer;

/** An entry of an archive whose structure has been checked. */
export interface ZipEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isCompressed: boolean;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  /** Offset of its compressed bytes. */
  readonly contentAt: number;
}

/**
 * Reads the directory of a ZIP file without unpacking anything, and refuses every file that two readers could interpret
 * differently.
 *
 * The file must consist of contiguous entries, their directory and its end record, and nothing else. Both headers of an entry
 * and its data descriptor must agree, and have only known flags. Entries are regular files or directories, stored or deflated, not
 * encrypted, and within the limits above. ZIP64, archive comments and multi-part archives are rejected.
 *
 * @returns the entries in the order of their bytes
 * @throws {DeploymentError} `NOT_A_JAR`
 */
export function readZipDirectory(readAt: ReadAt, fileBytes: number, rule: NameRule): readonly ZipEntry[] {
  const maximumEntries = rule === 'PORTABLE' ? MAXIMUM_ENTRIES : MAXIMUM_KEPT_ENTRIES;
  const end = readEnd(readAt, fileBytes, maximumEntries);
  const headers = readCentralHeaders(readAt(end.directoryAt, end.directoryBytes), end);
  checkEntryNames(
    headers.map(({ name }) => name),
    rule,
  );
  checkSizes(headers);
  const ordered = headers.toSorted((a, b) => a.localHeaderAt - b.localHeaderAt);
  let position = 0;
  const entries = ordered.map((header, index) => {
    if (header.localHeaderAt !== position) throw refuse('the entries are not contiguous');
    const contentAt = position + checkLocalHeader(readAt, header);
    const contentEnd = contentAt + header.compressedBytes;
    position = ordered[index + 1]?.localHeaderAt ?? end.directoryAt;
    checkGap(readAt, header, contentEnd, position);
    return toEntry(header, contentAt);
  });
  if (position !== end.directoryAt) throw refuse('it has bytes that belong to no entry');
  return entries;
}

interface NamedHeader extends CentralHeader {
  readonly name: string;
  readonly rawName: Buffer;
}

function readEnd(readAt: ReadAt, fileBytes: number, maximumEntries: number): EndRecord {
  const at = fileBytes - END_RECORD_BYTES;
  const end = at < 0 ? undefined : findEndRecord(readAt(at, END_RECORD_BYTES));
  if (end === undefined || end.commentBytes > 0)
    throw refuse('it does not end as a ZIP file without comment');
  const { disk, directoryDisk, entries, entriesOnDisk, directoryAt, directoryBytes } = end;
  const locatorAt = at - ZIP64_END_LOCATOR_BYTES;
  const isZip64 = locatorAt >= 0 && isZip64Locator(readAt(locatorAt, ZIP64_END_LOCATOR_BYTES));
  if (isZip64 || directoryAt === UNKNOWN_32 || entries === 0xff_ff) throw refuse('ZIP64 is not supported');
  if (disk !== 0 || directoryDisk !== 0 || entries !== entriesOnDisk) throw refuse('it has several parts');
  if (entries > maximumEntries) throw refuse(`it has more than ${maximumEntries} entries`);
  if (entries === 0) throw refuse('it is empty');
  if (directoryAt + directoryBytes !== at) throw refuse('its directory is truncated, or bytes surround it');
  // A name has at most 200 characters; the rest is for the extra fields of tools.
  if (directoryBytes > entries * (CENTRAL_HEADER_BYTES + 4096)) throw refuse('its directory is too large');
  return end;
}

function readCentralHeaders(directory: Buffer, { entries }: EndRecord): readonly NamedHeader[] {
  const headers: NamedHeader[] = [];
  let position = 0;
  while (headers.length < entries) {
    const header = findCentralHeader(directory.subarray(position));
    if (header === undefined) throw refuse('its directory is damaged');
    const nameAt = position + CENTRAL_HEADER_BYTES;
    const rawName = directory.subarray(nameAt, nameAt + header.nameBytes);
    position = nameAt + header.nameBytes + header.extraBytes + header.commentBytes;
    if (position > directory.length) throw refuse('its directory is truncated');
    const name = decodeUtf8(rawName);
    if (name === undefined) throw refuse('the name of an entry is not UTF-8');
    checkKind(header, name);
    headers.push({ ...header, name, rawName });
  }
  if (position !== directory.length) throw refuse('its directory has bytes that belong to no entry');
  return headers;
}

function checkKind(
  { flags, method, madeOn, externalAttributes, sizeBytes }: CentralHeader,
  name: string,
): void {
  if ((flags & ENCRYPTED_FLAGS) !== 0) throw refuse(`the entry "${name}" is encrypted`);
  // For example compressed patched data, which would be misinterpreted.
  if ((flags & ~KNOWN_FLAGS) !== 0) throw refuse(`the entry "${name}" has flags that are not supported`);
  if (method !== STORED && method !== DEFLATED) {
    throw refuse(`the entry "${name}" has a compression method that is not supported`);
  }
  const isDirectory = name.endsWith('/');
  const fileType = madeOn === MADE_ON_UNIX ? (externalAttributes >>> 16) & FILE_TYPE_MASK : 0;
  // Some tools write no file type.
  const isExpected = fileType === 0 || fileType === (isDirectory ? DIRECTORY : REGULAR_FILE);
  if (!isExpected) throw refuse(`the entry "${name}" is neither a file nor a directory`);
  if (isDirectory && sizeBytes > 0) throw refuse(`the directory "${name}" has content`);
}

function checkSizes(headers: readonly NamedHeader[]): void {
  let total = 0;
  for (const { name, method, sizeBytes, compressedBytes, localHeaderAt } of headers) {
    if ([sizeBytes, compressedBytes, localHeaderAt].includes(UNKNOWN_32))
      throw refuse('ZIP64 is not supported');
    if (method === STORED && sizeBytes !== compressedBytes) throw refuse(`the sizes of "${name}" differ`);
    if (sizeBytes > RATIO_FREE_BYTES && sizeBytes > MAXIMUM_RATIO * compressedBytes) {
      throw refuse(`the entry "${name}" unpacks to more than ${MAXIMUM_RATIO} times its size`);
    }
    total += sizeBytes;
  }
  if (total > MAXIMUM_UNPACKED_BYTES) {
    throw refuse(`it unpacks to more than ${MAXIMUM_UNPACKED_BYTES} bytes`);
  }
}

/** Compares both headers of an entry and returns the length of the local one. */
function checkLocalHeader(readAt: ReadAt, central: NamedHeader): number {
  const local = findLocalHeader(readAt(central.localHeaderAt, LOCAL_HEADER_BYTES));
  if (local === undefined) throw refuse(`the entry "${central.name}" has no header`);
  const rawName = readAt(central.localHeaderAt + LOCAL_HEADER_BYTES, local.nameBytes);
  const hasDescriptor = (central.flags & DESCRIPTOR_FLAG) !== 0;
  const isSame =
    rawName.equals(central.rawName) &&
    local.method === central.method &&
    (local.flags | EFFORT_FLAGS) === (central.flags | EFFORT_FLAGS) &&
    SIZES.every((field) => local[field] === central[field] || (hasDescriptor && local[field] === 0));
  if (!isSame) throw refuse(`the two headers of the entry "${central.name}" differ`);
  return LOCAL_HEADER_BYTES + local.nameBytes + local.extraBytes;
}

/** Checks that the content of an entry is followed by the next one, or by a data descriptor that repeats its header. */
function checkGap(readAt: ReadAt, header: NamedHeader, contentEnd: number, end: number): void {
  const { flags, name } = header;
  const gapBytes = end - contentEnd;
  const allowed = (flags & DESCRIPTOR_FLAG) === 0 ? [0] : DESCRIPTOR_BYTES;
  if (!allowed.includes(gapBytes))
    throw refuse(`the entry "${name}" does not have the length in its headers`);
  if (gapBytes === 0) return;
  const descriptor = findDataDescriptor(readAt(contentEnd, gapBytes));
  // A reader that ignores the directory relies on it.
  const isSame = SIZES.every((field) => descriptor?.[field] === header[field]);
  if (!isSame) throw refuse(`the data descriptor of the entry "${name}" differs from its headers`);
}

function toEntry(header: NamedHeader, contentAt: number): ZipEntry {
  const { name, method, crc32, compressedBytes, sizeBytes } = header;
  return {
    name,
    isDirectory: name.endsWith('/'),
    isCompressed: method === DEFLATED,
    crc32,
    compressedBytes,
    sizeBytes,
    contentAt,
  };
}

function refuse(what: string): DeploymentError {
  return new DeploymentError('NOT_A_JAR', `the archive cannot be installed: ${what}`);
}
