import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { rolldown } from 'rolldown';

import { BUNDLER_CHECKS } from './bundled-modules.ts';
import { readLicences } from './copyright.ts';
import { readRelease } from './release.ts';
import { run } from './run.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCES = path.join(ROOT, 'bundles');
const COMMAND = path.join(ROOT, 'daemon/cli/main.ts');
const BUILT = path.join(ROOT, 'build/packages');

/** A package, and the folders of the libraries whose code it contains. */
interface BuiltPackage {
  readonly file: string;
  readonly modules: readonly string[];
}

const MODULE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
// Parts of the library for other transports and for browsers, which a bundle does not use.
const HARMLESS: ReadonlySet<string> = new Set(['EVAL', 'CIRCULAR_DEPENDENCY', 'COMMONJS_VARIABLE_IN_ESM']);
const MINIFIED = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

if (import.meta.main) {
  for (const { file } of await buildBundlePackages()) process.stdout.write(`${file}\n`);
}

/**
 * Builds a deployment package of each folder in `bundles` that has a manifest: its modules and libraries in one file, its manifest with the version of
 * the project, the schema of its settings with their German words, and the licences of the libraries.
 *
 * @param target folder of the packages
 * @param version of the packages; default: that of the project
 * @returns the packages, each in a file `NAME_VERSION.dp`
 */
export async function buildBundlePackages(
  target: string = BUILT,
  version?: string,
): Promise<readonly BuiltPackage[]> {
  const packages: BuiltPackage[] = [];
  for (const name of await readdir(SOURCES)) {
    // Folders without a manifest hold what bundles share.
    if (existsSync(path.join(SOURCES, name, 'META-INF')))
      packages.push(await buildBundlePackage(name, target, version));
  }
  return packages;
}

async function buildBundlePackage(name: string, target: string, given?: string): Promise<BuiltPackage> {
  const { version: current, epochSeconds } = readRelease(ROOT);
  const version = given ?? current;
  const folder = path.join(target, `${name}.${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(path.join(folder, 'META-INF'), { recursive: true });
  try {
    const modules = await bundleModules(path.join(SOURCES, name, 'main.ts'), path.join(folder, 'main.mjs'));
    const manifest = await readFile(path.join(SOURCES, name, 'META-INF/MANIFEST.MF'), 'utf8');
    await writeFile(path.join(folder, 'META-INF/MANIFEST.MF'), manifest.replace('@VERSION@', version));
    for (const file of ['settings.schema.json', 'settings.schema.de.json'])
      await copyFile(path.join(SOURCES, name, file), path.join(folder, file));
    const licences = await readLicences(modules);
    const texts = licences.map(({ names, text }) => `${names.join(', ')}\n\n${text}\n`);
    await writeFile(path.join(folder, 'LICENSES.txt'), texts.join('\n---\n\n'));
    const file = path.join(target, `${name}_${version}.dp`);
    // As authors of bundles do.
    const command = ['package', 'build', folder, '--name', name, '--version', version, '--output', file];
    await run(process.execPath, [COMMAND, ...command], {
      environment: { SOURCE_DATE_EPOCH: String(epochSeconds) },
    });
    return { file, modules };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a module and all that it imports to one file, and returns the folders of the libraries in it, sorted. */
async function bundleModules(input: string, file: string): Promise<readonly string[]> {
  const builder = await rolldown({
    cwd: ROOT,
    input,
    platform: 'node',
    checks: BUNDLER_CHECKS,
    onwarn({ code = '', message }) {
      if (!HARMLESS.has(code)) throw new Error(message);
    },
  });
  const { output } = await builder.write({
    file,
    format: 'esm',
    keepNames: true,
    minify: MINIFIED,
    codeSplitting: false,
  });
  const sources = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  return [...new Set(sources.flatMap((source) => MODULE_FOLDER.exec(source)?.[0] ?? []))].toSorted();
}
