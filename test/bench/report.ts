import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

import type { Pace } from './bench.ts';
import { canPin } from './process-usage.ts';
import type { Interval } from './interval.ts';
import type { Bound } from './scenario.ts';
import type { JudgedLine } from './verdict.ts';

const FILE = path.resolve(import.meta.dirname, '../../docs/dev/performance.md');
const BEGIN = '<!-- table: begin -->';
const END = '<!-- table: end -->';

const HEADINGS = ['#', 'what', 'value', 'floor', 'ratio', 'spread', 'others', 'gate', 'goal', 'verdict'];

/** Returns the table as Markdown that also reads well as plain text. */
export function formatTable(lines: readonly JudgedLine[]): string {
  const rows = lines.map((line) => [
    String(line.row ?? ''),
    line.name,
    line.value,
    line.floor ?? '',
    `${formatNumber(line.figure)} ${line.unit}`.trim(),
    formatInterval(line.interval),
    line.isUntimed === true ? '' : `${Math.round(line.foreignShare * 100)} %`,
    formatBound(line.gate, line.unit),
    formatBound(line.goal, line.unit),
    line.verdict,
  ]);
  return formatRows(HEADINGS, rows);
}

/** Says how many figures could not be told from their gates; empty when all could. */
export function describeNoise(lines: readonly JudgedLine[]): string {
  const judged = lines.filter(({ verdict }) => verdict !== '');
  const noisy = judged.filter(({ verdict }) => verdict === 'too noisy');
  return noisy.length === 0
    ? ''
    : `too noisy: ${noisy.length} of ${judged.length} figures with a gate may lie on either side of it; the exit status leaves them out`;
}

/** Returns a table in Markdown that also reads well as plain text. */
export function formatRows(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const format = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [headings, rule, ...rows].map(format).join('\n');
}

/** Puts the table into docs/dev/performance.md, where it replaces the last one. */
export async function writeReport(lines: readonly JudgedLine[], run: string): Promise<void> {
  const text = await readFile(FILE, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('docs/dev/performance.md has lost the marks of its table');
  const content = `${BEGIN}\n\n${run}\n\n${formatTable(lines)}\n\n`;
  await writeFile(FILE, text.slice(0, begin) + content + text.slice(end));
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
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const cores = `${availableParallelism()} cores${canPin ? ', one for the server, one for its clients and devices' : ''}`;
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cores}; ${memoryGiB} GiB; Node ${process.versions.node}; ${process.platform} ${process.arch}`;
  const others = `other programs and the hypervisor took ${Math.round(foreignShare * 100)} % of the processor time used`;
  return `\`${command}\` on ${date}: ${machine}; ${others}.`;
}

function formatBound(bound: Bound | undefined, unit: string): string {
  if (bound === undefined) return '';
  return 'atMost' in bound ? `≤ ${bound.atMost} ${unit}`.trim() : `≥ ${bound.atLeast} ${unit}`.trim();
}

function formatInterval(interval: Interval | undefined): string {
  if (interval === undefined) return '';
  if (!Number.isFinite(interval.low)) return 'one round';
  return `${formatNumber(interval.low)} to ${formatNumber(interval.high)}`;
}

function formatNumber(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(Number.isInteger(value) || size >= 100 ? 0 : size >= 0.1 ? 2 : 4);
}
