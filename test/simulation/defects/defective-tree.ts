import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { PlantedDefect } from './planted-defect.ts';

const root = path.resolve(import.meta.dirname, '../../..');

// What a world needs of the tree.
const COPIED = ['daemon', 'drivers', 'test/simulation', 'test/support', 'package.json', 'tsconfig.json'];

/** Makes a copy of what a world needs of the tree, with one defect, or with none. */
export function copyTree(directory: string, defect?: PlantedDefect): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const name of COPIED) cpSync(path.join(root, name), path.join(directory, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  if (defect !== undefined) plant(directory, defect);
}

function plant(directory: string, { name, file, search, replace }: PlantedDefect): void {
  const target = path.join(directory, file);
  const [before, after, ...more] = readFileSync(target, 'utf8').split(search);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${name}: ${file} does not have the text to replace exactly once`);
  writeFileSync(target, `${before}${replace}${after}`);
}
