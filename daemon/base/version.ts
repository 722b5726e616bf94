import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Reads the product version from the `package.json` next to the sources or the compiled files. */
export function readVersion(): string {
  const file = path.join(import.meta.dirname, '..', '..', 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return version;
}
