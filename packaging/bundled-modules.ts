import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** File in which a build lists the modules whose code it contains. */
export const BUNDLED_MODULES = 'bundled-modules.json';

/** Checks of the bundler that no build makes: on a slow machine it would warn of the time that its own parts take. */
export const BUNDLER_CHECKS = { bundlerTimings: false } as const;

const MODULE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * Names, in the folder of a build, the modules that its files were made of.
 *
 * @param sources the files that went in, with their full paths
 */
export async function writeBundledModules(
  root: string,
  folder: string,
  sources: readonly string[],
): Promise<void> {
  const folders = sources.flatMap((file) => MODULE_FOLDER.exec(file)?.[0] ?? []);
  const names = [...new Set(folders)].map((module) => path.relative(root, module)).toSorted();
  await writeFile(path.join(folder, BUNDLED_MODULES), `${JSON.stringify(names)}\n`);
}

/** Lists the folders of the modules that a build was made of. */
export async function readBundledModules(root: string, folder: string): Promise<readonly string[]> {
  const text = await readFile(path.join(folder, BUNDLED_MODULES), 'utf8');
  return (JSON.parse(text) as readonly string[]).map((name) => path.join(root, name));
}
