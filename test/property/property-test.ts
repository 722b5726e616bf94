import { test } from 'node:test';

import * as fc from 'fast-check';

/** How often a property is tried; with `PROPERTY_RUNS` more often. */
const DEFAULT_RUNS = 200;

/**
 * Declares a test that tries a property with drawn values.
 *
 * The values differ from run to run. A failure names the seed; `PROPERTY_SEED=N` draws the same values again, and
 * `PROPERTY_RUNS=N` draws more of them.
 *
 * @param share of the usual number of runs, for a property whose single run is long
 */
export function propertyTest<Values>(name: string, property: fc.IRawProperty<Values>, share = 1): void {
  test(name, async () => {
    const { PROPERTY_SEED: seed, PROPERTY_RUNS: runs = DEFAULT_RUNS } = process.env;
    const details = await fc.check(property, {
      numRuns: Math.ceil(Number(runs) * share),
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    });
    if (!details.failed) return;
    const report = fc.defaultReportMessage(details) ?? 'the property does not hold';
    throw new Error(`again with PROPERTY_SEED=${details.seed}\n${report}`, { cause: details.errorInstance });
  });
}
