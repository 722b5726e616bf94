import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { chooseSeed, readCpuSeconds, runFor } from './run-for.ts';
import { readScenario, SCENARIO_DIRECTORY, toKeptScenario, writeScenario } from './kept-scenario.ts';
import { printStory } from './story.ts';
import { shrink } from './shrink.ts';
import { toCommand } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { KeptPlace } from './world/kept-gateway.ts';
import { PACES } from './world/tempo.ts';
import type { PaceName } from './world/tempo.ts';
import { runWorld } from './world.ts';
import type { WorldRun } from './world.ts';

const USAGE = `Usage: npm run simulate:world -- [--seed TEXT] [--hours N] [--seconds N] [--cpu-seconds N] [--pace calm] [--from DATE] [--until MS] [--only NAME,NAME…] [--no-shrink] [--keep NAME]
       npm run simulate:world -- --state FOLDER [--seed TEXT] [--hours N] [--seconds N] [--cpu-seconds N] [--pace calm] [--from DATE]
       npm run simulate:world -- --scenario NAME

Runs the gateway in a simulated world of devices, clients and faults, and checks what must hold (docs/dev/reliability.md).

  --seed TEXT    the world and everything that happens in it follow from it; drawn when absent
  --hours N      simulated hours (default 24)
  --seconds N    one world after the other, each with a seed of its own, until this time has passed
  --cpu-seconds N  the same, but only the time counts in which this process kept a processor busy
  --pace calm    things happen much less often, except in three hours of each week: for months
  --from DATE    when a new gateway is started, for example 2027-07-01 (default 2026-01-01)
  --until MS     ends the run at this simulated time
  --only NAMES   the people, faults and assets that take part
  --no-shrink    does not look for a smaller run that fails alike
  --keep NAME    keeps what failed as a scenario of the test suite, in test/simulation/scenarios
  --state FOLDER  takes the gateway of the last world that this folder has through another one, and keeps it there with
                 all its data; a world in which something does not hold leaves the folder as it was
  --scenario NAME  runs a scenario that was kept

Exit status: 0 everything held, 1 something did not, 2 wrong usage. The last line has the digest of everything that happened.
`;

// Runs of shrinking are shorter than the first; this many take minutes.
const SHRINK_BUDGET = 120;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  const { scenario, hasTime, isShrinking, keepAs, place } = options;
  const failed = hasTime === undefined ? await run(scenario) : await runFor({ hasTime, scenario, run });
  if (failed === undefined) return 0;
  if (place !== undefined) {
    printStory(failed.scenario, failed.run);
    return 1;
  }
  const small = isShrinking
    ? await shrink({ scenario: failed.scenario, first: failed.run, run: runWorld, budget: SHRINK_BUDGET })
    : failed.scenario;
  const last = isShrinking ? await runWorld(small) : failed.run;
  printStory(small, last);
  if (small.faults === undefined) {
    print(`repeat it with: ${toCommand(small)}`);
    if (keepAs === undefined) print(`keep it with: ${toCommand(small)} --keep NAME`);
    else keep(keepAs, small, last);
  }
  print(`digest ${last.digest}`);
  return 1;

  function run(one: Scenario): ReturnType<typeof runOnce> {
    return place === undefined ? runOnce(one) : runNext(one, place);
  }
}

/** Takes a gateway through its next world, with a seed of its own. */
async function runNext(scenario: Scenario, place: KeptPlace): ReturnType<typeof runOnce> {
  const { worlds = 0, hours = 0 } = place.read()?.gateway ?? {};
  print(`world ${worlds + 1} of this gateway, after ${(hours / 24).toFixed(1)} days`);
  return runOnce({ ...scenario, seed: `${scenario.seed}/${worlds + 1}` }, place);
}

function keep(name: string, scenario: Scenario, run: WorldRun): void {
  writeScenario(name, toKeptScenario(scenario, run));
  print(`kept as ${SCENARIO_DIRECTORY}/${name}.json: say in its text what it is about`);
}

