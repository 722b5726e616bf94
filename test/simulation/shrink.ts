import type { Scenario } from './scenario.ts';

/** The part of a run that shrinking looks at. */
export interface TriedRun {
  /** The invariant that did not hold; undefined when all held. */
  readonly broken: { readonly invariant: string; readonly atMs: number } | undefined;
  /** Everything that took part, in the order in which it is to be left out: faults, people, assets. */
  readonly cast: readonly string[];
}

interface ShrinkOptions {
  readonly scenario: Scenario;
  readonly first: TriedRun;
  readonly run: (scenario: Scenario) => Promise<TriedRun>;
  /** Most runs that are tried. */
  readonly budget: number;
}

/**
 * Returns the smallest scenario found that breaks the same invariant: a shorter run with fewer faults, people and assets
 * (delta debugging, Zeller and Hildebrandt 2002).
 */
export async function shrink({ scenario, first, run, budget }: ShrinkOptions): Promise<Scenario> {
  const { broken } = first;
  if (broken === undefined) return scenario;
  let left = budget;
  let untilMs = Math.ceil(broken.atMs) + 1;
  let { only } = scenario;
  let cast = only ?? first.cast;

  for (let size = Math.ceil(cast.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < cast.length && left > 0;) {
      const fewer = [...cast.slice(0, start), ...cast.slice(start + size)];
      const tried = await run({ ...scenario, untilMs, only: fewer });
      left -= 1;
      if (tried.broken?.invariant === broken.invariant) {
        cast = fewer;
        only = fewer;
        untilMs = Math.ceil(tried.broken.atMs) + 1;
      } else start += size;
    }
  }
  return { ...scenario, untilMs, only };
}
