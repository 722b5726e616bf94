import type { KeptFault } from './world/truth.ts';

/** What a run consists of: with the same commit it is the same run, to the byte. */
export interface Scenario {
  readonly seed: string;
  /** Simulated hours for which faults are drawn. */
  readonly hours: number;
  /** Simulated milliseconds after which the run ends; `hours` when absent. */
  readonly untilMs?: number | undefined;
  /** Names of the people, faults and assets that take part; everything when absent. */
  readonly only?: readonly string[] | undefined;
  /** The faults that come, instead of those that are drawn. */
  readonly faults?: readonly KeptFault[] | undefined;
}

/** Returns whether a person, fault or asset takes part. */
export function takesPart({ only }: Scenario, name: string): boolean {
  return only === undefined || only.includes(name);
}

/** Returns the command that repeats a run. */
export function toCommand({ seed, hours, untilMs, only }: Scenario): string {
  const until = untilMs === undefined ? '' : ` --until ${untilMs}`;
  const names = only === undefined ? '' : ` --only '${only.join(',')}'`;
  return `npm run simulate:world -- --seed ${seed} --hours ${hours}${until}${names}`;
}
