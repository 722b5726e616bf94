import { crc32, deflateRawSync } from 'node:zlib';

/** An entry as it is written; whatever is given in `local` or `central` overrides what would be true. */
export interface ZipPart {
  readonly name: string | Buffer;
  readonly content?: string | Uint8Array;
  readonly isCompressed?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** File type and permissions as UNIX has them. */
  readonly mode?: number;
  readonly hasDescriptor?: boolean;
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
    if (hasDescriptor) body.push(writeDescriptor(actual));
    const bytes = Buffer.concat(body);
    bodies.push(bytes);
    directory.push(writeCentral(name, { ...actual, ...part.central }, part.mode ?? 0));
    position += bytes.length;
  }
  const gap = Buffer.from(options.gap ?? []);
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  const count = options.entryCount ?? parts.length;
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(options.directoryBytes ?? directoryBytes.length, 12);
  end.writeUInt32LE(position + gap.length, 16);
  const comment = Buffer.from(options.comment ?? '');
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...bodies, gap, directoryBytes, end, comment]);
}

function writeLocal(given: Buffer, fields: HeaderFields): Buffer {
  const name = fields.name === '' ? given : Buffer.from(fields.name);
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(0x04_03_4b_50, 0);
  bytes.writeUInt16LE(20, 4);
  writeCommon(bytes, 6, fields, name);
  return Buffer.concat([bytes, name]);
}

function writeCentral(given: Buffer, fields: HeaderFields, mode: number): Buffer {
  const name = fields.name === '' ? given : Buffer.from(fields.name);
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02_01_4b_50, 0);
  bytes.writeUInt16LE(mode === 0 ? 20 : 0x03_14, 4);
  bytes.writeUInt16LE(20, 6);
  writeCommon(bytes, 8, fields, name);
  bytes.writeUInt32LE((mode * 65_536) >>> 0, 38);
  bytes.writeUInt32LE(fields.localHeaderAt, 42);
  return Buffer.concat([bytes, name]);
}

function writeCommon(bytes: Buffer, at: number, fields: HeaderFields, name: Buffer): void {
  bytes.writeUInt16LE(fields.flags, at);
  bytes.writeUInt16LE(fields.method, at + 2);
  bytes.writeUInt32LE(fields.crc32, at + 8);
  bytes.writeUInt32LE(fields.compressedBytes, at + 12);
  bytes.writeUInt32LE(fields.sizeBytes, at + 16);
  bytes.writeUInt16LE(name.length, at + 20);
}

function writeDescriptor({ crc32: checksum, compressedBytes, sizeBytes }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08_07_4b_50, 0);
  bytes.writeUInt32LE(checksum, 4);
  bytes.writeUInt32LE(compressedBytes, 8);
  bytes.writeUInt32LE(sizeBytes, 12);
  return bytes;
}
