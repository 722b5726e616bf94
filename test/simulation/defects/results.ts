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

// Areas of names that begin with another word than the area.
const AREAS: Readonly<Record<string, string>> = {
  basic: 'identity',
  factor: 'session',
  grant: 'identity',
  deleted: 'identity',
  permission: 'identity',
  poll: 'listener',
  refresh: 'token',
  rights: 'identity',
  sessions: 'session',
  stream: 'listener',
};

/** Returns a table in Markdown, with a row for each defect that was looked for, by area, which is most often the first word of its name. */
export function toTable(
  defects: readonly PlantedDefect[],
  results: ReadonlyMap<string, Pick<Result, 'invariant' | 'cpuSeconds'>>,
): string {
  const measured = defects.filter(({ name }) => results.has(name));
  const rows = measured.map(({ name, unseenBecause }) => {
    const [first = '', ...others] = name.split('-');
    const area = AREAS[first];
    const words = area === undefined ? others : [first, ...others];
    const { invariant, cpuSeconds } = results.get(name) ?? {};
    const reason = unseenBecause === undefined ? '' : `: ${unseenBecause}`;
    return [
      area ?? first,
      words.join(' '),
      invariant === undefined ? `not found${reason}` : `\`${invariant}\``,
      String(cpuSeconds ?? ''),
    ];
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
