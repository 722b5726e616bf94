import type { ByteSource } from './byte-source.ts';
import {
  BLOCK_BYTES,
  RECORDS_FLAG,
  damaged,
  paddingOf,
  parseRecords,
  parseTarBlock,
  toTarType,
} from './tar-header.ts';
import type { TarEntry } from './tar-header.ts';

/** An entry whose content is to be read before the next one. */
interface ReadEntry {
  readonly entry: TarEntry;
  readonly content: AsyncIterable<Buffer>;
}

const MAXIMUM_RECORD_BYTES = 65_536;
const PIECE_BYTES = 65_536;

/**
 * Reads the entries of an archive, in their order. The content of an entry that is not read is passed over.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` when it is damaged or cut off, for names that could lead out of a folder, and for
 *   anything but files, directories and symbolic links
 */
export async function* readTar(source: ByteSource): AsyncGenerator<ReadEntry> {
  for (;;) {
    const entry = await readEntry(source);
    if (entry === undefined) return;
    const content = readContent(source, entry.sizeBytes);
    yield { entry, content };
    for await (const _rest of content) continue;
  }
}

async function readEntry(source: ByteSource): Promise<TarEntry | undefined> {
  let records: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const bytes = await readExactly(source, BLOCK_BYTES);
    if (bytes.every((byte) => byte === 0)) {
      await checkEnd(source);
      return undefined;
    }
    const { flag, ...block } = parseTarBlock(bytes);
    if (flag === RECORDS_FLAG) {
      if (block.sizeBytes > MAXIMUM_RECORD_BYTES) throw damaged('a record is damaged');
      records = parseRecords(await readExactly(source, block.sizeBytes));
      await readExactly(source, paddingOf(block.sizeBytes));
      continue;
    }
    const entry: TarEntry = {
      ...block,
      type: toTarType(flag),
      name: checkName(records.get('path') ?? block.name),
      target: records.get('linkpath') ?? block.target,
      sizeBytes: toNumber(records.get('size'), block.sizeBytes),
      uid: toNumber(records.get('uid'), block.uid),
      gid: toNumber(records.get('gid'), block.gid),
    };
    if (entry.type !== 'FILE' && entry.sizeBytes > 0) throw damaged(`${entry.name} has a content`);
    return entry;
  }
}

/** Refuses everything that is not a plain relative path. */
function checkName(name: string): string {
  const parts = name.replace(/\/$/, '').split('/');
  const isPlain = parts.every((part) => !['', '.', '..'].includes(part) && !part.includes('\0'));
  if (!isPlain) throw damaged(`it holds an entry named ${JSON.stringify(name)}`);
  return parts.join('/');
}

function toNumber(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw damaged('a record is damaged');
  return value;
}

async function* readContent(source: ByteSource, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let rest = sizeBytes; rest > 0; rest -= PIECE_BYTES) {
    yield await readExactly(source, Math.min(rest, PIECE_BYTES));
  }
  await readExactly(source, paddingOf(sizeBytes));
}

async function checkEnd(source: ByteSource): Promise<void> {
  // An archive ends with two empty blocks, and may be filled up with more.
  await readExactly(source, BLOCK_BYTES);
  for (;;) {
    const rest = await source.read(PIECE_BYTES);
    if (rest.length === 0) return;
    if (rest.some((byte) => byte !== 0)) throw damaged('something follows its end');
  }
}

async function readExactly(source: ByteSource, bytes: number): Promise<Buffer> {
  const piece = await source.read(bytes);
  if (piece.length < bytes) throw damaged('it is cut off');
  return piece;
}
