import type { PaceName } from './world/tempo.ts';
import type { KeptFault } from './world/truth.ts';

/** What a run consists of: with the same commit it is the same run, to the byte. */
export interface Scenario {
  readonly seed: string;
  /** Simulated hours for which faults are drawn. */
  readonly hours: number;
  /** Simulated milliseconds after which the run ends; `hours` when absent. */
  readonly untilMs?: number | undefined;
  /** How often things happen; as usual when absent. */
  readonly pace?: PaceName | undefined;
  /** Milliseconds since the epoch when a new gateway is started; 2026-01-01 when absent. */
  readonly startEpochMs?: number | undefined;
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
export function toCommand({ seed, hours, untilMs, pace, startEpochMs, only }: Scenario): string {
  const until = untilMs === undefined ? '' : ` --until ${untilMs}`;
  const slowly = pace === undefined ? '' : ` --pace ${pace}`;
  const start =
    startEpochMs === undefined ? '' : ` --from ${new Date(startEpochMs).toISOString().slice(0, 10)}`;
  const names = only === undefined ? '' : ` --only '${only.join(',')}'`;
  return `npm run simulate:world -- --seed ${seed} --hours ${hours}${slowly}${start}${until}${names}`;
}
