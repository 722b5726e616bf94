import { readdir, readFile } from 'node:fs/promises';

/** Lists the processes of a process group, its leader included; empty when all have ended. */
export async function listProcessGroup(leader: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const groups = await Promise.all(pids.map(readGroup));
  return pids.filter((_, index) => groups[index] === leader);
}

/** Reads the process group of a process (proc_pid_stat(5)); the name of the program may contain anything. */
async function readGroup(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return group === undefined ? undefined : Number(group);
}
