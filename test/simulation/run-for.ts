import { randomInt } from 'node:crypto';

import type { Scenario } from './scenario.ts';

/** Returns a seed that was never used. */
export function chooseSeed(): string {
  return String(randomInt(1, 2 ** 32));
}

interface RunForOptions<Failure> {
  /** Returns whether there is time for one more run. */
  readonly hasTime: () => boolean;
  readonly scenario: Scenario;
  readonly run: (scenario: Scenario) => Promise<Failure | undefined>;
}

/** Runs one world after the other, and returns the first failure. */
export async function runFor<Failure>({
  hasTime,
  scenario,
  run,
}: RunForOptions<Failure>): Promise<Failure | undefined> {
  for (let index = 0; hasTime(); index += 1) {
    const failure = await run({
      ...scenario,
      seed: index === 0 ? scenario.seed : `${scenario.seed}.${index}`,
    });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Returns how long this process has kept processors busy, in seconds. */
export function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
