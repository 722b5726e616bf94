import { readdir } from 'node:fs/promises';
import path from 'node:path';

import type { Finding } from '../machine-checks.ts';

// What looks like a provision file to people and editors, and is none.
const ALIKE = /\.(?:yml|json|yaml\.txt)$|\.ya?ml$/i;

/** Names the files of `provision.d` that are not read because of their names. */
export async function checkProvisionNames(configFile: string): Promise<readonly Finding[]> {
  const folder = path.join(path.dirname(path.resolve(configFile)), 'provision.d');
  const names = await readdir(folder).catch((): readonly string[] => []);
  return names
    .filter((name) => ALIKE.test(name) && !name.endsWith('.yaml') && !name.startsWith('.'))
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const right = path.join(folder, name.replace(/(?:\.[a-z]+)+$/i, '.yaml'));
      return {
        check: 'files',
        state: 'WRONG',
        detail: `${file} is not read: names of provision files end in .yaml`,
        advice: `mv ${file} ${right}, then: systemctl reload penstock`,
      };
    });
}
