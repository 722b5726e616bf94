import { chmod, copyFile, cp, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Architecture } from './architecture.ts';
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

/** Copies what the daemon needs of the modules, and the runtime itself to `bin/node`. */
export async function copyModules(
  { installed }: ProductionModules,
  library: string,
  architecture: Architecture,
): Promise<void> {
  const from = path.join(installed, 'node_modules');
  const runtime = `node-linux-${architecture.node}`;
  const to = path.join(library, 'node_modules');
  const files = await readdir(from, { recursive: true, withFileTypes: true });
  for (const entry of files) {
    const source = path.join(entry.parentPath, entry.name);
    const file = path.relative(from, source);
    // Links are npm's `.bin`: programs that nobody calls.
    if (!entry.isFile() || file.startsWith(`${runtime}/`) || !isNeeded(file, architecture)) continue;
    if (await isProgram(source)) continue;
    const target = path.join(to, file);
    await mkdir(path.dirname(target), { recursive: true });
    await cp(source, target);
    await chmod(target, 0o644);
  }
  await mkdir(path.join(library, 'bin'), { recursive: true });
  await copyFile(path.join(from, runtime, 'bin', 'node'), path.join(library, 'bin', 'node'));
  await chmod(path.join(library, 'bin', 'node'), 0o755);
  await rm(path.join(to, '.bin'), { recursive: true, force: true });
}

// Modules bring programs of theirs along, which nobody calls.
async function isProgram(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(2) });
    return bytesRead === 2 && buffer.toString('latin1') === '#!';
  } finally {
    await handle.close();
  }
}
