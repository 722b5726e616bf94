import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';

import { rolldown } from 'rolldown';
import type { Plugin, RolldownOutput } from 'rolldown';

import { BUNDLER_CHECKS, readBundledModules, writeBundledModules } from './bundled-modules.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const BUILT = path.join(ROOT, 'build/program');

// Modules that they load on demand are in separate files, shared by both.
const PROGRAMS = ['daemon/main', 'daemon/cli/main'] as const;
// Each is one file; modules that it loads on demand are next to those of the programs.
const CHILDREN = [
  'daemon/software/bundle/runner/runner',
  'daemon/security/certificate/certificate-process',
  'daemon/security/identity/password/password-hash-worker',
  'daemon/software/package/unpack-process',
  'daemon/settings/yaml-process',
] as const;
const ON_DEMAND = 'daemon/on-demand';

/** Modules that are not bundled: a binary finds its way by its folder. */
export const MODULES_IN_FOLDERS: readonly string[] = ['@serialport/bindings-cpp'];
// It is loaded under a hook, by its name (drivers/modbus/value/pdu-codec.ts).
const LOADED_BY_NAME = 'modbus-serial';
// Only a checkout has what the simulated plant and the locks of files need.
const ABSENT = ['node-opcua', 'proper-lockfile'];
// As the bundler writes them: each on a line of its own; never two kinds at once with an asterisk.
const BUILT_IN_IMPORT = /^import (?:\* as )?([\w$]+)?(?:, )?(\{[^}]*\})? from "((?:node:)?[a-z0-9_/]+)";$/gm;
const PLACE = /PLACE_OF\("([^"]*)"\)/g;

// Shorter texts in one byte a character: the runtime keeps them in memory. A trace shows functions by their names; those of
// variables and of private methods are shorter, and `npm run trace` finds their place in the sources.
const MINIFIED = {
  compress: false,
  // An emulated machine needs longer limits: its tests find them by these names.
  mangle: { keepNames: true, reserved: ['START_LIMIT_MS', 'UNPACKING_LIMIT_MS'] },
  codegen: { removeWhitespace: true, asciiOnly: true },
};

// Without this list, each combination of programs and commands that share modules would get its own file. Each takes what it
// imports with it unless an earlier one has it, so the rooms of commands are last: the daemon would load what it needs from them.
const ROOMS = [
  'base',
  'interface',
  'security/certificate',
  'software/package',
  'settings',
  'security/audit',
  'plant/template',
  'cli/certificate',
  'cli/import',
];

// Its library is as large as a room, and few gateways read such a document.
const RARELY_LOADED = 'daemon/base/text/xml-document.ts';

// The libraries are responsible for the first two. Placeholders are replaced within their line, so source maps stay valid.
const HARMLESS: ReadonlySet<string> = new Set(['EVAL', 'CIRCULAR_DEPENDENCY', 'SOURCEMAP_BROKEN']);

if (import.meta.main) await bundlePrograms();

/**
 * Bundles the programs of the gateway, each with the code of all modules that it uses.
 *
 * @param target where they appear, once complete, in place of what was there
 */
