import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { z } from '../../daemon/base/schema.ts';
import type { Scenario } from './scenario.ts';
import type { WorldRun } from './world.ts';
import { PACES } from './world/tempo.ts';
import { INVARIANTS } from './world/invariants.ts';
import type { InvariantName } from './world/invariants.ts';

/** Where scenarios are kept, from the root of the tree. */
export const SCENARIO_DIRECTORY = 'test/simulation/scenarios';

const directory = path.join(import.meta.dirname, 'scenarios');
const name = z.string().min(1).max(255);
const milliseconds = z.number().min(0);

const keptFault = z.strictObject({
  id: name,
  kind: name,
  startMs: milliseconds,
  endMs: milliseconds,
  text: z.string().min(1),
});

const scenarioSchema = z.strictObject({
  /** What it is about, for those who meet it when it fails. */
  text: z.string().min(20),
  /** The planted defect that breaks it. */
  defect: name.optional(),
  /** What does not hold then. */
  invariant: z.enum(Object.keys(INVARIANTS) as [InvariantName, ...InvariantName[]]),
  seed: name,
  hours: z.number().positive(),
  untilMs: milliseconds,
  pace: z.enum(PACES).optional(),
  startEpochMs: milliseconds.optional(),
  /** People and assets; faults have a list of their own. */
  only: z.array(name),
  faults: z.array(keptFault),
});

/** A world in which something did not hold once, in the form in which it is kept. */
export type KeptScenario = Readonly<z.infer<typeof scenarioSchema>>;

/** Lists the names of all scenarios that are kept. */
export function listScenarios(): readonly string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'))
    .toSorted();
}

/** Reads a scenario. @throws {ZodError} when the file is none */
export function readScenario(scenarioName: string): KeptScenario {
  return scenarioSchema.parse(JSON.parse(readFileSync(toFile(scenarioName), 'utf8')));
}

/** Keeps a scenario; one with the same name is replaced. */
export function writeScenario(scenarioName: string, scenario: KeptScenario): void {
  const checked = scenarioSchema.parse(scenario);
  writeFileSync(toFile(scenarioName), `${JSON.stringify(checked, undefined, 2)}\n`);
}

/** Returns a scenario as it is to be kept, with the faults of the run listed: it stays the same when others are drawn. */
export function toKeptScenario(
  { seed, hours, untilMs, pace, startEpochMs }: Scenario,
  { broken, cast, faults }: WorldRun,
): KeptScenario {
  if (broken === undefined) throw new RangeError('everything held in the run');
  const ids = new Set(faults.map(({ id }) => id));
  return {
    text: broken.message,
    invariant: broken.invariant,
    seed,
    hours,
    untilMs: untilMs ?? Math.ceil(broken.atMs) + 1,
    ...(pace === undefined ? {} : { pace }),
    ...(startEpochMs === undefined ? {} : { startEpochMs }),
    only: cast.filter((one) => !ids.has(one)),
    faults: faults.map(({ id, kind, startMs, endMs, text }) => ({ id, kind, startMs, endMs, text })),
  };
}

function toFile(scenarioName: string): string {
  return path.join(directory, `${scenarioName}.json`);
}
