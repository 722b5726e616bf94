import { readdirSync, readFileSync } from 'node:fs';

/**
 * Lists the processes of a process group, its leader included; empty when all have ended.
 *
 * The files of proc(5) are in memory: reading them at once takes a tenth of the time that each way to another thread and back does.
 */
export function listProcessGroup(leader: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readGroup(pid) === leader);
}

/** Reads the process group of a process (proc_pid_stat(5)); the name of the program may contain anything. */
function readGroup(pid: number): number | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It has ended since it was listed.
    return undefined;
  }
  const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ', 3);
  return group === undefined ? undefined : Number(group);
}