export async function bundlePrograms(target: string = BUILT): Promise<void> {
  const folder = `${target}.${process.pid}`;
  await rm(folder, { recursive: true, force: true });
  const external = [...MODULES_IN_FOLDERS, ...ABSENT, LOADED_BY_NAME];
  const outputs: RolldownOutput[] = [];
  for (const entries of [PROGRAMS, ...CHILDREN.map((child) => [child])]) {
    outputs.push(await bundle(entries, external, folder));
  }
  outputs.push(await bundleModule(LOADED_BY_NAME, folder));
  const parts = outputs.flatMap(({ output }) => output);
  const sources = parts.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  await writeBundledModules(ROOT, folder, sources);
  await copyFile(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
  await rm(target, { recursive: true, force: true });
  await mkdir(path.dirname(target), { recursive: true });
  await rename(folder, target);
}

/** Lists the folders of the modules whose code is in the built programs. */
export function listProgramModules(): Promise<readonly string[]> {
  return readBundledModules(ROOT, BUILT);
}

async function bundle(
  entries: readonly string[],
  external: readonly string[],
  folder: string,
): Promise<RolldownOutput> {
  const builder = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map((entry) => [entry, path.join(ROOT, `${entry}.ts`)])),
    platform: 'node',
    external: [...external],
    plugins: [keepPlaces(), keepRouterOnly(), takeBuiltInModules()],
    checks: BUNDLER_CHECKS,
    onwarn: refuse,
  });
  // Names are retained: libraries distinguish types by class name.
  return builder.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${ON_DEMAND}/[name]-[hash].js`,
    codeSplitting: {
      groups: ROOMS.map((room, index) => ({
        name: room.replaceAll('/', '-'),
        test: (id: string) =>
          id.startsWith(path.join(ROOT, 'daemon', room, '/')) && !id.endsWith(RARELY_LOADED),
        priority: ROOMS.length - index,
        minShareCount: 2,
      })),
    },
    keepNames: true,
    minify: MINIFIED,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
}

/** Bundles one module as CommonJS in a folder of its own, so that `require` finds it by its name. */
async function bundleModule(name: string, folder: string): Promise<RolldownOutput> {
  const builder = await rolldown({
    cwd: ROOT,
    input: { index: name },
    platform: 'node',
    external: ['serialport'],
    checks: BUNDLER_CHECKS,
    onwarn: refuse,
  });
  const directory = path.join(folder, 'node_modules', name);
  const output = await builder.write({
    format: 'cjs',
    dir: directory,
    exports: 'auto',
    keepNames: true,
    minify: MINIFIED,
  });
  const own = JSON.parse(
    await readFile(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  const description = { name, version: own['version'], license: own['license'], main: 'index.js' };
  await writeFile(path.join(directory, 'package.json'), `${JSON.stringify(description)}\n`);
  return output;
}

/** Lets sources find their neighbours where the bundle has them: at the same place below its folder. */
function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      const place = path.relative(ROOT, path.dirname(id));
      if (place.startsWith('..') || place.startsWith('node_modules') || !code.includes('import.meta.dirname'))
        return null;
      return code.replaceAll('import.meta.dirname', `PLACE_OF("${place}")`);
    },
    renderChunk(code, { fileName }) {
      if (!code.includes('PLACE_OF(')) return null;
      const text = code.replaceAll(PLACE, (_call, place: string) => {
        const way = path.relative(path.dirname(fileName), place);
        return `process.getBuiltinModule("node:path").resolve(import.meta.dirname, "${way}")`;
      });
      return { code: text };
    },
  };
}

/**
 * Takes what comes with the runtime by a call. An import reads every name that such a module has, and some of them load
 * much: a web client, a second way to encrypt.
 */
function takeBuiltInModules(): Plugin {
  return {
    name: 'take-built-in-modules',
    renderChunk(code) {
      return {
        code: code.replaceAll(
          BUILT_IN_IMPORT,
          (line, whole: string | undefined, names: string | undefined, from: string) => {
            if (!isBuiltin(from)) return line;
            const module = `process.getBuiltinModule("${from}")`;
            const parts = names === undefined ? [] : [names.replaceAll(' as ', ': ')];
            return [whole ?? [], parts]
              .flat()
              .map((target) => `const ${target} = ${module};`)
              .join(' ');
          },
        ),
      };
    },
  };
}

/** Leaves out all of Express but its router; a source that imports more of it fails the build. */
function keepRouterOnly(): Plugin {
  const module = '\0express-router';
  const whole = path.join(ROOT, 'node_modules/express/package.json');
  return {
    name: 'keep-router-only',
    resolveId(name, importer) {
      if (name === 'express') return module;
      // It is found where Express finds it.
      return name === 'router' && importer === module ? this.resolve(name, whole) : null;
    },
    load(id) {
      return id === module ? "export { default as Router } from 'router';" : null;
    },
  };
}

function refuse({ code = '', message }: { readonly code?: string; readonly message: string }): void {
  if (!HARMLESS.has(code)) throw new Error(message);
}