/** @returns the run when something did not hold */
async function runOnce(
  scenario: Scenario,
  place?: KeptPlace,
): Promise<{ scenario: Scenario; run: WorldRun } | undefined> {
  print(`seed ${scenario.seed}, ${scenario.hours} hours`);
  const run = await runWorld(scenario, { onProgress: print, place });
  print(`${readCpuSeconds().toFixed(1)} s of the processor`);
  if (run.broken !== undefined) {
    print(`BROKEN ${run.broken.invariant} at ${run.broken.atMs.toFixed(1)} ms: ${run.broken.message}`);
    return { scenario, run };
  }
  print(`digest ${run.digest}`);
  return undefined;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string' },
        hours: { type: 'string', default: '24' },
        seconds: { type: 'string' },
        'cpu-seconds': { type: 'string' },
        pace: { type: 'string' },
        from: { type: 'string' },
        until: { type: 'string' },
        only: { type: 'string' },
        'no-shrink': { type: 'boolean', default: false },
        keep: { type: 'string' },
        scenario: { type: 'string' },
        state: { type: 'string' },
      },
    });
    const place = values.state === undefined ? undefined : openPlace(values.state, values);
    if (values.scenario !== undefined) {
      const kept = readScenario(readName('scenario', values.scenario));
      return { scenario: kept, hasTime: undefined, isShrinking: false, keepAs: undefined, place };
    }
    const keepAs = values.keep === undefined ? undefined : readName('keep', values.keep);
    const scenario: Scenario = {
      seed: values.seed ?? chooseSeed(),
      hours: readNumber('hours', values.hours),
      untilMs: values.until === undefined ? undefined : readNumber('until', values.until),
      pace: readPace(values.pace),
      startEpochMs: readDate(values.from),
      only: values.only?.split(',').filter((name) => name !== ''),
    };
    const limits = [
      createLimit('seconds', values.seconds, () => performance.now() / 1000),
      createLimit('cpu-seconds', values['cpu-seconds'], readCpuSeconds),
    ].filter((limit) => limit !== undefined);
    const hasTime = limits.length === 0 ? undefined : () => limits.every((limit) => limit());
    return { scenario, hasTime, isShrinking: !values['no-shrink'], keepAs, place };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

/** @throws {RangeError} for options that make another world than the next one, or a folder of something else */
function openPlace(folder: string, options: Readonly<Record<string, unknown>>): KeptPlace {
  const other = ['scenario', 'keep', 'until', 'only'].find((name) => options[name] !== undefined);
  if (other !== undefined) throw new RangeError(`--state: not with --${other}`);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new RangeError(`--state: ${folder} is not a folder`);
  const place = new KeptPlace(folder);
  try {
    place.read();
  } catch (error) {
    throw new RangeError(`--state: ${folder} does not keep a gateway`, { cause: error });
  }
  return place;
}

/** @throws {RangeError} for another one than those that there are */
function readPace(text: string | undefined): PaceName | undefined {
  const pace = PACES.find((name) => name === text);
  if (text !== undefined && pace === undefined)
    throw new RangeError(`--pace: expected ${PACES.join(' or ')}`);
  return pace;
}

/** @throws {RangeError} for what is no date */
function readDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const epochMs = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(epochMs))
    throw new RangeError(`--from: "${text}" is no date such as 2027-07-01`);
  return epochMs;
}

function readName(option: string, name: string): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw new RangeError(`--${option}: expected small letters, digits and hyphens`);
  return name;
}

/** @returns whether less than this time has passed since the process began; undefined when the option is absent */
function createLimit(
  name: string,
  text: string | undefined,
  nowSeconds: () => number,
): (() => boolean) | undefined {
  if (text === undefined) return undefined;
  const seconds = readNumber(name, text);
  return () => nowSeconds() < seconds;
}

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0)
    throw new RangeError(`--${name}: "${text}" is no number above 0`);
  return number;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
