import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import type { Clock } from '../../../base/clock.ts';
import { delay } from '../../../base/clock.ts';

const LOWEST_PRIORITY = 19;
// The kernel accepts one change of an autogroup per tenth of a second, from all processes together.
const PAUSE_MS = 120;
const ATTEMPTS = 100;

const PRLIMIT = '/usr/bin/prlimit';
const PRLIMIT_LIMIT_MS = 5000;

// A bundle is measured every two seconds, and up to eight times as often while it is writing.
const MAXIMUM_AGE_MS = 500;

/** Processes by the leader of their group. */
type Groups = ReadonlyMap<number, readonly number[]>;

/**
 * The process groups of the machine as they were half a second ago at most: bundles are measured one by one, and to list the
 * processes of a machine for each of them would cost more than all else that is done for a bundle that is idle.
 */
export class RecentGroups {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #groups: Groups = new Map();
  #listedAtMs = -Infinity;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Lists the processes of a group; some may have ended since. */
  list(leader: number): readonly number[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#listedAtMs > MAXIMUM_AGE_MS) {
      this.#groups = readGroups();
      this.#listedAtMs = nowMs;
    }
    return this.#groups.get(leader) ?? [];
  }
}

/** Lists the processes that a process group has now, its leader included; empty when all have ended. */
export function listProcessGroup(leader: number): readonly number[] {
  return readGroups().get(leader) ?? [];
}

/**
 * The files of proc(5) are in memory: reading them at once takes a tenth of the time that each way to another thread and back
 * does.
 */
function readGroups(): Groups {
  const groups = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const leader = pid > 0 ? readLeader(pid) : undefined;
    if (leader === undefined) continue;
    const members = groups.get(leader);
    if (members === undefined) groups.set(leader, [pid]);
    else members.push(pid);
  }
  return groups;
}

/** Reads the process group of a process (proc_pid_stat(5)); the name of the program may contain anything. */
function readLeader(pid: number): number | undefined {
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
        timeout: PRLIMIT_LIMIT_MS,
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

/**
 * Gives the group of a process that was started at the lowest priority that priority as well, so that the process uses only time that
 * no other one needs.
 *
 * Priorities count within a group of the scheduler. A process with its own session has its own group, the autogroup, which has
 * one of its own (sched(7)). A kernel without autogroups, or a control group with a share of the processor, such as that
 * of a systemd unit, does not need this. A process that has ended is ignored.
 *
 * @param signal ends the attempts
 */
export async function lowerGroupPriority(pid: number, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS && !(await lowerAutogroup(pid)); attempt += 1) {
      // Spreads the attempts of bundles that start at the same time.
      await delay(clock, PAUSE_MS * (1 + (pid % 4)), signal);
    }
  } catch {
    // The process has ended or is being stopped, or the machine denies the change: then it keeps its priority.
  }
}

/** @returns false when the attempt must be repeated */
async function lowerAutogroup(pid: number): Promise<boolean> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(LOWEST_PRIORITY), { flag: 'r+' });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EAGAIN') return false;
    throw error;
  }
}
