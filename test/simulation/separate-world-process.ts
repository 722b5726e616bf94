/** Runs the worlds of the scenarios in its standard input, and writes their results to its standard output. */
import { readFileSync } from 'node:fs';

import type { Scenario } from './scenario.ts';
import type { SeparateRun } from './separate-world.ts';
import { runWorld } from './world.ts';

const runs: SeparateRun[] = [];
for (const scenario of JSON.parse(readFileSync(0, 'utf8')) as readonly Scenario[]) {
  const { broken, faults, lines: _lines, ...run } = await runWorld(scenario);
  runs.push({
    ...run,
    broken: broken && { invariant: broken.invariant, atMs: broken.atMs, message: broken.message },
    faults: faults.map(({ begin: _begin, ...fault }) => fault),
  });
}
process.stdout.write(JSON.stringify(runs));
