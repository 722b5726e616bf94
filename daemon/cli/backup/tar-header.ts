import { CommandError } from '../command-error.ts';

/** Length of a header, and what contents are filled up to (POSIX.1-2024, pax, ustar interchange format). */
export const BLOCK_BYTES = 512;

/** The archive is damaged, or holds what a backup never holds. */
class ArchiveError extends CommandError {}

/** A file, directory or symbolic link in an archive. */
export interface TarEntry {
  /** Relative path; parts are separated by slashes. */
  readonly name: string;
  readonly type: TarType;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Length of the content; 0 for what is no file. */
  readonly sizeBytes: number;
  /** Whole seconds since the epoch. */
  readonly mtimeSeconds: number;
  /** Where a link leads; empty for what is none. */
  readonly target: string;
}

type TarType = 'FILE' | 'DIRECTORY' | 'LINK';

const FLAGS: Readonly<Record<TarType, string>> = { FILE: '0', LINK: '2', DIRECTORY: '5' };

/** The type flag of records that replace fields of the next header. */
export const RECORDS_FLAG = 'x';

const NAME_BYTES = 100;
const CHECKSUM = { start: 148, end: 156 } as const;
// The largest number in eleven octal digits, and in seven.
const LARGEST_SIZE = 0o77777777777;
const LARGEST_ID = 0o7777777;

/** Returns the header of an entry, after one with records when a field has no room in it. */
export function formatTarHeader(entry: TarEntry): Buffer {
  const { name, target, sizeBytes, uid, gid } = entry;
  const records = [
    ...(fits(name) ? [] : [formatRecord('path', name)]),
    ...(fits(target) ? [] : [formatRecord('linkpath', target)]),
    ...(sizeBytes <= LARGEST_SIZE ? [] : [formatRecord('size', String(sizeBytes))]),
    ...(uid <= LARGEST_ID ? [] : [formatRecord('uid', String(uid))]),
    ...(gid <= LARGEST_ID ? [] : [formatRecord('gid', String(gid))]),
  ];
  const header = formatBlock(entry, FLAGS[entry.type]);
  if (records.length === 0) return header;
  const content = Buffer.concat(records);
  const own = { ...entry, name: 'records', target: '', sizeBytes: content.length };
  return Buffer.concat([
    formatBlock(own, RECORDS_FLAG),
    content,
    Buffer.alloc(paddingOf(content.length)),
    header,
  ]);
}

/** Returns how many bytes follow a content, so that the next header begins with a block. */
export function paddingOf(sizeBytes: number): number {
  return (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** A header as it stands in an archive. */
interface TarBlock extends Omit<TarEntry, 'type'> {
  readonly flag: string;
}

/**
 * Reads a header.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID`
 */
export function parseTarBlock(block: Buffer): TarBlock {
  const sum = readNumber(block, CHECKSUM.start, 8);
  if (sum !== sumOf(block) || readText(block, 257, 6) !== 'ustar') throw damaged('a header is damaged');
  const prefix = readText(block, 345, 155);
  const name = readText(block, 0, NAME_BYTES);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    mode: readNumber(block, 100, 8) & 0o7777,
    uid: readNumber(block, 108, 8),
    gid: readNumber(block, 116, 8),
    sizeBytes: readNumber(block, 124, 12),
    mtimeSeconds: readNumber(block, 136, 12),
    flag: readText(block, 156, 1),
    target: readText(block, 157, NAME_BYTES),
  };
}

/**
 * Returns the type that a header names.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` for hard links, devices and whatever else no backup holds
 */
export function toTarType(flag: string): TarType {
  const [type] = Object.entries(FLAGS).find(([, candidate]) => candidate === flag) ?? [];
  if (type === undefined) throw damaged(`it holds an entry of the type ${JSON.stringify(flag)}`);
  return type as TarType;
}

/**
 * Reads the records that replace fields of the next header (POSIX.1-2024, pax extended header).
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID`
 */
export function parseRecords(content: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(0x20, start);
    const length = Number(content.toString('latin1', start, space));
    const end = start + length;
    const isValid = space > start && length > space - start && content[end - 1] === 0x0a;
    if (!isValid) throw damaged('a record is damaged');
    const text = content.toString('utf8', space + 1, end - 1);
    const equals = text.indexOf('=');
    if (equals === -1) throw damaged('a record is damaged');
    records.set(text.slice(0, equals), text.slice(equals + 1));
    start = end;
  }
  return records;
}

/** Returns the error for an archive that no backup has. */
export function damaged(reason: string): ArchiveError {
  return new ArchiveError({ code: 'ARCHIVE_INVALID', detail: `the archive cannot be used: ${reason}` });
}

// Names of other characters are written in records, whose encoding is defined.
function fits(text: string): boolean {
  return text.length <= NAME_BYTES && /^[ -~]*$/.test(text);
}

function formatRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  // The length counts its own digits.
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length !== length) length += 1;
  return Buffer.from(`${length}${rest}`);
}

function formatBlock(entry: TarEntry, flag: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(entry.name.slice(0, NAME_BYTES), 0, NAME_BYTES, 'latin1');
  block.write(toOctal(entry.mode, 7), 100, 'latin1');
  block.write(toOctal(Math.min(entry.uid, LARGEST_ID), 7), 108, 'latin1');
  block.write(toOctal(Math.min(entry.gid, LARGEST_ID), 7), 116, 'latin1');
  block.write(toOctal(Math.min(entry.sizeBytes, LARGEST_SIZE), 11), 124, 'latin1');
  block.write(toOctal(Math.max(entry.mtimeSeconds, 0), 11), 136, 'latin1');
  block.write(flag, 156, 'latin1');
  block.write(entry.target.slice(0, NAME_BYTES), 157, NAME_BYTES, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(`${toOctal(sumOf(block), 6)}\0 `, CHECKSUM.start, 'latin1');
  return block;
}

function toOctal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** The sum of all bytes, those of the sum itself counted as blanks. */
function sumOf(block: Buffer): number {
  return block.reduce(
    (sum, byte, index) => sum + (index >= CHECKSUM.start && index < CHECKSUM.end ? 0x20 : byte),
    0,
  );
}

function readText(block: Buffer, start: number, length: number): string {
  const text = block.toString('latin1', start, start + length);
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

function readNumber(block: Buffer, start: number, length: number): number {
  const text = readText(block, start, length).trim();
  if (!/^[0-7]+$/.test(text)) throw damaged('a header is damaged');
  return Number.parseInt(text, 8);
}
