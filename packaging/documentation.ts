import { chmod, cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Pages for those who change or measure the sources; the package has no sources. */
const PAGES_OF_THE_SOURCES: readonly string[] = [
  'dev/architecture.md',
  'dev/journal-format.md',
  'dev/performance.md',
  'dev/release.md',
  'dev/reliability.md',
];
const MAP = 'README.md';
// The package is for gateways, and most have no screen.
const PICTURE = /^!\[[^\]]*\]\([^)]*\)\n\n?/gm;

/**
 * Lays out the pages for those who install the package, with the examples that they lead to and their map.
 *
 * @param root folder of the project
 * @param folder where the pages go
 */
export async function layPages(root: string, folder: string): Promise<void> {
  const docs = path.join(root, 'docs');
  for await (const page of glob('**/*.md', { cwd: docs })) {
    if (PAGES_OF_THE_SOURCES.includes(page)) continue;
    const text = await readFile(path.join(docs, page), 'utf8');
    const file = path.join(folder, page);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, page === MAP ? withoutMissingPages(text) : text.replaceAll(PICTURE, ''), {
      mode: 0o644,
    });
  }
  const examples = path.join(folder, 'examples');
  await cp(path.join(docs, 'examples'), examples, { recursive: true });
  for await (const entry of glob('**/*', { cwd: examples, withFileTypes: true })) {
    await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

/** Removes the lines of pages that the package does not have, and headings that are left without a line. */
function withoutMissingPages(map: string): string {
  const lines = map
    .split('\n')
    .filter((line) => !PAGES_OF_THE_SOURCES.some((page) => line.includes(`](${page})`)));
  return `${lines
    .join('\n')
    .replaceAll(/^## .*\n\n(?=## |(?![^]))/gm, '')
    .trimEnd()}\n`;
}
