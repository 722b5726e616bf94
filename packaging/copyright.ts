import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A component of a CycloneDX bill, as far as it is looked at here. */
interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly { readonly expression: string }[];
}

/** The licence of a module whose code is part of the console, where it has no folder of its own. */
export interface BundledLicence {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the licences of modules that a package holds without their folders.
 *
 * @throws {Error} for a module without a file of its licence
 */
export async function readLicences(folders: readonly string[]): Promise<readonly BundledLicence[]> {
  return Promise.all(
    folders.map(async (folder) => {
      const file = (await readdir(folder)).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
      if (file === undefined) throw new Error(`${folder} has no file of its licence`);
      const { name } = JSON.parse(
        await readFile(path.join(folder, 'package.json'), 'utf8'),
      ) as BundledLicence;
      return { name, text: await readFile(path.join(folder, file), 'utf8') };
    }),
  );
}

/** Gives the copyright file: the licence of the product and of every module in the package, from its bill. */
export function writeCopyright(bill: string, bundled: readonly BundledLicence[] = []): string {
  const { components } = JSON.parse(bill) as { readonly components: readonly Component[] };
  const rows = components.map(({ name, version, licenses = [] }) => {
    const terms = licenses.map(({ expression }) => expression);
    return ` ${name} ${version ?? ''}: ${terms.join(' AND ') || 'see its folder'}`;
  });
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Penstock

Files: *
Copyright: 2026 The Penstock contributors
License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

Files: usr/lib/penstock/node_modules/* usr/lib/penstock/bin/node
Copyright: their authors, named in the licence files of each folder
License: various
 The licences of the modules, whose texts lie in their folders:
 .
${rows.join('\n')}
${formatBundled(bundled)}`;
}

// One paragraph for all: of several for the same files only the last would count.
function formatBundled(bundled: readonly BundledLicence[]): string {
  if (bundled.length === 0) return '';
  const texts = bundled.map(({ name, text }) => {
    const lines = text.trim().split(/\r?\n/);
    const body = lines.map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`)).join('\n');
    return ` .\n The code of ${name} is part of these files, under this licence:\n .\n${body}\n`;
  });
  return `
Files: usr/share/penstock/console/*
Copyright: 2026 The Penstock contributors, and the authors that the licences name
License: Apache-2.0 and others
 That of Penstock itself is above.
${texts.join('')}`;
}
