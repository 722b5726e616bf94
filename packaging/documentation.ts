import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Pages for those who change or measure the sources; the package has no sources. */
const PAGES_OF_THE_SOURCES: ReadonlySet<string> = new Set([
  'architecture.md',
  'performance.md',
  'reliability.md',
]);
const INDEX = 'README.md';
// The package is for gateways, most of which have no screen.
const PICTURE = /^!\[[^\]]*\]\([^)]*\)\n\n?/gm;

/**
 * Lays out the pages for those who install the package, with the examples that they lead to and a list of them.
 *
 * @param root folder of the project
 * @param folder where the pages go
 */
export async function layPages(root: string, folder: string): Promise<void> {
  const docs = path.join(root, 'docs');
  await mkdir(folder, { recursive: true });
  const pages = (await readdir(docs)).filter(
    (name) => name.endsWith('.md') && !PAGES_OF_THE_SOURCES.has(name),
  );
  for (const page of pages) {
    const text = await readFile(path.join(docs, page), 'utf8');
    await writeFile(path.join(folder, page), text.replaceAll(PICTURE, ''), { mode: 0o644 });
  }
  await cp(path.join(docs, 'examples'), path.join(folder, 'examples'), { recursive: true });
  for (const entry of await readdir(path.join(folder, 'examples'), {
    recursive: true,
    withFileTypes: true,
  })) {
    await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
  const readme = await readFile(path.join(root, INDEX), 'utf8');
  await writeFile(path.join(folder, INDEX), writeIndex(readme, new Set(pages)), { mode: 0o644 });
}

/** Takes the introduction and the list of pages from the page of the project. */
function writeIndex(readme: string, pages: ReadonlySet<string>): string {
  const [head = ''] = readme.split('\n```mermaid');
  const [, features = ''] = /\nWhat it offers:\n([^]*?)\n## /.exec(readme) ?? [];
  const list = readme.split('\n').filter((line) => {
    const [, page = ''] = /^- \[[^\]]+\]\(docs\/([\w-]+\.md)\)/.exec(line) ?? [];
    return pages.has(page);
  });
  const text = `${head}\nWhat it offers:\n${features}\n## Pages\n\n${list.join('\n')}\n`;
  return text.replaceAll('](docs/', '](');
}
