import { chmod, copyFile, mkdir, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Architecture } from './architecture.ts';
import { MODULES_IN_FOLDERS } from './bundle-programs.ts';
import { isNeeded } from './prune.ts';
import { run } from './run.ts';

export interface ProductionModules {
  /** Folder that holds `node_modules` as npm installed it for the other machine. */
  readonly installed: string;
}

/** Installs the production modules for a machine, without running any script of theirs. */
export async function installModules(
  root: string,
  folder: string,
  { node }: Architecture,
): Promise<ProductionModules> {
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    await copyFile(path.join(root, name), path.join(folder, name));
  }
  const target = ['--os=linux', `--cpu=${node}`, '--libc=glibc'];
  await run(
    'npm',
    ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...target],
    {
      cwd: folder,
    },
  );
  return { installed: folder };
}

/** Copies the modules that are not part of the programs, with what they need. */
export async function copyModules(
  { installed }: ProductionModules,
  library: string,
  architecture: Architecture,
): Promise<void> {
  const from = path.join(installed, 'node_modules');
  const to = path.join(library, 'node_modules');
  for (const name of await listWithDependencies(from, MODULES_IN_FOLDERS)) {
    const files = await readdir(path.join(from, name), { recursive: true, withFileTypes: true });
    for (const entry of files) {
      const source = path.join(entry.parentPath, entry.name);
      const file = path.relative(from, source);
      if (!entry.isFile() || !isNeeded(file, architecture) || (await isProgram(source))) continue;
      const target = path.join(to, file);
      await mkdir(path.dirname(target), { recursive: true });
      await copyFile(source, target);
      await chmod(target, 0o644);
    }
  }
}

/** Copies the runtime to `bin/node`, without the names that only a debugger of its own code would show. */
export async function copyRuntime(
  { installed }: ProductionModules,
  library: string,
  { node, stripCommand }: Architecture,
): Promise<void> {
  const target = path.join(library, 'bin/node');
  await mkdir(path.dirname(target), { recursive: true });
  await copyFile(path.join(installed, 'node_modules', `node-linux-${node}`, 'bin/node'), target);
  await run(stripCommand, ['--strip-unneeded', target]);
  await chmod(target, 0o755);
}

async function listWithDependencies(from: string, names: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = await readFile(path.join(from, name, 'package.json'), 'utf8');
    const { dependencies = {} } = JSON.parse(text) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    // Of several versions of a module, the one in the folder of another comes with it.
    waiting.push(...Object.keys(dependencies));
  }
  return [...found];
}

// Modules contain programs that are never called.
async function isProgram(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(2) });
    return bytesRead === 2 && buffer.toString('latin1') === '#!';
  } finally {
    await handle.close();
  }
}
