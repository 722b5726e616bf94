import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

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

/** Reads the resident memory of a process in MiB. */
export function readResidentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Processor time since some moment, in clock ticks. */
export interface MachineTime {
  /** Of the whole machine, including time that the hypervisor assigned to others. */
  readonly all: number;
  /** Of this process and of its children that have ended. */
  readonly own: number;
}

/** Reads how much processor time was used on the machine, and how much of it here (proc(5)). */
export function readMachineTime(): MachineTime {
  const machine = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '';
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = machine
    .replace(/^cpu +/, '')
    .split(' ')
    .map(Number);
  // The name of the program, in parentheses, may hold spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { all: user + nice + system + irq + softirq + steal, own };
}

/** Returns the part of the processor time between two readings that others used, 0..1. */
export function foreignShareBetween(before: MachineTime, after: MachineTime): number {
  return Math.max(0, 1 - (after.own - before.own) / (after.all - before.all));
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
