import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** A process of the machine. */
export interface RunningProcess {
  /** Name of its program. */
  readonly name: string;
  readonly pid: number;
}

const PROCESSES = '/proc';

/**
 * Finds a process that has one of the files or sockets open.
 *
 * @param targets as the kernel names them in `/proc/PID/fd` (proc(5)): a path, or `socket:[INODE]`
 * @returns undefined also if this user may not see the open files of the process
 */
export function findProcessWith(targets: ReadonlySet<string>): RunningProcess | undefined {
  const found = list(PROCESSES).find((pid) => /^\d+$/.test(pid) && hasOpen(pid, targets));
  return found === undefined ? undefined : { name: readName(found), pid: Number(found) };
}

function hasOpen(pid: string, targets: ReadonlySet<string>): boolean {
  const folder = path.join(PROCESSES, pid, 'fd');
  return list(folder).some((descriptor) => {
    try {
      return targets.has(readlinkSync(path.join(folder, descriptor)));
    } catch {
      return false;
    }
  });
}

// The name of the main thread says nothing about a program that names its threads, as Node.js does.
function readName(pid: string): string {
  const [program = ''] = read(path.join(PROCESSES, pid, 'cmdline')).split('\0');
  return path.basename(program) || read(path.join(PROCESSES, pid, 'comm')).trim();
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

// Another process may end at any moment, and those of other users may be hidden.
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
