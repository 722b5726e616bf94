import { setImmediate } from 'node:timers/promises';

import { hasThreadsAtWork } from './threads.ts';

// What keeps a process alive without having anything to do with the world: its own standard streams.
const baseline = process.getActiveResourcesInfo().length;

/**
 * Resolves when everything that follows from the last event has happened: no callback is due, and no thread, file or child
 * process of the machine is at work. Time stands still meanwhile, so that how long the machine takes changes nothing.
 */
export async function becomeQuiet(): Promise<void> {
  do {
    await setImmediate();
  } while (hasThreadsAtWork() || process.getActiveResourcesInfo().length > baseline);
}
