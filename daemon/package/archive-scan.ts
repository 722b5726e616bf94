import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import type { NameRule } from './entry-name.ts';
import { readZipDirectory } from './zip-directory.ts';
import type { ZipEntry } from './zip-directory.ts';

/** Checks the structure of an archive; see {@link readZipDirectory}. */
export function scanArchive(file: string, rule: NameRule): readonly ZipEntry[] {
  const descriptor = openSync(file, 'r');
  try {
    const readAt = (position: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
    };
    return readZipDirectory(readAt, fstatSync(descriptor).size, rule);
  } finally {
    closeSync(descriptor);
  }
}
