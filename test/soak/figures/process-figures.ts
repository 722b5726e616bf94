import { readdirSync, readlinkSync } from 'node:fs';

import { readResidentMiB } from '../../bench/process-usage.ts';
import { listChildren } from '../../support/child-processes.ts';

/** Measured numbers by name. */
export type Figures = Readonly<Record<string, number>>;

/** Reads memory, threads and open descriptors of a process. */
export function readProcessFigures(name: string, pid: number): Figures {
  const kinds = countKinds(pid);
  const descriptors = Object.entries(kinds).map(([kind, count]) => [`${name}: descriptors, ${kind}`, count]);
  return {
    [`${name}: resident memory, MiB`]: readResidentMiB(pid),
    [`${name}: threads`]: readdirSync(`/proc/${pid}/task`).length,
    [`${name}: descriptors`]: Object.values(kinds).reduce((sum, count) => sum + count, 0),
    ...(Object.fromEntries(descriptors) as Figures),
  };
}

/** Reads the same of the processes below another one, as sums. */
export function readChildFigures(name: string, parent: number): Figures {
  const pids = listDescendants(parent);
  const sums: Record<string, number> = { [`${name}: processes`]: pids.length };
  for (const pid of pids) {
    for (const [figure, value] of Object.entries(readEnding(name, pid)))
      sums[figure] = (sums[figure] ?? 0) + value;
  }
  return sums;
}

function listDescendants(parent: number): readonly number[] {
  const children = listChildren(parent).map(({ pid }) => pid);
  return children.concat(children.flatMap(listDescendants));
}

/** A process that ends while it is read has nothing. */
function readEnding(name: string, pid: number): Figures {
  try {
    return readProcessFigures(name, pid);
  } catch {
    return {};
  }
}

function countKinds(pid: number): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = readKind(`/proc/${pid}/fd/${name}`);
    if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** @returns undefined for one that has been closed since it was listed */
function readKind(file: string): string | undefined {
  try {
    const target = readlinkSync(file);
    // proc_pid_fd(5): `socket:[123]`, `anon_inode:[eventpoll]`, or a path.
    const [, kind = 'file'] = /^(socket|pipe|anon_inode:\[?\w+\]?)(?::|$)/.exec(target) ?? [];
    return kind.replace(/^anon_inode:\[?(\w+)\]?$/, '$1');
  } catch {
    return undefined;
  }
}

/** Reads a gauge of the metrics, in MiB. */
export function readGaugeMiB(metrics: string, gauge: string): number {
  return Number(new RegExp(`^${gauge} (\\S+)$`, 'm').exec(metrics)?.[1]) / 2 ** 20;
}
