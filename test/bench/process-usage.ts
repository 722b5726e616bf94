import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Processor time of each thread of a process, in nanoseconds. */
export type CpuTime = ReadonlyMap<string, number>;

/** Reads the processor time that the threads of a process have used, from proc(5) `schedstat`. */
export function readCpuTime(pid: number): CpuTime {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(threads.map((thread) => [thread, readThreadTime(`/proc/${pid}/task/${thread}/schedstat`)]));
}

/** Returns the processor time used between two readings, in microseconds. */
export function cpuMicrosecondsBetween(before: CpuTime, after: CpuTime): number {
  let nanoseconds = 0;
  for (const [thread, time] of after) nanoseconds += time - (before.get(thread) ?? 0);
  return nanoseconds / 1000;
}

/** Returns the processor time of processes during the same time, in percent of a core. */
export async function measureShares(
  processes: readonly number[],
  durationMs: number,
): Promise<readonly number[]> {
  const before = processes.map(readCpuTime);
  const beginMs = performance.now();
  await wait(durationMs);
  const after = processes.map(readCpuTime);
  const percentUs = (performance.now() - beginMs) * 10;
  return after.map((time, index) => cpuMicrosecondsBetween(before[index] ?? new Map(), time) / percentUs);
}

/** Reads the resident memory of a process in MiB. */
export function readResidentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Whether servers and their clients can have a core each. */
export const canPin = availableParallelism() > 1 && hasTaskset();

/** Keeps a process on one side: servers on the first core, clients and devices on the second. */
export function pin(pid: number, side: 'server' | 'client'): void {
  if (!canPin) return;
  execFileSync('taskset', ['-a', '-c', '-p', side === 'server' ? '0' : '1', String(pid)], {
    stdio: 'ignore',
  });
}

/**
 * Keeps the main thread of a process on the first core. Its other threads, such as those of the garbage collector, have both, as on
 * any machine with two: beside the main thread on one core, they would interrupt it for 4 ms each.
 */
export function pinMainThread(pid: number): void {
  if (!canPin) return;
  execFileSync('taskset', ['-c', '-p', '0', String(pid)], { stdio: 'ignore' });
}

function readThreadTime(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ', 1)[0]);
  } catch {
    // The thread has ended since it was listed.
    return 0;
  }
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
