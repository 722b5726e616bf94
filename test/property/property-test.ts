import { test } from 'node:test';

import * as fc from 'fast-check';

/** How often a property is tried; with `PROPERTY_RUNS` more often. */
const DEFAULT_RUNS = 200;

const USUAL_SEED = 1;

/**
 * Declares a test that tries a property with drawn values.
 *
 * The values are the same in each run. `PROPERTY_SEED=N` draws others, `PROPERTY_RUNS=N` more of them; a failure names the
 * seed.
 *
 * @param share of the usual number of runs, for a property whose single run is long
 */
export function propertyTest<Values>(name: string, property: fc.IRawProperty<Values>, share = 1): void {
  test(name, async () => {
    const { PROPERTY_SEED: seed = USUAL_SEED, PROPERTY_RUNS: runs = DEFAULT_RUNS } = process.env;
    const details = await fc.check(property, {
      numRuns: Math.ceil(Number(runs) * share),
      seed: Number(seed),
    });
    if (!details.failed) return;
    const report = fc.defaultReportMessage(details) ?? 'the property does not hold';
    throw new Error(`again with PROPERTY_SEED=${details.seed}\n${report}`, { cause: details.errorInstance });
  });
}
