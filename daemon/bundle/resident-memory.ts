import { readFile } from 'node:fs/promises';

/**
 * Reads the resident memory of a process (proc_pid_status(5), VmRSS).
 *
 * @returns bytes; undefined when the process has ended
 */
export async function readResidentBytes(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
