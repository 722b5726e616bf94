import { readdirSync, readFileSync } from 'node:fs';

import type { Clock } from '../base/clock.ts';

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
