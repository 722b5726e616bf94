import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { listProcessGroup } from './process-group.ts';

const PRLIMIT = '/usr/bin/prlimit';
const LIMIT_MS = 5000;

/**
 * Lets the processes of a bundle write files, or has every write to a file fail with `EFBIG` (setrlimit(2), RLIMIT_FSIZE). Pipes,
 * sockets and devices are not affected, and files can be deleted. A process that has ended is ignored.
 *
 * @param pid leader of the process group
 */
export async function setWritable(pid: number, isWritable: boolean): Promise<void> {
  for (const member of listProcessGroup(pid)) {
    try {
      const { soft, hard } = await readLimits(member);
      const wanted = isWritable ? hard : '0';
      if (soft === wanted) continue;
      await promisify(execFile)(PRLIMIT, [`--pid=${member}`, `--fsize=${wanted}:`], {
        env: {},
        timeout: LIMIT_MS,
      });
    } catch {
      // The process has ended. One that goes on writing is stopped when it exceeds the limit further.
    }
  }
}

/** Reads the limit in force, and the one up to which a process may raise it (proc_pid_limits(5)). */
async function readLimits(pid: number): Promise<{ readonly soft: string; readonly hard: string }> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  const [, soft = '', hard = 'unlimited'] = /^Max file size +(\S+) +(\S+)/m.exec(limits) ?? [];
  return { soft, hard };
}
