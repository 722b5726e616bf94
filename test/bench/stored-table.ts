import { describeNoise, formatRows, HEADINGS } from './report-rows.ts';

/** The last run of a scenario: when it was, on what machine, and its sources. */
export interface StoredRun {
  readonly scenario: string;
  /** As `nameMeasuredCommit` returns it. */
  readonly commit: string;
  /** Day in UTC, such as `2026-11-26`. */
  readonly date: string;
  /** Empty: not known. */
  readonly seconds: string;
  /** Failed requests and all, such as `0 of 5120`; empty: not known. */
  readonly failed: string;
  readonly machine: string;
}

/** A row of the table as it is written, without scenario and date. */
export interface StoredRow {
  readonly scenario: string;
  readonly cells: readonly string[];
}

/** The last run of each scenario, and its rows. */
export interface StoredTable {
  readonly runs: readonly StoredRun[];
  readonly rows: readonly StoredRow[];
}

const RUN_FIELDS = ['scenario', 'commit', 'date', 'seconds', 'failed', 'machine'] as const;
const RUN_HEADINGS = ['scenario', 'commit', 'date', 'seconds', 'failed requests', 'machine'];
// Figures without a requirement come last.
const UNNUMBERED = 1000;
const FAILURES_ROW = 22;
const FAILURES = /^(\d+) of (\d+)$/;
const VERDICT = HEADINGS.indexOf('verdict');

/** Reads the table from its text, as `formatStoredTable` writes it. */
export function parseStoredTable(text: string): StoredTable {
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const columns = HEADINGS.length + 2;
  const rows = lines
    .filter((cells) => cells.length === columns && cells[0] !== HEADINGS[0])
    .map((cells) => ({ scenario: cells[columns - 2] ?? '', cells: cells.slice(0, HEADINGS.length) }))
    // Rows of all scenarios are counted again.
    .filter(({ scenario }) => scenario !== '');
  const runs = lines
    .filter((cells) => cells.length === RUN_HEADINGS.length && cells[0] !== RUN_HEADINGS[0])
    .map(([scenario = '', commit = '', date = '', seconds = '', failed = '', machine = '']) => ({
      scenario,
      commit,
      date,
      seconds,
      failed,
      machine,
    }));
  return { runs, rows };
}

/** Replaces what the table has of a scenario. */
export function replaceRun(
  { runs, rows }: StoredTable,
  run: StoredRun,
  cells: readonly (readonly string[])[],
): StoredTable {
  const { scenario } = run;
  return {
    runs: [...runs.filter((each) => each.scenario !== scenario), run],
    rows: [
      ...rows.filter((row) => row.scenario !== scenario),
      ...cells.map((each) => ({ scenario, cells: each })),
    ],
  };
}

/**
 * Writes the table: first the runs, then the rows by their requirement, each with the date of its run.
 *
 * @param scenarios the names of all, in their order; what others left is dropped
 */
export function formatStoredTable(table: StoredTable, scenarios: readonly string[]): string {
  const place = ({ scenario }: { readonly scenario: string }): number => scenarios.indexOf(scenario);
  const runs = table.runs.filter((run) => place(run) >= 0).toSorted((a, b) => place(a) - place(b));
  const dates = new Map(runs.map(({ scenario, date }) => [scenario, date]));
  const rows = [
    ...table.rows
      .filter((row) => place(row) >= 0)
      .toSorted((a, b) => numberOf(a.cells) - numberOf(b.cells) || place(a) - place(b))
      .map(({ scenario, cells }) => cells.concat(scenario, dates.get(scenario) ?? '')),
    ...describeFailures(runs),
  ].toSorted((a, b) => numberOf(a) - numberOf(b));
  return [
    describeRuns(runs, scenarios),
    formatRows(
      RUN_HEADINGS,
      runs.map((run) => RUN_FIELDS.map((field) => run[field])),
    ),
    describeNoise(rows.map((cells) => cells[VERDICT] ?? '')),
    formatRows([...HEADINGS, 'scenario', 'date'], rows),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Says how long scenarios take by their last runs. */
export function estimateDuration(
  runs: readonly StoredRun[],
  scenarios: readonly string[],
): { readonly seconds: number; readonly unknown: readonly string[] } {
  const known = new Map(
    runs.map(({ scenario, seconds }) => [scenario, seconds === '' ? Number.NaN : Number(seconds)]),
  );
  const unknown = scenarios.filter((name) => !Number.isFinite(known.get(name)));
  const seconds = scenarios.reduce(
    (sum, name) => sum + (unknown.includes(name) ? 0 : (known.get(name) ?? 0)),
    0,
  );
  return { seconds, unknown };
}

function describeRuns(runs: readonly StoredRun[], scenarios: readonly string[]): string {
  const names = new Set(runs.map(({ scenario }) => scenario));
  const missing = scenarios.filter((name) => !names.has(name));
  const commits = new Set(runs.map(({ commit }) => commit));
  const [commit = ''] = commits;
  return [
    commits.size === 1
      ? `All rows are of commit ${commit}.`
      : `The rows are of ${commits.size} commits: each row has its scenario and date, each scenario its commit.`,
    missing.length === 0 ? '' : `Without a stored run: ${missing.join(', ')}.`,
  ]
    .join(' ')
    .trim();
}

/** Returns the row that counts the failed requests of all scenarios whose runs say them. */
function describeFailures(runs: readonly StoredRun[]): readonly (readonly string[])[] {
  const counts = runs.flatMap(({ failed }) => {
    const [, failures, requests] = FAILURES.exec(failed) ?? [];
    return failures === undefined ? [] : [[Number(failures), Number(requests)] as const];
  });
  if (counts.length === 0) return [];
  const failures = counts.reduce((sum, [count]) => sum + count, 0);
  const requests = counts.reduce((sum, [, count]) => sum + count, 0);
  const name =
    counts.length === runs.length
      ? 'failed requests in all of these'
      : `failed requests in ${counts.length} of the scenarios`;
  const verdict = failures === 0 ? 'goal' : 'DEFECT';
  const cells = [
    String(FAILURES_ROW),
    name,
    `${failures} of ${requests}`,
    '',
    String(failures),
    '',
    '',
    '≤ 0',
    '≤ 0',
    verdict,
  ];
  return [[...cells, '', '']];
}

function numberOf([row = '']: readonly string[]): number {
  return row === '' ? UNNUMBERED : Number(row);
}
