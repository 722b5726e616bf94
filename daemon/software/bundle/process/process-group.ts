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

/** Process ids by the leader of their group. */
type Groups = ReadonlyMap<number, readonly number[]>;

/**
 * Process groups of the machine, cached for half a second. Bundles are measured one by one, and listing the processes of the
 * machine for each would cost more than everything else that is done for an idle bundle.
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

/** Lists the current processes of a process group, including its leader; empty if all have exited. */
export function listProcessGroup(leader: number): readonly number[] {
  return readGroups().get(leader) ?? [];
}

/**
 * Reads proc(5) synchronously: the files are in memory, and a round trip to another thread takes ten times as long.
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
    // It has exited since it was listed.
    return undefined;
  }
  const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ', 3);
  return group === undefined ? undefined : Number(group);
}

/**
 * Returns the total resident memory of processes (proc_pid_status(5), VmRSS). Shared memory counts for each of them.
 *
 * @returns bytes; undefined if all have exited
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
 * Allows the processes of a bundle to write files, or makes every write to a file fail with `EFBIG` (setrlimit(2), RLIMIT_FSIZE).
 * Pipes, sockets and devices are not affected, and files can be deleted. A process that has exited is ignored.
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
      // The process has exited. One that continues to write is stopped when it exceeds the limit further.
    }
  }
}

/** Reads the soft and the hard limit of a process (proc_pid_limits(5)). */
async function readLimits(pid: number): Promise<{ readonly soft: string; readonly hard: string }> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  const [, soft = '', hard = 'unlimited'] = /^Max file size +(\S+) +(\S+)/m.exec(limits) ?? [];
  return { soft, hard };
}

/**
 * Applies the lowest priority to the scheduler group of a process as well, so that the process uses only idle CPU time.
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
    // The process has exited or is being stopped, or the machine denies the change: it keeps its priority.
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
