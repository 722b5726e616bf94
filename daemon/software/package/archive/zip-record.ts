/** Lengths and signatures of the records of a ZIP file (APPNOTE.TXT 6.3.10, 4.3). */
export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_HEADER_BYTES = 46;
export const END_RECORD_BYTES = 22;
export const LOCAL_HEADER = 0x04_03_4b_50;
export const CENTRAL_HEADER = 0x02_01_4b_50;
export const END_RECORD = 0x06_05_4b_50;
const DATA_DESCRIPTOR = 0x08_07_4b_50;
const ZIP64_END_LOCATOR = 0x07_06_4b_50;
export const ZIP64_END_LOCATOR_BYTES = 20;

/** Fields that the local and the central header of an entry share. */
export interface EntryHeader {
  /** General purpose bit flag. */
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  readonly nameBytes: number;
  readonly extraBytes: number;
}

/** Header of an entry in the central directory. */
export interface CentralHeader extends EntryHeader {
  readonly commentBytes: number;
  /** System on which the entry was created: 3 is UNIX. */
  readonly madeOn: number;
  readonly externalAttributes: number;
  readonly localHeaderAt: number;
}

/** End of central directory record. */
export interface EndRecord {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly entriesOnDisk: number;
  readonly entries: number;
  readonly directoryBytes: number;
  readonly directoryAt: number;
  readonly commentBytes: number;
}

/** Reads the record at the beginning of these bytes; undefined when there is none. */
export function findLocalHeader(bytes: Buffer): EntryHeader | undefined {
  if (!isMarked(bytes, LOCAL_HEADER, LOCAL_HEADER_BYTES)) return undefined;
  return {
    flags: bytes.readUInt16LE(6),
    method: bytes.readUInt16LE(8),
    crc32: bytes.readUInt32LE(14),
    compressedBytes: bytes.readUInt32LE(18),
    sizeBytes: bytes.readUInt32LE(22),
    nameBytes: bytes.readUInt16LE(26),
    extraBytes: bytes.readUInt16LE(28),
  };
}

/** Reads the record at the beginning of these bytes; undefined when there is none. */
export function findCentralHeader(bytes: Buffer): CentralHeader | undefined {
  if (!isMarked(bytes, CENTRAL_HEADER, CENTRAL_HEADER_BYTES)) return undefined;
  return {
    madeOn: bytes.readUInt8(5),
    flags: bytes.readUInt16LE(8),
    method: bytes.readUInt16LE(10),
    crc32: bytes.readUInt32LE(16),
    compressedBytes: bytes.readUInt32LE(20),
    sizeBytes: bytes.readUInt32LE(24),
    nameBytes: bytes.readUInt16LE(28),
    extraBytes: bytes.readUInt16LE(30),
    commentBytes: bytes.readUInt16LE(32),
    externalAttributes: bytes.readUInt32LE(38),
    localHeaderAt: bytes.readUInt32LE(42),
  };
}

/** Checksum and sizes after the content of an entry (APPNOTE.TXT, 4.3.9). */
type DataDescriptor = Pick<EntryHeader, 'crc32' | 'compressedBytes' | 'sizeBytes'>;

/** Lengths of a data descriptor, without and with its signature. */
export const DESCRIPTOR_BYTES: readonly number[] = [12, 16];

/** Reads the data descriptor that these bytes are; undefined when they are none. */
export function findDataDescriptor(bytes: Buffer): DataDescriptor | undefined {
  if (!DESCRIPTOR_BYTES.includes(bytes.length)) return undefined;
  const isSigned = bytes.length === 16;
  if (isSigned && bytes.readUInt32LE(0) !== DATA_DESCRIPTOR) return undefined;
  const at = isSigned ? 4 : 0;
  return {
    crc32: bytes.readUInt32LE(at),
    compressedBytes: bytes.readUInt32LE(at + 4),
    sizeBytes: bytes.readUInt32LE(at + 8),
  };
}

/** Reads the record at the beginning of these bytes; undefined when there is none. */
export function findEndRecord(bytes: Buffer): EndRecord | undefined {
  if (!isMarked(bytes, END_RECORD, END_RECORD_BYTES)) return undefined;
  return {
    disk: bytes.readUInt16LE(4),
    directoryDisk: bytes.readUInt16LE(6),
    entriesOnDisk: bytes.readUInt16LE(8),
    entries: bytes.readUInt16LE(10),
    directoryBytes: bytes.readUInt32LE(12),
    directoryAt: bytes.readUInt32LE(16),
    commentBytes: bytes.readUInt16LE(20),
  };
}

/** Returns true if these bytes begin with a ZIP64 end of central directory locator. */
export function isZip64Locator(bytes: Buffer): boolean {
  return isMarked(bytes, ZIP64_END_LOCATOR, ZIP64_END_LOCATOR_BYTES);
}

function isMarked(bytes: Buffer, mark: number, length: number): boolean {
  return bytes.length >= length && bytes.readUInt32LE(0) === mark;
}
