import { readdirSync, readFileSync } from 'node:fs';

/** A process that another one started. */
export interface Child {
  readonly pid: number;
  /** Its parameters, each ended by NUL. */
  readonly commandLine: string;
}

/** Lists the children of a process. */
export function listChildren(parent: number | undefined): readonly Child[] {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
      .map((name) => ({ pid: Number(name), commandLine: readProcess(name, 'cmdline') }))
      // One that has ended has none (proc_pid_cmdline(5)).
      .filter(({ commandLine }) => commandLine !== '')
  );
}

/** Returns whether the process with this number is still the same one. */
export function isAlive({ pid, commandLine }: Child): boolean {
  return readProcess(String(pid), 'cmdline') === commandLine;
}

function parentOf(pid: string): number {
  // proc_pid_stat(5): the name of the program stands in brackets; after it come the state and the parent.
  return Number(readProcess(pid, 'stat').split(') ').at(-1)?.split(' ')[1]);
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
