import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * What the runtime is started with: the daemon as it is installed, compiled (running the sources costs memory and time for
 * the compiler in the runtime), with the options of the npm script.
 */
export const PROGRAM: readonly string[] = [
  ...readRuntimeOptions(),
  path.join(root, 'build/javascript/daemon/main.js'),
];

function readRuntimeOptions(): readonly string[] {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly daemon: string };
  };
  return manifest.scripts.daemon.split(' ').filter((word) => word.startsWith('--'));
}
