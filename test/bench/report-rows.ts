import type { Interval } from './interval.ts';
import type { Bound } from './scenario.ts';
import type { JudgedLine } from './verdict.ts';

export const HEADINGS: readonly string[] = [
  '#',
  'what',
  'value',
  'floor',
  'ratio',
  'spread',
  'others',
  'gate',
  'goal',
  'verdict',
];

/** Returns a line as the cells of a row, in the order of `HEADINGS`. */
export function formatLine(line: JudgedLine): readonly string[] {
  return [
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
  ];
}

/**
 * Says how many figures could not be told from their gates; empty when all could.
 *
 * @param verdicts of the figures; empty: without a gate
 */
export function describeNoise(verdicts: readonly string[]): string {
  const judged = verdicts.filter((verdict) => verdict !== '');
  const noisy = judged.filter((verdict) => verdict === 'too noisy');
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
