import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Finding } from '../machine-checks.ts';

const LONGEST_CHECK_MS = 60_000;

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
      timeout: LONGEST_CHECK_MS,
    });
    return { check, state: 'GOOD', detail: 'the daemon can read everything it needs' };
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    const reason = stderr.trim().replace(/^penstockd: /, '');
    const detail = reason === '' ? `penstockd --check-config: ${String(error)}` : reason;
    const advice = 'fix what is named; until then the daemon does not start again';
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
