import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readToolOptions } from './tool-options.ts';

const FILE = path.resolve(import.meta.dirname, '../package-lock.json');
const USAGE = `Usage: npm run format

Takes the ranges of Node.js out of the entries of package-lock.json. Packages state them for the Node.js that runs them, which is
a dependency of the project; npm compares them with the one that npm itself runs on, warns of each package, and leaves native
modules out without a word.

  --check   changes nothing, and fails when there are some
`;

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly engines?: unknown }>>;
}

const { check } = readToolOptions(USAGE, { check: { type: 'boolean', default: false } });
const text = await readFile(FILE, 'utf8');
const tidied = tidy(text);
if (check && tidied !== text) {
  process.stderr.write(
    'package-lock.json names ranges of Node.js, which keep npm from installing: npm run format\n',
  );
  process.exitCode = 1;
} else if (tidied !== text) await writeFile(FILE, tidied);

function tidy(written: string): string {
  const lockfile = JSON.parse(written) as Lockfile;
  const packages = Object.entries(lockfile.packages).map(([place, whole]) => {
    const { engines: _, ...entry } = whole;
    // The project itself is at the empty place.
    return [place, place === '' ? whole : entry];
  });
  return `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(packages) as unknown }, undefined, 2)}\n`;
}
