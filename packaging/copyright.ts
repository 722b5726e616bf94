import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Component of a CycloneDX bill, with the fields used here. */
interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly { readonly expression: string }[];
}

/** The licence of modules whose code is part of other files, so that they have no folder of their own. */
export interface BundledLicence {
  /** The modules that have this very text. */
  readonly names: readonly string[];
  readonly text: string;
}

interface ModuleDescription {
  readonly name: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

const LICENCE_FILE = /^licen[cs]e(?:\.(?:md|txt))?$/i;

/** Reads the licences of modules that a package holds without their folders. */
export async function readLicences(folders: readonly string[]): Promise<readonly BundledLicence[]> {
  const names = new Map<string, string[]>();
  for (const folder of folders) {
    const { name, text } = await readLicence(folder);
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, each]) => ({ names: [...new Set(each)], text }));
}

async function readLicence(folder: string): Promise<{ readonly name: string; readonly text: string }> {
  const description = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  ) as ModuleDescription;
  const { name } = description;
  const file = (await readdir(folder)).find((entry) => LICENCE_FILE.test(entry));
  if (file !== undefined) return { name, text: shorten(await readFile(path.join(folder, file), 'utf8')) };
  // Some say no more than its name, or nothing but where they are kept.
  const { license = 'as its page says', homepage, repository } = description;
  const page = homepage ?? (typeof repository === 'string' ? repository : repository?.url) ?? '';
  return { name, text: `${license} (it comes without a text of its licence): ${page}` };
}

/** Refers to the Apache License, which every Debian has (Debian policy, 12.5), and keeps what says whose work it is. */
function shorten(text: string): string {
  if (!/Apache License\s+Version 2\.0/.test(text)) return text.trim();
  const holders = text.split('\n').filter((line) => /^\s*Copyright .*\d{4}/.test(line));
  const own = holders.map((line) => `${line.trim()}\n`).join('');
  return `${own}Apache-2.0: the full text is in /usr/share/common-licenses/Apache-2.0 on Debian systems.`;
}

/** Third-party components in files of the package. */
export interface BundledLicences {
  readonly console: readonly BundledLicence[];
  readonly packages: readonly BundledLicence[];
  readonly programs: readonly BundledLicence[];
}

/** Gives the copyright file: the licence of the product and of every module in the package, from its bill. */
export function writeCopyright(bill: string, { console, programs, packages }: BundledLicences): string {
  const { components } = JSON.parse(bill) as { readonly components: readonly Component[] };
  const rows = components.map(({ name, version, licenses = [] }) => {
    const terms = licenses.map(({ expression }) => expression);
    return ` ${name} ${version ?? ''}: ${terms.join(' AND ') || 'see below'}`;
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
 The licences of the modules, whose texts lie in their folders or follow below:
 .
${rows.join('\n')}
${formatBundled('usr/lib/penstock/daemon/*', programs)}${formatBundled('usr/share/penstock/packages/*', packages)}${formatBundled('usr/share/penstock/console/*', console)}`;
}

// One paragraph for all: of several for the same files only the last would count.
function formatBundled(files: string, bundled: readonly BundledLicence[]): string {
  const texts = bundled.map(({ names, text }) => {
    const lines = text.split(/\r?\n/);
    const body = lines.map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`)).join('\n');
    const of = names.map((name) => ` - ${name}\n`).join('');
    return ` .\n Part of these files is the code of\n${of} under this licence:\n .\n${body}\n`;
  });
  return `
Files: ${files}
Copyright: 2026 The Penstock contributors, and the authors that the licences name
License: Apache-2.0 and others
 That of Penstock itself is above.
${texts.join('')}`;
}
