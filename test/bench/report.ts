import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

import type { Pace } from './bench.ts';
import { canPin } from './process-usage.ts';
import type { Bound, Line } from './scenario.ts';
import { median } from './statistics.ts';

const FILE = path.resolve(import.meta.dirname, '../../docs/performance.md');
const BEGIN = '<!-- table: begin -->';
const END = '<!-- table: end -->';

const HEADINGS = ['#', 'what', 'value', 'floor', 'ratio', 'gate', 'goal', 'verdict'];

/** Says how a figure stands to its bounds. */
export function judge({ figure, gate, goal }: Line): 'goal' | 'gate' | 'DEFECT' | '' {
  if (gate === undefined) return '';
  if (goal !== undefined && isWithin(figure, goal)) return 'goal';
  return isWithin(figure, gate) ? 'gate' : 'DEFECT';
}

/** Returns the table as Markdown that also reads well as plain text. */
export function formatTable(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    String(line.row),
    line.name,
    line.value,
    line.floor ?? '',
    formatFigure(line.figure, line.unit),
    formatBound(line.gate, line.unit),
    formatBound(line.goal, line.unit),
    judge(line),
  ]);
  return formatRows(HEADINGS, rows);
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

/** Returns the median of rounds with the lowest and the highest, where they differ much from run to run. */
export function describeSpread(rounds: readonly number[], unit: string): string {
  const format = (value: number): string => value.toFixed(Math.abs(value) >= 100 ? 0 : 1);
  return `${format(median(rounds))} (${format(Math.min(...rounds))} to ${format(Math.max(...rounds))}) ${unit}`;
}

/** Puts the table into docs/performance.md, where it replaces the last one. */
export async function writeReport(lines: readonly Line[], run: string): Promise<void> {
  const text = await readFile(FILE, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('docs/performance.md has lost the marks of its table');
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

function isWithin(figure: number, bound: Bound): boolean {
  return 'atMost' in bound ? figure <= bound.atMost : figure >= bound.atLeast;
}

function formatBound(bound: Bound | undefined, unit: string): string {
  if (bound === undefined) return '';
  return 'atMost' in bound ? `≤ ${bound.atMost} ${unit}`.trim() : `≥ ${bound.atLeast} ${unit}`.trim();
}

function formatFigure(figure: number, unit: string): string {
  const digits = Number.isInteger(figure) || figure >= 100 ? 0 : figure >= 0.1 ? 2 : 4;
  return `${figure.toFixed(digits)} ${unit}`.trim();
}
