import { writeFile } from 'node:fs/promises';
import os from 'node:os';

import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';

const LOWEST_PRIORITY = 19;
// The kernel takes one change of an autogroup in a tenth of a second, whoever asks for it.
const PAUSE_MS = 120;
const ATTEMPTS = 100;

/**
 * Gives a process the lowest priority, so that it takes only the time that nobody else wants.
 *
 * Priorities count within a group of the scheduler. A process with a session of its own is in a group of its own, its
 * autogroup, which has a priority as well (sched(7)); a kernel without autogroups, or a control group with a share of
 * the processor, as of a unit of systemd, does without. A process that has ended is left alone.
 *
 * @param signal ends the attempts
 */
export async function lowerPriority(pid: number, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    os.setPriority(pid, LOWEST_PRIORITY);
    for (let attempt = 0; attempt < ATTEMPTS && !(await lowerAutogroup(pid)); attempt += 1) {
      // Bundles are started several at a time: not all at the same moment again.
      await delay(clock, PAUSE_MS * (1 + (pid % 4)), signal);
    }
  } catch {
    // It has ended, or is to end; or the machine denies it, and the bundle runs as it is.
  }
}

/** @returns false when it has to be tried again */
async function lowerAutogroup(pid: number): Promise<boolean> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(LOWEST_PRIORITY), { flag: 'r+' });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EAGAIN') return false;
    throw error;
  }
}
