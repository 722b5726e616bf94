import { crc32, deflateRawSync } from 'node:zlib';

import { MAXIMUM_RATIO, RATIO_FREE_BYTES } from './zip-directory.ts';
import {
  CENTRAL_HEADER,
  CENTRAL_HEADER_BYTES,
  END_RECORD,
  END_RECORD_BYTES,
  LOCAL_HEADER,
  LOCAL_HEADER_BYTES,
} from './zip-record.ts';
import type { CentralHeader, EndRecord, EntryHeader } from './zip-record.ts';

/** A time in the format of ZIP files, with a resolution of two seconds (APPNOTE.TXT 6.3.10, 4.4.6). */
export interface ZipTime {
  readonly date: number;
  readonly time: number;
}

type WrittenEntry = Pick<EntryHeader, 'flags' | 'method' | 'crc32' | 'compressedBytes' | 'sizeBytes'> & {
  readonly name: Buffer;
  readonly modified: ZipTime;
};

type WrittenCentralEntry = WrittenEntry &
  Pick<CentralHeader, 'madeOn' | 'externalAttributes' | 'localHeaderAt'>;

type WrittenEnd = Pick<EndRecord, 'entries' | 'directoryBytes' | 'directoryAt' | 'commentBytes'>;

// Version 2.0 of the specification, in tenths: it introduced deflation and directories.
const VERSION = 20;

/** A file of an archive. */
export interface ArchiveFile {
  /** Path in the archive, in ASCII. */
  readonly name: string;
  readonly content: Uint8Array;
}

const STORED = 0;
const DEFLATED = 8;
// No file permissions, as in archives of Java: no signature covers them.
const MADE_ON = 0;
const ATTRIBUTES = 0;
const BEST = 9;

/**
 * Writes a ZIP file whose bytes depend only on the files, their order and the time given.
 *
 * yazl 3.3 takes the time of an entry in the time zone of the process, so one package has other bytes on another machine.
 *
 * @param modified the modification time of every file
 */
export function writeZip(files: readonly ArchiveFile[], modified: ZipTime): Buffer {
  const contents: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const { name, content } of files) {
    const packed = pack(content);
    const entry = {
      name: Buffer.from(name),
      modified,
      flags: 0,
      method: packed === content ? STORED : DEFLATED,
      crc32: crc32(content),
      compressedBytes: packed.length,
      sizeBytes: content.length,
    };
    const header = writeLocalHeader(entry);
    contents.push(header, Buffer.from(packed));
    const central = { madeOn: MADE_ON, externalAttributes: ATTRIBUTES, localHeaderAt: position };
    directory.push(writeCentralHeader({ ...entry, ...central }));
    position += header.length + packed.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = writeEndRecord({
    entries: files.length,
    directoryBytes: directoryBytes.length,
    directoryAt: position,
    commentBytes: 0,
  });
  return Buffer.concat([...contents, directoryBytes, end]);
}

/** Returns the compressed content, or the content itself if compression saves nothing or readers would reject its ratio. */
function pack(content: Uint8Array): Uint8Array {
  const packed = deflateRawSync(content, { level: BEST });
  const isBomb = content.length > RATIO_FREE_BYTES && content.length > MAXIMUM_RATIO * packed.length;
  return packed.length < content.length && !isBomb ? packed : content;
}

/** Writes the local header of an entry, with its name. */
export function writeLocalHeader(entry: WrittenEntry): Buffer {
  const bytes = Buffer.alloc(LOCAL_HEADER_BYTES);
  bytes.writeUInt32LE(LOCAL_HEADER, 0);
  bytes.writeUInt16LE(VERSION, 4);
  writeCommon(bytes, 6, entry);
  return Buffer.concat([bytes, entry.name]);
}

/** Writes the central directory header of an entry, with its name. */
export function writeCentralHeader(entry: WrittenCentralEntry): Buffer {
  const bytes = Buffer.alloc(CENTRAL_HEADER_BYTES);
  bytes.writeUInt32LE(CENTRAL_HEADER, 0);
  bytes.writeUInt8(VERSION, 4);
  bytes.writeUInt8(entry.madeOn, 5);
  bytes.writeUInt16LE(VERSION, 6);
  writeCommon(bytes, 8, entry);
  bytes.writeUInt32LE(entry.externalAttributes, 38);
  bytes.writeUInt32LE(entry.localHeaderAt, 42);
  return Buffer.concat([bytes, entry.name]);
}

/** Writes the end record of an archive of one part; a comment may follow it. */
export function writeEndRecord({ entries, directoryBytes, directoryAt, commentBytes }: WrittenEnd): Buffer {
  const bytes = Buffer.alloc(END_RECORD_BYTES);
  bytes.writeUInt32LE(END_RECORD, 0);
  bytes.writeUInt16LE(entries, 8);
  bytes.writeUInt16LE(entries, 10);
  bytes.writeUInt32LE(directoryBytes, 12);
  bytes.writeUInt32LE(directoryAt, 16);
  bytes.writeUInt16LE(commentBytes, 20);
  return bytes;
}

function writeCommon(bytes: Buffer, at: number, entry: WrittenEntry): void {
  bytes.writeUInt16LE(entry.flags, at);
  bytes.writeUInt16LE(entry.method, at + 2);
  bytes.writeUInt16LE(entry.modified.time, at + 4);
  bytes.writeUInt16LE(entry.modified.date, at + 6);
  bytes.writeUInt32LE(entry.crc32, at + 8);
  bytes.writeUInt32LE(entry.compressedBytes, at + 12);
  bytes.writeUInt32LE(entry.sizeBytes, at + 16);
  bytes.writeUInt16LE(entry.name.length, at + 20);
}
