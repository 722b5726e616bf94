import { Bench } from './bench.ts';
import type { Pace } from './bench.ts';
import { nameMeasuredCommit } from './changed-files.ts';
import { foreignShareBetween, readMachineTime } from './machine-time.ts';
import { describeMachine, describeRun, readReport, today, writeReport } from './report.ts';
import { describeNoise, formatLine, formatRows, HEADINGS } from './report-rows.ts';
import type { Scenario } from './scenario.ts';
import { replaceRun } from './stored-table.ts';
import { judge } from './verdict.ts';
import type { JudgedLine } from './verdict.ts';

interface RunOptions {
  readonly pace: Pace;
  readonly watchMinutes: number;
  /** Hears at once how to close all that a scenario opens. */
  readonly onOpen: (close: () => Promise<void>) => void;
  /** Of all scenarios, in their order. */
  readonly names: readonly string[];
  /** Whether the rows go into the table of the documentation. */
  readonly isStored: boolean;
}

/**
 * Runs scenarios, stores the rows of each when it is done, and prints all of them. A scenario that fails does not keep the others
 * from running.
 *
 * @returns the exit status: 1 when a figure is beyond its gate, or a request or a scenario failed
 */
export async function measureScenarios(
  scenarios: readonly Scenario[],
  { pace, watchMinutes, onOpen, names, isStored }: RunOptions,
): Promise<number> {
  const lines: JudgedLine[] = [];
  const before = readMachineTime();
  let [requests, failures, hasFailed] = [0, 0, false];
  // All of them measure the gateway that was built before the first, whatever is committed while they run.
  const commits = new Map(
    isStored ? scenarios.map((scenario) => [scenario.name, nameMeasuredCommit(scenario)]) : [],
  );
  for (const scenario of scenarios) {
    const bench = new Bench({ pace, watchMinutes });
    onOpen(() => bench.end());
    const start = performance.now();
    const idle = readMachineTime();
    let found: readonly JudgedLine[] | undefined;
    try {
      const measured = await scenario.run(bench);
      // What was started here loses its parents when it ends, and is not to be told from others then.
      const share = foreignShareBetween(idle, readMachineTime());
      found = measured.map((line) => judge(line, share));
    } catch (error) {
      if (bench.hasEnded) throw error;
      hasFailed = true;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${scenario.name}: failed: ${text}\n`);
    } finally {
      await bench.end();
    }
    const { tally } = bench;
    requests += tally.requests;
    failures += tally.failures;
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    process.stderr.write(`${scenario.name}: ${seconds} s, ${tally.failures} failed requests\n`);
    if (found === undefined) continue;
    lines.push(...found);
    if (!isStored) continue;
    const failed = `${tally.failures} of ${tally.requests}`;
    const stored = {
      scenario: scenario.name,
      commit: commits.get(scenario.name) ?? '',
      date: today(),
      seconds,
      failed,
      machine: describeMachine(),
    };
    await writeReport(replaceRun(await readReport(), stored, found.map(formatLine)), names);
  }
  const run = describeRun(pace, foreignShareBetween(before, readMachineTime()).all);
  const noise = describeNoise(lines.map(({ verdict }) => verdict));
  process.stdout.write(`${formatRows(HEADINGS, lines.map(formatLine))}\n`);
  process.stdout.write(`${[`failed requests: ${failures} of ${requests}`, run, noise].join('\n').trim()}\n`);
  return hasFailed || failures > 0 || lines.some(({ verdict }) => verdict === 'DEFECT') ? 1 : 0;
}
