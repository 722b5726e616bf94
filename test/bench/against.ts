import { Bench } from './bench.ts';
import type { Pace } from './bench.ts';
import { buildCommit, CheckoutError, tryStart } from './checkout.ts';
import { foreignShareBetween, readMachineTime } from './machine-time.ts';
import type { Program } from './program.ts';
import type { ComparableScenario } from './scenario.ts';
import { formatVersions, measureVersions } from './versions.ts';
import type { VersionsLine } from './versions.ts';
import { describeRun } from './report.ts';

export interface AgainstOptions {
  /** What the commit was called. */
  readonly name: string;
  readonly pace: Pace;
  readonly watchMinutes: number;
  readonly scenarios: readonly ComparableScenario[];
  /** Hears at once how to close all that this opens. */
  readonly onOpen: (close: () => Promise<void>) => void;
}

/**
 * Measures these sources and those of a commit in turn, and prints how they compare.
 *
 * @param commit its whole hash
 * @returns the exit status: 1 when a figure is worse, when requests failed, or when a scenario could not be compared
 */
export async function measureAgainst(commit: string, options: AgainstOptions): Promise<number> {
  const { name, pace, watchMinutes, onOpen } = options;
  const owner = new Bench({ pace, watchMinutes });
  onOpen(() => owner.end());
  try {
    process.stderr.write(`${name}: build\n`);
    const other = await buildCommit(owner, commit);
    await tryStart(owner, other, commit);
    return await compareScenarios(owner, other, options);
  } catch (error) {
    if (!(error instanceof CheckoutError)) throw error;
    process.stderr.write(`--against ${name}: ${error.message}\n`);
    return 1;
  } finally {
    await owner.end();
  }
}

async function compareScenarios(
  owner: Bench,
  other: Program,
  { name, pace, watchMinutes, scenarios }: AgainstOptions,
): Promise<number> {
  const lines: VersionsLine[] = [];
  const left: string[] = [];
  const before = readMachineTime();
  let [requests, failures] = [0, 0];
  for (const scenario of scenarios) {
    const start = performance.now();
    try {
      const result = await measureVersions(scenario, { owner, pace, watchMinutes, other });
      lines.push(...result.lines);
      requests += result.requests;
      failures += result.failures;
    } catch (error) {
      if (owner.hasEnded) throw error;
      // An older version may not take the plant of a scenario.
      left.push(`${scenario.name}: not compared: ${error instanceof Error ? error.message : String(error)}`);
    }
    process.stderr.write(`${scenario.name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  }
  const foreignShare = foreignShareBetween(before, readMachineTime()).all;
  process.stdout.write(`${formatVersions(lines, name)}\n${describeRun(pace, foreignShare, name)}\n`);
  process.stdout.write(`failed requests: ${failures} of ${requests}\n`);
  for (const text of left) process.stdout.write(`${text}\n`);
  const isWorse = lines.some(({ verdict }) => verdict === 'worse');
  return isWorse || failures > 0 || left.length > 0 ? 1 : 0;
}
