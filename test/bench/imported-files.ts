import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Types leave nothing in the program.
const IMPORT = /^(?:import|export)\b(?!\s+type\b)[^;]*?\bfrom\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gm;
// A program that a file starts is named by a file next to it, such as `load-process.ts` or `libmodbus-server.c`.
const NEIGHBOUR = /'([\w-]+\.(?:ts|c|py))'/g;

/**
 * Lists the files that a file needs to run: itself, what it imports, the programs next to it that it names, and in turn what
 * those need.
 *
 * @param file from the root
 * @param root folder of the sources
 * @returns paths from the root, sorted
 */
export function listNeededFiles(file: string, root: string): readonly string[] {
  const needed = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (needed.has(next) || !existsSync(path.join(root, next))) continue;
    needed.add(next);
    const text = readFileSync(path.join(root, next), 'utf8');
    const named = [...text.matchAll(IMPORT), ...text.matchAll(NEIGHBOUR)].map(
      ([, first, second]) => first ?? second ?? '',
    );
    for (const name of named) open.push(path.posix.join(path.posix.dirname(next), name));
  }
  return [...needed].toSorted();
}
