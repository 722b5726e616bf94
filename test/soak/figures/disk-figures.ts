import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { Figures } from './process-figures.ts';

/** Reads how many bytes each file and folder of a directory has, with all that is in it, in KiB. */
export function readDiskFigures(directory: string): Figures {
  const entries = readdirSync(directory).map((name) => [
    `disk: ${name}, KiB`,
    sizeOf(path.join(directory, name)) / 1024,
  ]);
  return Object.fromEntries(entries) as Figures;
}

/** An entry that is removed while it is read has no size. */
function sizeOf(file: string): number {
  try {
    const status = lstatSync(file);
    if (!status.isDirectory()) return status.size;
    return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0);
  } catch {
    return 0;
  }
}
