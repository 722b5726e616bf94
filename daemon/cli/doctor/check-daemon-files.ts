import { execFile } from 'node:child_process';
import { stat, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import path from 'node:path';

import type { Finding } from '../machine-checks.ts';

const MAXIMUM_CHECK_MS = 60_000;

/**
 * Checks all files that the daemon reads at a start, with its permissions: provision files, certificates and keys.
 *
 * As root, the check runs as the owner of the data directory, because a file that only root can read prevents a start of
 * the daemon; other users check with their own permissions.
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

// Names that look like provision files but are not.
const ALIKE = /\.(?:yml|json|yaml\.txt)$|\.ya?ml$/i;

/** Reports files in `provision.d` that are ignored because of their names. */
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
