import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Links of the configuration page that open a text. */
const TEXT_LINK = String.raw`/^#\/configuration\/(?:document|(?!snapshots\/)[^/]+\/.)/`;

/**
 * Adds a script to the built console that requests the library of the text editor, its largest file, while the frame still
 * loads, if a text is opened first: over a slow link, the wait for the response then costs nothing.
 *
 * @param folder with the built console
 * @param library name of the chunk
 */
export async function addEarlyScript(folder: string, library: string): Promise<void> {
  const names = await readdir(path.join(folder, 'assets'));
  const file = names.find((name) => name.startsWith(`${library}-`) && name.endsWith('.js'));
  if (file === undefined) throw new Error(`the built console has no ${library}`);
  // An absolute address, by which the loader of the pages finds it.
  const script = `if (${TEXT_LINK}.test(location.hash)) {
  const link = document.createElement('link');
  Object.assign(link, { rel: 'modulepreload', crossOrigin: '', href: new URL('assets/${file}', document.baseURI).href });
  document.head.append(link);
}
`;
  const name = `assets/early-editor-${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
  await writeFile(path.join(folder, name), script);
  const html = path.join(folder, 'index.html');
  const text = await readFile(html, 'utf8');
  await writeFile(html, text.replace('</title>', `</title>\n    <script async src="./${name}"></script>`));
}
