import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { FuzzTarget } from './fuzz-target.ts';

const folder = path.join(import.meta.dirname, 'corpus');

/** Reads the kept inputs of a target, in the order of their names. */
export function readCorpus({ name }: FuzzTarget): readonly Buffer[] {
  const own = path.join(folder, name);
  if (!existsSync(own)) return [];
  return readdirSync(own)
    .toSorted()
    .map((file) => readFileSync(path.join(own, file)));
}

/** Keeps exactly these inputs of a target; a file has the beginning of the digest of its content as name. */
export function writeCorpus({ name }: FuzzTarget, inputs: readonly Uint8Array[]): void {
  const own = path.join(folder, name);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  for (const input of inputs) {
    const digest = createHash('sha256').update(input).digest('hex');
    writeFileSync(path.join(own, digest.slice(0, 16)), input);
  }
}
