import { readFileSync } from 'node:fs';

import { MAKE_ENVIRONMENT } from '../support/python-environment.ts';
import type { FreshDebian } from './fresh-debian.ts';

/** Lists the packages of the command in CONTRIBUTING.md that installs everything, without those that come with the npm of Debian. */
export async function listMissingPackages(debian: FreshDebian): Promise<readonly string[]> {
  const [, all = ''] = /^apt-get install (.*)$/m.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const { output } = await debian.run('user', "dpkg-query -W -f '${Package}\\n'");
  const present = new Set(output.split('\n'));
  return all.split(' ').filter((name) => !present.has(name));
}

/** Finds the packages of the command that a run of tests names at its end; none where it names no command. */
export function findNamedPackages(output: string): readonly string[] {
  const commands = output.matchAll(/^ {2}apt-get install (.*?)(?: && (.*))?$/gm);
  return [...commands]
    .filter(([, , more]) => more === undefined || more === MAKE_ENVIRONMENT)
    .flatMap(([, names = '']) => names.split(' '));
}
