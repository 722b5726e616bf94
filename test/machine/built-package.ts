import path from 'node:path';

import { run } from '../../packaging/run.ts';

/** Folder of the project. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

/** How a package is installed without a question. */
export const APT = 'DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0';

/** Builds the package of the checkout into a folder, with little compression, and returns its file. */
export async function buildDebianPackage(folder: string, architecture = 'amd64'): Promise<string> {
  const parameters = ['run', '-s', 'deb', '--', '--arch', architecture, '--fast', '--output', folder];
  const output = await run('npm', parameters, { cwd: ROOT });
  return output.trim().split('\n').at(-1) ?? '';
}
