import { readdirSync, readFileSync } from 'node:fs';

/** Processor time since some moment, in clock ticks. */
export interface MachineTime {
  /** Of the whole machine, including time that the hypervisor assigned to others. */
  readonly all: number;
  /** What passed on one core, at work or not. */
  readonly passed: number;
  /** Time that the hypervisor assigned to others. */
  readonly stolen: number;
  /** Of each program that was not started from here, by what names it. */
  readonly foreign: ReadonlyMap<string, ForeignTime>;
}

interface ForeignTime {
  /** With the time of its children that have ended. */
  readonly ticks: number;
  /** Names the program to which this time goes when it ends; absent: it is counted nowhere then. */
  readonly parent?: string | undefined;
}

interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  /** Tells it from another one that has its number later. */
  readonly name: string;
  readonly ticks: number;
}

const FIRST_PROCESS = 1;
const KERNEL = 2;

/** Reads how much processor time was used on the machine, and how much of it by programs that were not started from here (proc(5)). */
export function readMachineTime(): MachineTime {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n');
  const cores = lines.filter((line) => /^cpu\d/.test(line)).length;
  const fields = (lines[0] ?? '')
    .replace(/^cpu +/, '')
    .split(' ')
    .map(Number);
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = fields;
  const all = user + nice + system + irq + softirq + stolen;
  const processes = readProcesses();
  const own = listOwn(processes);
  const foreign = processes.filter(({ pid, parent }) => !own.has(pid) && pid !== KERNEL && parent !== KERNEL);
  const nameOf = new Map(
    foreign.filter(({ pid }) => pid !== FIRST_PROCESS).map(({ pid, name }) => [pid, name]),
  );
  return {
    all,
    passed: (all + idle + waiting) / cores,
    stolen,
    foreign: new Map(foreign.map(({ name, ticks, parent }) => [name, { ticks, parent: nameOf.get(parent) }])),
  };
}

/** What others took of the time between two readings, 0..1 each. */
export interface ForeignShare {
  /** Other programs and the hypervisor. */
  readonly all: number;
  /** The hypervisor alone. */
  readonly stolen: number;
}

/**
 * Returns what others took between two readings: of the processor time that was used, or of the time that passed on one core where
 * the machine was mostly idle. Who waits for a device most of the time is delayed by no more than what others used.
 */
export function foreignShareBetween(before: MachineTime, after: MachineTime): ForeignShare {
  let ticks = after.stolen - before.stolen;
  for (const [name, time] of after.foreign) ticks += time.ticks - (before.foreign.get(name)?.ticks ?? 0);
  // What has ended since is counted with its parent, also what it had used before.
  for (const [name, time] of before.foreign) {
    if (!after.foreign.has(name) && isCountedWithParent(name, before, after)) ticks -= time.ticks;
  }
  const whole = Math.max(after.all - before.all, after.passed - before.passed);
  const shareOf = (part: number): number => Math.min(1, Math.max(0, part / whole));
  return { all: shareOf(ticks), stolen: shareOf(after.stolen - before.stolen) };
}

function isCountedWithParent(name: string, before: MachineTime, after: MachineTime): boolean {
  const parent = before.foreign.get(name)?.parent;
  if (parent === undefined) return false;
  return after.foreign.has(parent) || isCountedWithParent(parent, before, after);
}

function readProcesses(): readonly ProcessTime[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid: number): ProcessTime | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended since it was listed.
    return undefined;
  }
  // The name of the program, in parentheses, may hold spaces.
  const fields = text
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  // A child that has ended counts with its parent; the first process takes those that were started from here as well.
  const ended = pid === FIRST_PROCESS ? 0 : cutime + cstime;
  const [parent = 0, start = 0] = [fields[1], fields[19]];
  return { pid, parent, name: `${pid} ${start}`, ticks: utime + stime + ended };
}

/** Lists this process and all that it has started, and what those have started. */
function listOwn(processes: readonly ProcessTime[]): ReadonlySet<number> {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const own = new Set<number>();
  const add = (pid: number): void => {
    own.add(pid);
    for (const child of children.get(pid) ?? []) add(child.pid);
  };
  add(process.pid);
  return own;
}
