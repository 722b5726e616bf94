import { readFile } from 'node:fs/promises';

/**
 * Reads the resident memory of processes together (proc_pid_status(5), VmRSS). What they share counts for each of them.
 *
 * @returns bytes; undefined when all have ended
 */
export async function readResidentBytes(pids: readonly number[]): Promise<number | undefined> {
  const sizes = await Promise.all(pids.map(readOne));
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
