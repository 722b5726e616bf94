import { execFile } from 'node:child_process';
import { stat, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import path from 'node:path';

import type { Finding } from '../machine-checks.ts';

const MAXIMUM_CHECK_MS = 60_000;

/**
 * Checks everything that a start of the daemon reads, with its rights: provision files, certificates and keys.
 *
 * As root the check runs as the owner of the data directory, because a file that only root can read keeps the daemon from
 * starting; another user checks with their own rights.
 */
export async function checkDaemonFiles(configFile: string, dataDirectory: string): Promise<Finding> {
  const check = 'files';
  const daemon = path.resolve(import.meta.dirname, `../../main${path.extname(import.meta.filename)}`);
  const rights = await findRights(dataDirectory);
  try {
    const parameters = [daemon, '--config', configFile, '--check-config'];
    await promisify(execFile)(process.execPath, parameters, {
      ...rights,
      cwd: '/',
      timeout: MAXIMUM_CHECK_MS,
    });
    return { check, state: 'GOOD', detail: 'the daemon can read everything it needs' };
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    const reason = stderr.trim().replace(/^penstockd: /, '');
    const detail = reason === '' ? `penstockd --check-config: ${String(error)}` : reason;
    const advice = 'fix the problem; until then the daemon cannot restart';
    return { check, state: 'WRONG', detail, advice };
  }
}

async function findRights(dataDirectory: string): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  try {
    const { uid, gid } = await stat(dataDirectory);
    return { uid, gid };
  } catch {
    return {};
  }
}

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
        detail: `${file} is not read: provision files must end in .yaml`,
        advice: `mv ${file} ${right}, then: systemctl reload penstock`,
      };
    });
}
