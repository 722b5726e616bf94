import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of a Linux process or thread; a lower one stays unchanged. Threads that it starts later
 * inherit it.
 *
 * @param id of the process; 0: the calling thread
 * @param nice 1 to 19, the lowest priority
 */
export function lowerPriority(id: number, nice: number): void {
  try {
    setPriority(id, Math.max(nice, getPriority(id)));
  } catch {
    // It has exited, or a sandbox forbids it: normal priority is better than no work.
  }
}
