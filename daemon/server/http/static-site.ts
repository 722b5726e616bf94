import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { Answer } from './answer.ts';
import { chooseCoding, isListed, tagOfForm } from './content-coding.ts';
import type { ContentCoding } from './content-coding.ts';

// A year, the longest time that caches are expected to respect.
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Cached, but revalidated each time. */
const REVALIDATED = 'no-cache';

/** Precompressed variants of a file, the shortest first, with their file extensions. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A static file with its compressed variants. */
export interface StaticFile {
  /** Media type. */
  readonly type: string;
  readonly plain: Buffer;
  /** The same content in other codings, the one to prefer first; empty if none is shorter. */
  readonly coded: ReadonlyMap<ContentCoding, () => Buffer>;
  /** Digest of the content, used as entity tag. */
  readonly digest: string;
  /** The name changes with the content, so that caches need no revalidation. */
  readonly isImmutable: boolean;
}

/** Files by request path. */
export type StaticSite = ReadonlyMap<string, StaticFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const INDEX = 'index.html';
/** Files in this folder have a digest of their content in their names. */
const HASHED_FOLDER = 'assets/';
// Names that mean the same in every spelling of a path: no percent-encoding, no dot segments.
const NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
const MAXIMUM_FILES = 200;
const MAXIMUM_BYTES = 8 * 1024 * 1024;

/**
 * Reads a built site into memory once; later changes in the directory have no effect. Symbolic links and unknown file
 * types are skipped.
 *
 * @returns undefined if the directory has no `index.html`
 * @throws {RangeError} for more than 200 files, or 8 MiB without compressed variants
 */
export async function readStaticSite(directory: string): Promise<StaticSite | undefined> {
  const names = await listNames(directory);
  if (!names.has(INDEX)) return undefined;
  if (names.size > MAXIMUM_FILES) throw new RangeError(`${directory} holds more than ${MAXIMUM_FILES} files`);
  const site = new Map<string, StaticFile>();
  let bytes = 0;
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined || !NAME.test(name)) continue;
    const file = await readForms(directory, name, { names, type });
    bytes += file.plain.length;
    if (bytes > MAXIMUM_BYTES) throw new RangeError(`${directory} holds more than ${MAXIMUM_BYTES} bytes`);
    site.set(name === INDEX ? '/' : `/${name}`, file);
  }
  return site;
}

async function listNames(directory: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(ignoreAbsence);
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name))));
}

function ignoreAbsence(error: unknown): readonly [] {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return [];
  throw error;
}

async function readForms(
  directory: string,
  name: string,
  { names, type }: { readonly names: ReadonlySet<string>; readonly type: string },
): Promise<StaticFile> {
  const plain = await readFile(path.join(directory, name));
  const coded = new Map<ContentCoding, () => Buffer>();
  for (const [coding, ending] of CODINGS) {
    if (!names.has(`${name}${ending}`)) continue;
    const bytes = await readFile(path.join(directory, `${name}${ending}`));
    if (bytes.length < plain.length) coded.set(coding, () => bytes);
  }
  if (coded.size > 0 && !coded.has('gzip')) coded.set('gzip', compressOnce(plain));
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { type, plain, coded, digest, isImmutable: name.startsWith(HASHED_FOLDER) };
}

/** Browsers that take no Brotli, without TLS, are rare: the first of them has the form made. */
function compressOnce(plain: Buffer): () => Buffer {
  let bytes: Buffer | undefined;
  return () => (bytes ??= gzipSync(plain));
}

/**
 * Answers with a file in the shortest form that the client accepts; 304 when the client has that form already (RFC 9110,
 * 13.1.2).
 */
export function answerFile({ headers }: Pick<IncomingMessage, 'headers'>, file: StaticFile): Answer {
  const coding = chooseCoding(headers['accept-encoding'], file.coded.keys());
  const tag = tagOfForm(`"${file.digest}"`, coding);
  const kept = {
    'Cache-Control': file.isImmutable ? IMMUTABLE : REVALIDATED,
    ETag: tag,
    ...(file.coded.size === 0 ? {} : { Vary: 'Accept-Encoding' }),
  };
  if (isListed(headers['if-none-match'], tag)) return { status: 304, headers: kept, file: {} };
  const coded = coding === undefined ? undefined : file.coded.get(coding)?.();
  return {
    status: 200,
    headers: coding === undefined ? kept : { ...kept, 'Content-Encoding': coding },
    file: { type: file.type, bytes: coded ?? file.plain },
  };
}
