import { randomInt } from 'node:crypto';

import type { Scenario } from './scenario.ts';

/** Returns a seed that was never used. */
export function chooseSeed(): string {
  return String(randomInt(1, 2 ** 32));
}

interface RunForOptions<Failure> {
  /** Seconds of the machine; a run under way still ends. */
  readonly seconds: number;
  readonly scenario: Scenario;
  readonly run: (scenario: Scenario) => Promise<Failure | undefined>;
}

/** Runs one world after the other, and returns the first failure. */
export async function runFor<Failure>({
  seconds,
  scenario,
  run,
}: RunForOptions<Failure>): Promise<Failure | undefined> {
  const startMs = performance.now();
  for (let index = 0; performance.now() - startMs < seconds * 1000; index += 1) {
    const failure = await run({
      ...scenario,
      seed: index === 0 ? scenario.seed : `${scenario.seed}.${index}`,
    });
    if (failure !== undefined) return failure;
  }
  return undefined;
}
