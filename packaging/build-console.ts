import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';

import type * as Vite from 'vite';

import {
  BUNDLED_MODULES,
  BUNDLER_CHECKS,
  readBundledModules,
  writeBundledModules,
} from './bundled-modules.ts';
import { addEarlyScript } from './early-editor.ts';
import { separateTexts } from './separate-texts.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCES = path.join(ROOT, 'daemon/console');
const BUILT = path.join(ROOT, 'build/console');
/** Names the sources that the built console is made of. */
const DIGEST = 'sources.sha256';
// What is shorter fits the packet that its head needs anyway.
const MINIMUM_BYTES = 1024;
const EDITOR_LIBRARY = 'code-editor-library';
/**
 * What every page needs is one file, as is what several of the lazy pages share, and what the editor needs of its library to
 * show a text: each file more costs a slow link a round trip, and its header fields are longer than many a small file.
 */
const CHUNKS = [
  { name: 'frame', tags: ['$initial' as const], priority: 2 },
  {
    name: EDITOR_LIBRARY,
    test: /\/node_modules\/(?:@codemirror\/(?!autocomplete\/)|@lezer\/|@marijn\/|style-mod\/|w3c-keyname\/)/,
    priority: 3,
  },
  { name: 'shared', test: /\/daemon\/console\//, minShareCount: 2, priority: 1 },
];
/** Modules of a package that declares no side effects, but has none: what writes YAML then loads without what parses it. */
const WITHOUT_SIDE_EFFECTS = /\/node_modules\/yaml\//;
const COMPRESSED = new Set(['.css', '.html', '.js', '.json', '.svg']);

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } });
  await buildConsole({ isForced: !values['if-changed'] });
}

/** Builds the console into `build/console`, with compressed forms of its files; does nothing while its sources are the same. */
export async function buildConsole({ isForced }: { readonly isForced: boolean }): Promise<void> {
  const digest = await digestSources();
  if (!isForced && (await findDigest()) === digest) return;
  // A start that builds nothing does not wait for the builder to load.
  const { build } = await import('vite');
  // Put in its place as a whole: a build that is cut off leaves no half of a console.
  const folder = `${BUILT}.${process.pid}`;
  const built = await build({
    root: SOURCES,
    configFile: false,
    logLevel: 'warn',
    base: './',
    plugins: [await separateTexts(SOURCES)],
    worker: { rolldownOptions: { checks: BUNDLER_CHECKS } },
    build: {
      rolldownOptions: {
        checks: BUNDLER_CHECKS,
        treeshake: { moduleSideEffects: [{ test: WITHOUT_SIDE_EFFECTS, sideEffects: false }] },
        output: { codeSplitting: { groups: CHUNKS } },
      },
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // The plots of trends have few styles of their own: a file less to wait for.
      cssCodeSplit: false,
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  await addEarlyScript(folder, EDITOR_LIBRARY);
  await compress(folder);
  await writeBundledModules(ROOT, folder, listSources(built));
  await writeFile(path.join(folder, DIGEST), digest);
  await rm(BUILT, { recursive: true, force: true });
  try {
    await rename(folder, BUILT);
  } catch (error) {
    await rm(folder, { recursive: true });
    // Another build of the same sources was faster.
    if ((await findDigest()) !== digest) throw error;
  }
}

async function findDigest(): Promise<string | undefined> {
  return readFile(path.join(BUILT, DIGEST), 'utf8').catch(() => undefined);
}

/** Copies the built console to where a gateway finds it; what only its builder needs stays behind. */
export async function layConsole(folder: string): Promise<void> {
  for (const file of await listFiles(BUILT)) {
    const name = path.relative(BUILT, file);
    if (name === DIGEST || name === BUNDLED_MODULES) continue;
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(file, target);
    await chmod(target, 0o644);
  }
}

/** Lists the folders of the packages whose code is in the built console. */
export function listBundledFolders(): Promise<readonly string[]> {
  return readBundledModules(ROOT, BUILT);
}

function listSources(built: Awaited<ReturnType<typeof Vite.build>>): readonly string[] {
  const outputs = Array.isArray(built) ? built : 'output' in built ? [built] : [];
  return outputs.flatMap(({ output }) =>
    output.flatMap((part) =>
      part.type === 'chunk'
        ? part.moduleIds
        : part.originalFileNames.map((name) => path.resolve(SOURCES, name)),
    ),
  );
}

async function digestSources(): Promise<string> {
  const hash = createHash('sha256');
  hash.update(await readFile(path.join(ROOT, 'package-lock.json')));
  hash.update(await readFile(import.meta.filename));
  for (const part of ['early-editor.ts', 'separate-texts.ts']) {
    hash.update(await readFile(path.join(import.meta.dirname, part)));
  }
  for (const file of (await listFiles(SOURCES)).toSorted()) {
    hash.update(`${path.relative(SOURCES, file)}\0`);
    hash.update(await readFile(file));
  }
  return hash.digest('hex');
}

async function compress(directory: string): Promise<void> {
  for (const file of await listFiles(directory)) {
    if (!COMPRESSED.has(path.extname(file))) continue;
    const bytes = await readFile(file);
    if (bytes.length < MINIMUM_BYTES) continue;
    const parameters = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await writeFile(`${file}.br`, brotliCompressSync(bytes, { params: parameters }));
  }
}

async function listFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}
