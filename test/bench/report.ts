import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

import type { Pace } from './bench.ts';
import { canPin } from './process-usage.ts';
import { formatStoredTable, parseStoredTable } from './stored-table.ts';
import type { StoredTable } from './stored-table.ts';

const FILE = path.resolve(import.meta.dirname, '../../docs/dev/performance.md');
const BEGIN = '<!-- table: begin -->';
const END = '<!-- table: end -->';

/** Reads the table of docs/dev/performance.md. */
export async function readReport(): Promise<StoredTable> {
  const { table } = split(await readFile(FILE, 'utf8'));
  return parseStoredTable(table);
}

/**
 * Replaces the table of docs/dev/performance.md.
 *
 * @param scenarios the names of all, in their order
 */
export async function writeReport(table: StoredTable, scenarios: readonly string[]): Promise<void> {
  const { before, after } = split(await readFile(FILE, 'utf8'));
  await writeFile(FILE, `${before}${BEGIN}\n\n${formatStoredTable(table, scenarios)}\n\n${after}`);
}

function split(text: string): { readonly before: string; readonly table: string; readonly after: string } {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('docs/dev/performance.md has lost the marks of its table');
  return { before: text.slice(0, begin), table: text.slice(begin, end), after: text.slice(end) };
}

/** Describes this machine. */
export function describeMachine(): string {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const cores = `${availableParallelism()} cores${canPin ? ', one for the server' : ''}`;
  return `${cores}; ${memoryGiB} GiB; Node ${process.versions.node}; ${process.platform} ${process.arch}`;
}

/** Returns the day in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * Describes how, when and on which machine the figures were measured.
 *
 * @param foreignShare part of the processor time that other programs used, 0..1
 * @param against the commit that was measured as well
 */
export function describeRun(pace: Pace, foreignShare: number, against?: string): string {
  const options = [
    ...(against === undefined ? [] : [`--against ${against}`]),
    ...(pace === 'full' ? [] : ['--quick']),
  ];
  const command = ['npm run bench', ...(options.length === 0 ? [] : ['--', ...options])].join(' ');
  const others = `other programs and the hypervisor took ${Math.round(foreignShare * 100)} % of the processor time used`;
  return `\`${command}\` on ${today()}: ${describeMachine()}; ${others}.`;
}
