import { createHash } from 'node:crypto';
import { mkdir, open, readdir } from 'node:fs/promises';
import path from 'node:path';

import { readPieces } from '../../base/file/file-pieces.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { StoredFile } from '../package/archive/stored-entry.ts';

/**
 * Compares the content of a directory with the installed files.
 *
 * @returns paths that are missing, altered, not files, or unexpected; sorted
 */
export async function findDamage(
  directory: string,
  expected: readonly StoredFile[],
): Promise<readonly string[]> {
  const wanted = new Map(expected.map((file) => [file.path, file]));
  const damage: string[] = [];
  for (const { name, isFile } of await listFiles(directory)) {
    const file = wanted.get(name);
    wanted.delete(name);
    const isSame = file !== undefined && isFile && (await isIntact(path.join(directory, name), file));
    if (!isSame) damage.push(name);
  }
  return [...damage, ...wanted.keys()].sort();
}

/**
 * Copies an installed file and verifies the digest of the copy, which is synced when this resolves.
 *
 * @throws {DeploymentError} `OTHER_ERROR` when the original is damaged
 */
export async function copyStoredFile(source: string, target: string, expected: StoredFile): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  async function* digest(): AsyncGenerator<Uint8Array> {
    for await (const piece of readPieces(await open(source))) {
      hash.update(piece);
      yield piece;
    }
  }
  const handle = await open(target, 'wx', 0o600);
  try {
    await handle.writeFile(digest());
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (hash.digest('hex') !== expected.sha256) {
    const detail = `the installed file "${expected.path}" is damaged; install the whole package again`;
    throw new DeploymentError('OTHER_ERROR', detail);
  }
}

interface FoundFile {
  /** Path below the directory, with `/`. */
  readonly name: string;
  readonly isFile: boolean;
}

async function listFiles(directory: string, prefix = ''): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const entries = await readEntries(path.join(directory, prefix));
  // A directory that cannot be read counts as an unexpected file: what it should contain is missing.
  if (entries === undefined) return [{ name: prefix.slice(0, -1), isFile: false }];
  for (const entry of entries) {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) found.push(...(await listFiles(directory, `${name}/`)));
    else found.push({ name, isFile: entry.isFile() });
  }
  return found;
}

async function readEntries(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    return (error as { code?: unknown }).code === 'ENOENT' ? [] : undefined;
  }
}

async function isIntact(file: string, { sizeBytes, sha256 }: StoredFile): Promise<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  try {
    for await (const piece of readPieces(await open(file))) {
      hash.update(piece);
      length += piece.length;
      // A file that has grown is not read to its end.
      if (length > sizeBytes) return false;
    }
  } catch {
    // A file that cannot be read is lost.
    return false;
  }
  return length === sizeBytes && hash.digest('hex') === sha256;
}
