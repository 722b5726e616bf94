import { setImmediate } from 'node:timers/promises';

import { hasThreadsAtWork } from './threads.ts';

// Resources of the runtime that end by themselves, and by which the world goes on.
const WORK: ReadonlySet<string> = new Set([
  'CloseReq',
  'FSReqCallback',
  'FSReqPromise',
  'Immediate',
  'ProcessWrap',
  'PipeConnectWrap',
  'ShutdownWrap',
  'WriteWrap',
  'ZLIB',
]);

// The standard streams are opened when they are first used.
void [process.stdout, process.stderr];
const countPipes = (resources: readonly string[]): number =>
  resources.filter((name) => name === 'PipeWrap').length;
const ownPipes = countPipes(process.getActiveResourcesInfo());

/**
 * Resolves when everything that follows from the last event has happened: no callback is due, and no thread, file or child
 * process of the machine is at work. Time stands still meanwhile, so that how long the machine takes changes nothing.
 */
export async function becomeQuiet(): Promise<void> {
  do {
    await setImmediate();
  } while (hasThreadsAtWork() || isAtWork(process.getActiveResourcesInfo()));
}

function isAtWork(resources: readonly string[]): boolean {
  if (resources.length === 0) return false;
  return countPipes(resources) > ownPipes || resources.some((name) => WORK.has(name));
}
