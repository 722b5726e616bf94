import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startsWith } from './replace.ts';

const { permission } = process;
const has = permission.has.bind(permission);
// Captured before code of the bundle runs, which may replace them.
const resolve = path.resolve.bind(path);
const toPath = fileURLToPath;

/** True if the permission model lets this process read a path or `file:` URL; false for anything else. */
export function isReadable(file: string | URL): boolean {
  try {
    const isUrl = typeof file !== 'string' || startsWith(file, 'file:');
    return has('fs.read', resolve(isUrl ? toPath(file) : file));
  } catch {
    return false;
  }
}
