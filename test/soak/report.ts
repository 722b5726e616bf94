import type { ActorCount } from './crew.ts';
import type { Verdict } from './judgement.ts';

interface Outcome {
  readonly verdicts: readonly Verdict[];
  readonly counts: readonly ActorCount[];
  /** Warnings and errors of the gateway by event. */
  readonly logged: ReadonlyMap<string, number>;
}

/** Describes a run: what each actor did, and how each figure was judged. */
export function describeTable({ verdicts, counts, logged }: Outcome): string {
  const format = (value: number): string => value.toFixed(value < 1000 ? 1 : 0);
  const done = counts.map((count) => [count.name, ...[count.done, count.busy, count.failed].map(String)]);
  const rows = verdicts.map(({ figure, early, late, isBroken }) => [
    figure,
    format(early),
    format(late),
    `${(late / early).toFixed(3)}${isBroken ? '  GROWN' : ''}`,
  ]);
  const events = [...logged].map(([event, count]) => [event, String(count)]);
  return [
    align([['actor', 'steps', 'busy', 'failed'], ...done]),
    align([['logged', 'times'], ...events]),
    align([['figure', 'after ten minutes', 'at the end', 'ratio'], ...rows]),
  ].join('\n');
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<readonly number[]>(
    (known, row) => row.map((text, column) => Math.max(known[column] ?? 0, text.length)),
    [],
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
