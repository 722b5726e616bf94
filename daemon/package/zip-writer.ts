import { crc32, deflateRawSync } from 'node:zlib';

import { MAXIMUM_RATIO, RATIO_FREE_BYTES } from './zip-directory.ts';
import { writeCentralHeader, writeEndRecord, writeLocalHeader } from './zip-record-writer.ts';
import type { ZipTime } from './zip-record-writer.ts';

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

/** Returns the compressed content, or the content itself when compression saves nothing or readers would refuse its ratio. */
function pack(content: Uint8Array): Uint8Array {
  const packed = deflateRawSync(content, { level: BEST });
  const isBomb = content.length > RATIO_FREE_BYTES && content.length > MAXIMUM_RATIO * packed.length;
  return packed.length < content.length && !isBomb ? packed : content;
}
