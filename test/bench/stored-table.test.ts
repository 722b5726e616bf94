import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { formatLine } from './report-rows.ts';
import { scenarios } from './scenarios.ts';
import { estimateDuration, formatStoredTable, parseStoredTable, replaceRun } from './stored-table.ts';
import type { StoredRun, StoredTable } from './stored-table.ts';
import { judge } from './verdict.ts';

const NONE = { all: 0, stolen: 0 };
const NAMES = ['reads', 'memory', 'never'];
const EMPTY: StoredTable = { runs: [], rows: [] };

function createRun(scenario: string, more: Partial<StoredRun> = {}): StoredRun {
  const at = { commit: '0123456789', date: '2026-11-26', seconds: '40', failed: '0 of 500' };
  return { scenario, ...at, machine: '2 cores; 24 GiB', ...more };
}

const cellsOf = (name: string, row: number | undefined, figure: number): readonly string[] =>
  formatLine(
    judge(
      {
        ...(row === undefined ? {} : { row }),
        name,
        value: String(figure),
        rounds: [figure],
        isUntimed: true,
        unit: '×',
        gate: { atMost: 2 },
      },
      NONE,
    ),
  );

const TABLE = replaceRun(
  replaceRun(EMPTY, createRun('memory'), [cellsOf('idle', 15, 1), cellsOf('busy', undefined, 1)]),
  createRun('reads', { date: '2026-11-28', commit: '9876543210' }),
  [cellsOf('ten', 1, 1), cellsOf('hundred', 30, 3)],
);

/** Returns the first, the second and the last two cells of the rows with figures. */
function rowsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /^\| (?:\d| )/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .map((cells) => [cells[0], cells[1], ...cells.slice(-2)].join(' ').trim());
}

test('rows are in the order of requirements, and each has scenario and date', () => {
  assert.deepEqual(rowsOf(formatStoredTable(TABLE, NAMES)), [
    '1 ten reads 2026-11-28',
    '15 idle memory 2026-11-26',
    '22 failed requests in all of these',
    '30 hundred reads 2026-11-28',
    'busy memory 2026-11-26',
  ]);
});

test('the table says that its rows are of different runs, and which scenarios have none', () => {
  const text = formatStoredTable(TABLE, NAMES);
  assert.match(text, /^The rows are of 2 commits: .* Without a stored run: never\.$/m);
  const same = formatStoredTable({ ...TABLE, runs: TABLE.runs.map(({ scenario }) => createRun(scenario)) }, [
    'reads',
    'memory',
  ]);
  assert.match(same, /^All rows are of commit 0123456789\.$/m);
});

test('failed requests are those of all scenarios whose runs say them', () => {
  const text = formatStoredTable(replaceRun(TABLE, createRun('memory', { failed: '2 of 100' }), []), NAMES);
  assert.match(text, /failed requests in all of these +\| 2 of 600 .*\| DEFECT /);
  const partly = formatStoredTable(replaceRun(TABLE, createRun('memory', { failed: '' }), []), NAMES);
  assert.match(partly, /failed requests in 1 of the scenarios +\| 0 of 500 .*\| goal /);
});

test('a run replaces the rows of its scenario alone', () => {
  const next = replaceRun(TABLE, createRun('reads', { date: '2026-11-29' }), [cellsOf('ten', 1, 1)]);
  assert.deepEqual(rowsOf(formatStoredTable(next, NAMES)), [
    '1 ten reads 2026-11-29',
    '15 idle memory 2026-11-26',
    '22 failed requests in all of these',
    'busy memory 2026-11-26',
  ]);
});

test('rows of a scenario that is no more are dropped', () => {
  assert.deepEqual(rowsOf(formatStoredTable(TABLE, ['memory'])), [
    '15 idle memory 2026-11-26',
    '22 failed requests in all of these',
    'busy memory 2026-11-26',
  ]);
});

test('what is read of a table is written as it was', () => {
  const text = formatStoredTable(TABLE, NAMES);
  assert.equal(formatStoredTable(parseStoredTable(text), NAMES), text);
});

test('the table of the documentation is written by the bench alone', () => {
  const file = path.resolve(import.meta.dirname, '../../docs/dev/performance.md');
  const [, text = ''] =
    /<!-- table: begin -->\n\n(.*?)\n\n<!-- table: end -->/s.exec(readFileSync(file, 'utf8')) ?? [];
  const table = parseStoredTable(text);
  assert.ok(table.rows.length > 100);
  assert.equal(
    formatStoredTable(
      table,
      scenarios.map(({ name }) => name),
    ),
    text,
  );
});

test('the duration of scenarios is that of their last runs', () => {
  const { runs } = replaceRun(TABLE, createRun('memory', { seconds: '' }), []);
  assert.deepEqual(estimateDuration(TABLE.runs, ['reads', 'memory']), { seconds: 80, unknown: [] });
  assert.deepEqual(estimateDuration(runs, NAMES), { seconds: 40, unknown: ['memory', 'never'] });
});
