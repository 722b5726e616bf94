import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of a process or thread of Linux; one that is low already stays as it is. Threads that it starts later
 * inherit it.
 *
 * @param id of the process; 0: the calling thread
 * @param nice 1 to 19, the lowest priority
 */
export function lowerPriority(id: number, nice: number): void {
  try {
    setPriority(id, Math.max(nice, getPriority(id)));
  } catch {
    // It has ended, or a sandbox forbids it: work at normal priority is better than none.
  }
}
