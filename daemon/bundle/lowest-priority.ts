import { writeFile } from 'node:fs/promises';

import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';

const LOWEST_PRIORITY = 19;
// The kernel accepts one change of an autogroup per tenth of a second, from all processes together.
const PAUSE_MS = 120;
const ATTEMPTS = 100;

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
