import { readFile } from 'node:fs/promises';

import { listProcessGroup } from './process-group.ts';

/**
 * Reads the resident memory of a process group (proc_pid_status(5), VmRSS). What processes share counts for each of them.
 *
 * @param leader process id of its leader
 * @returns bytes; undefined when it has ended
 */
export async function readResidentBytes(leader: number): Promise<number | undefined> {
  const sizes = await Promise.all(listProcessGroup(leader).map(readOne));
  const known = sizes.filter((size) => size !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, size) => sum + size, 0);
}

async function readOne(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
