import { crc32, deflateRawSync } from 'node:zlib';

import {
  writeCentralHeader,
  writeEndRecord,
  writeLocalHeader,
} from '../../daemon/software/package/archive/zip-writer.ts';
import { FIRST_TIME } from '../../daemon/software/package/archive/zip-time.ts';

/** An entry as it is written; fields in `local` or `central` override the true ones. */
export interface ZipPart {
  readonly name: string | Buffer;
  readonly content?: string | Uint8Array;
  readonly isCompressed?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** File type and permissions as UNIX has them. */
  readonly mode?: number;
  readonly hasDescriptor?: boolean;
  /** Overrides the true fields of the descriptor, or the whole of it. */
  readonly descriptor?: Partial<HeaderFields> | Uint8Array;
  readonly local?: Partial<HeaderFields>;
  readonly central?: Partial<HeaderFields>;
}

interface HeaderFields {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  readonly localHeaderAt: number;
}

export interface ZipOptions {
  readonly comment?: string;
  /** Bytes between the entries and the directory. */
  readonly gap?: Uint8Array;
  readonly entryCount?: number;
  readonly directoryBytes?: number;
}

/** Writes a ZIP file, also such as no tool writes. */
export function buildZip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const part of parts) {
    const content = Buffer.from(part.content ?? '');
    const isCompressed = part.isCompressed ?? content.length > 0;
    const packed = isCompressed ? deflateRawSync(content) : content;
    const hasDescriptor = part.hasDescriptor === true;
    const actual: HeaderFields = {
      name: '',
      flags: (part.flags ?? 0) | (hasDescriptor ? 8 : 0),
      method: part.method ?? (isCompressed ? 8 : 0),
      crc32: crc32(content),
      compressedBytes: packed.length,
      sizeBytes: content.length,
      localHeaderAt: position,
    };
    const name = Buffer.from(part.name);
    const unknown = hasDescriptor ? { crc32: 0, compressedBytes: 0, sizeBytes: 0 } : {};
    const body = [writeLocal(name, { ...actual, ...unknown, ...part.local }), packed];
    if (hasDescriptor) {
      const { descriptor = {} } = part;
      body.push(
        descriptor instanceof Uint8Array
          ? Buffer.from(descriptor)
          : writeDescriptor({ ...actual, ...descriptor }),
      );
    }
    const bytes = Buffer.concat(body);
    bodies.push(bytes);
    directory.push(writeCentral(name, { ...actual, ...part.central }, part.mode ?? 0));
    position += bytes.length;
  }
  const gap = Buffer.from(options.gap ?? []);
  const directoryBytes = Buffer.concat(directory);
  const comment = Buffer.from(options.comment ?? '');
  const end = writeEndRecord({
    entries: options.entryCount ?? parts.length,
    directoryBytes: options.directoryBytes ?? directoryBytes.length,
    directoryAt: position + gap.length,
    commentBytes: comment.length,
  });
  return Buffer.concat([...bodies, gap, directoryBytes, end, comment]);
}

function writeLocal(given: Buffer, fields: HeaderFields): Buffer {
  return writeLocalHeader(toEntry(given, fields));
}

function writeCentral(given: Buffer, fields: HeaderFields, mode: number): Buffer {
  const madeOn = mode === 0 ? 0 : 3;
  const externalAttributes = (mode * 65_536) >>> 0;
  return writeCentralHeader({ ...fields, ...toEntry(given, fields), madeOn, externalAttributes });
}

function toEntry(given: Buffer, fields: HeaderFields) {
  const name = fields.name === '' ? given : Buffer.from(fields.name);
  return { ...fields, name, modified: FIRST_TIME };
}

function writeDescriptor({ crc32: checksum, compressedBytes, sizeBytes }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08_07_4b_50, 0);
  bytes.writeUInt32LE(checksum, 4);
  bytes.writeUInt32LE(compressedBytes, 8);
  bytes.writeUInt32LE(sizeBytes, 12);
  return bytes;
}
