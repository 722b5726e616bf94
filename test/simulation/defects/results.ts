import { appendFileSync, existsSync, readFileSync } from 'node:fs';

import type { Finding } from './defect-hunt.ts';
import type { PlantedDefect } from './planted-defect.ts';

/** What a hunt wrote of one defect. */
interface Result {
  readonly name: string;
  /** Absent when the defect was not seen. */
  readonly invariant?: string | undefined;
  readonly cpuSeconds: number;
  readonly simulatedDays: number;
}

const DAY_MS = 86_400_000;

/** Adds what became of the search for a defect to a file, as a line of JSON. */
export function writeResult(
  file: string,
  { name }: PlantedDefect,
  { seen, cpuSeconds, simulatedMs }: Finding,
): void {
  const result: Result = {
    name,
    invariant: seen?.invariant,
    cpuSeconds: Math.round(cpuSeconds),
    simulatedDays: Number((simulatedMs / DAY_MS).toFixed(2)),
  };
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

/** Returns the newest result of each defect, by its name. */
export function readResults(file: string): ReadonlyMap<string, Result> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.name, result]));
}

/** Returns a table in Markdown, with a row for each defect: by the first word of its name, which is its area. */
export function toTable(
  defects: readonly PlantedDefect[],
  results: ReadonlyMap<string, Pick<Result, 'invariant' | 'cpuSeconds'>>,
): string {
  const rows = defects.map(({ name, unseenBecause }) => {
    const [area = '', ...words] = name.split('-');
    const { invariant, cpuSeconds } = results.get(name) ?? {};
    const seen = invariant === undefined ? `not found${describe(unseenBecause)}` : `\`${invariant}\``;
    return [area, words.join(' '), seen, invariant === undefined ? '' : String(cpuSeconds)];
  });
  const sorted = rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
  const header = ['area', 'defect', 'seen by', 'seconds'];
  const widths = header.map((title, column) =>
    Math.max(...[header, ...sorted].map((row) => (row[column] ?? title).length)),
  );
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [toLine(header), toLine(rule), ...sorted.map(toLine)].join('\n');
}

function describe(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}
