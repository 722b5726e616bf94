import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a container may use of this machine, whatever it believes to have. */
export interface Limits {
  readonly memoryMib: number;
  /** Share of one core. */
  readonly cpuPercent: number;
}

/** What a container with limits has used since it was booted. */
export interface Usage {
  /** Programs that the kernel ended because the memory was used up. */
  readonly killed: number;
  /** Most memory at a time, with files that the kernel kept in it; undefined where the kernel does not tell. */
  readonly peakMib: number | undefined;
  /** Memory of programs at present, without files. */
  readonly programsMib: number;
  /** Periods in which the share of the processor was used up. */
  readonly throttled: number;
}

const ROOT = '/sys/fs/cgroup';
const MIB = 2 ** 20;
const PERIOD_US = 100_000;
// Version 2 is one hierarchy for all; version 1 has one for each kind of limit.
const UNIFIED = path.join(ROOT, 'cgroup.controllers');
const MEMORY = path.join(ROOT, 'memory');
const CPU = path.join(ROOT, 'cpu');

/** Says why no container can be given limits here; undefined when one can. */
export function findLimitObstacle(): string | undefined {
  if (existsSync(UNIFIED)) {
    const controllers = readFileSync(UNIFIED, 'utf8').trim().split(' ');
    const missing = ['memory', 'cpu'].filter((controller) => !controllers.includes(controller));
    return missing.length === 0 ? undefined : `control groups cannot limit ${missing.join(' and ')} here`;
  }
  const files = [path.join(MEMORY, 'memory.limit_in_bytes'), path.join(CPU, 'cpu.cfs_quota_us')];
  const missing = files.find((file) => !existsSync(file));
  return missing === undefined ? undefined : `control groups have no ${missing} here`;
}

/** The control groups around one container. */
export class ControlGroups {
  readonly #groups: readonly string[];
  readonly #limits: Limits | undefined;

  // systemd-nspawn creates control groups below its own, so it gets one that can be removed afterwards.
  constructor(name: string, limits?: Limits) {
    const hierarchies = ['', 'unified', 'systemd', ...(limits === undefined ? [] : ['memory', 'cpu'])];
    this.#groups = hierarchies
      .map((hierarchy) => path.join(ROOT, hierarchy))
      .filter((hierarchy) => existsSync(path.join(hierarchy, 'cgroup.procs')))
      .map((hierarchy) => {
        const group = path.join(hierarchy, name);
        mkdirSync(group, { recursive: true });
        return group;
      });
    this.#limits = limits;
    if (limits !== undefined) this.#limit(limits);
  }

  /** Returns a shell command with which a process enters the groups, to become the supervisor of the container. */
  enterAsSupervisor(): string {
    return toShell(this.#groups);
  }

  /** Returns a shell command with which a process becomes subject to the limits; it does nothing where there are none. */
  enterLimits(): string {
    if (this.#limits === undefined) return ':';
    // In version 2, a group that has groups below it cannot hold processes itself.
    return toShell(
      existsSync(UNIFIED) ? [this.#getScripts()] : [this.#getGroup(MEMORY), this.#getGroup(CPU)],
    );
  }

  /** Returns what was used so far under the limits. */
  measure(): Usage {
    const isUnified = existsSync(UNIFIED);
    const memory = this.#getGroup(isUnified ? ROOT : MEMORY);
    const cpu = this.#getGroup(isUnified ? ROOT : CPU);
    const peak = path.join(memory, isUnified ? 'memory.peak' : 'memory.max_usage_in_bytes');
    return {
      killed: readCount(path.join(memory, isUnified ? 'memory.events' : 'memory.oom_control'), 'oom_kill'),
      peakMib: existsSync(peak) ? Number(readFileSync(peak, 'utf8')) / MIB : undefined,
      programsMib: readCount(path.join(memory, 'memory.stat'), isUnified ? 'anon' : 'total_rss') / MIB,
      throttled: readCount(path.join(cpu, 'cpu.stat'), 'nr_throttled'),
    };
  }

  /** Removes the groups; what the container has created in them as well. */
  remove(): void {
    for (const group of this.#groups) {
      const folders = execFileSync('find', [group, '-depth', '-type', 'd'], { encoding: 'utf8' });
      for (const folder of folders.trim().split('\n')) {
        try {
          rmdirSync(folder);
        } catch {
          // A process of the container is still on its way out.
        }
      }
    }
  }

  #limit({ memoryMib, cpuPercent }: Limits): void {
    const bytes = memoryMib * MIB;
    const quotaUs = (cpuPercent / 100) * PERIOD_US;
    if (existsSync(UNIFIED)) {
      writeFileSync(path.join(ROOT, 'cgroup.subtree_control'), '+memory +cpu');
      const group = this.#getGroup(ROOT);
      writeFileSync(path.join(group, 'memory.max'), String(bytes));
      writeFileSync(path.join(group, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
      mkdirSync(this.#getScripts(), { recursive: true });
      return;
    }
    writeFileSync(path.join(this.#getGroup(MEMORY), 'memory.limit_in_bytes'), String(bytes));
    writeFileSync(path.join(this.#getGroup(CPU), 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(path.join(this.#getGroup(CPU), 'cpu.cfs_quota_us'), String(quotaUs));
  }

  #getGroup(hierarchy: string): string {
    const group = this.#groups.find((each) => path.dirname(each) === hierarchy);
    if (group === undefined) throw new RangeError(`no control group below ${hierarchy}`);
    return group;
  }

  #getScripts(): string {
    return path.join(this.#getGroup(ROOT), 'scripts');
  }
}

function toShell(groups: readonly string[]): string {
  return `for group in ${groups.join(' ')}; do echo $$ >"$group/cgroup.procs" || exit 1; done`;
}

function readCount(file: string, name: string): number {
  const count = new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
  if (count === undefined) throw new TypeError(`${file} has no ${name}`);
  return Number(count);
}
