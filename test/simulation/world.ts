import { loadLibrary } from '../../drivers/opcua/session/opcua-library.ts';
import { takesPart } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { makeWorldCertificates } from './world/certificates.ts';
import type { WorldCertificates } from './world/certificates.ts';
import { Chronicle } from './world/chronicle.ts';
import type { InvariantBroken } from './world/invariants.ts';
import { MemoryCheck } from './world/memory-check.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import { countThreads } from './world/threads.ts';
import type { PlannedFault } from './world/truth.ts';
import { watchProcess } from './world/watch-process.ts';
import { createPlant } from './plant/plant.ts';
import { MANAGED_IDENTITIES } from './plant/settings.ts';
import { createPopulation } from './people/population.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// After everyone has left: sessions end, connections of idle clients are closed, back-off is over.
const CALM_DOWN_MS = 30 * 60_000;
const LAST_ROUND_MS = 10 * 60_000;
// Connections of clients are closed by then, and the deadlines of their calls are not over.
const AFTER_LAST_ANSWER_MS = 500;
const STOP_MS = 2 * 60_000;

/** What a run was. */
export interface WorldRun {
  /** The first invariant that did not hold. */
  readonly broken: InvariantBroken | undefined;
  /** Hash of everything that happened. */
  readonly digest: string;
  /** The last that happened. */
  readonly lines: readonly string[];
  readonly faults: readonly PlannedFault[];
  readonly people: readonly string[];
  /** Faults, people and assets that took part. */
  readonly cast: readonly string[];
}

// Made once in a process: they are the same for every world.
let certificates: WorldCertificates | undefined;

/** Runs a world from its first to its last moment. */
export async function runWorld(
  scenario: Scenario,
  onProgress: (line: string) => void = () => undefined,
): Promise<WorldRun> {
  const time = new SimulatedTime();
  const random = new Random(scenario.seed);
  const chronicle = new Chronicle(time);
  const endMs = scenario.untilMs ?? scenario.hours * HOUR_MS;
  certificates ??= await makeWorldCertificates(MANAGED_IDENTITIES, time.epochMs());
  using _watch = watchProcess(chronicle);
  const plant = createPlant({ scenario, time, random, chronicle, certificates });
  const population = createPopulation({ scenario, time, random, chronicle, plant });
  const faults = [...plant.parts, plant.meter]
    .flatMap((part) => part.planFaults(scenario.hours * HOUR_MS, scenario.faults))
    .filter(({ id }) => scenario.faults !== undefined || takesPart(scenario, id))
    .toSorted((a, b) => a.startMs - b.startMs);
  const isOver = (): boolean => chronicle.broken !== undefined;

  countThreads();
  // Loaded before the world begins: how the runtime loads modules cannot be waited for.
  await loadLibrary();
  await import('../../daemon/compose/recording/open-recording.ts');
  void plant.life.start();
  for (const fault of faults) scheduleFault(fault);
  for (const person of population.people) person.start();
  const memory = new MemoryCheck(chronicle);
  const startMs = performance.now();
  for (let untilMs = Math.min(DAY_MS, endMs); !isOver(); untilMs = Math.min(untilMs + DAY_MS, endMs)) {
    await passTime(untilMs);
    const usedBytes = measureMemory();
    if (usedBytes !== undefined && untilMs % DAY_MS === 0)
      memory.noteDay(usedBytes, plant.life.killsMs.length);
    onProgress(describeProgress(untilMs, startMs, usedBytes));
    if (untilMs === endMs) break;
  }
  if (!isOver() && scenario.untilMs === undefined) await comeToRest();
  await plant.life.abandon();
  return {
    broken: chronicle.broken,
    digest: chronicle.digest(),
    lines: chronicle.lines(),
    faults,
    people: population.people.map(({ name }) => name),
    cast: [...faults.map(({ id }) => id), ...population.people.map(({ name }) => name), ...plant.cast],
  };

  async function passTime(untilMs: number): Promise<void> {
    try {
      await time.runUntil(untilMs, isOver);
    } catch (error) {
      chronicle.break('no-defect', String(error));
    }
  }

  function scheduleFault({ id, startMs: beginsMs, endMs: endsMs, text, begin }: PlannedFault): void {
    time.schedule(beginsMs, () => {
      chronicle.note(id, text);
      const end = begin();
      time.schedule(endsMs - beginsMs, () => {
        chronicle.note(id, 'is over');
        end();
      });
    });
  }

  // Everyone leaves, and after a while nothing of them may be left.
  async function comeToRest(): Promise<void> {
    for (const person of population.people) person.leave();
    await passTime(endMs + CALM_DOWN_MS);
    population.checkEverything();
    plant.rest.checkRest();
    let isCheckedOnceMore = false;
    void population.readOnceMore().then(() => {
      time.schedule(AFTER_LAST_ANSWER_MS, () => {
        plant.rest.checkTimers();
        isCheckedOnceMore = true;
      });
    });
    await passTime(endMs + CALM_DOWN_MS + LAST_ROUND_MS);
    if (!isCheckedOnceMore) chronicle.break('answer-shape', 'the last reads have no answer');
    void plant.life.stop();
    await passTime(endMs + CALM_DOWN_MS + LAST_ROUND_MS + STOP_MS);
    plant.checkStopped();
  }
}

// Undefined where nothing can be freed on demand: then the figure tells nothing.
function measureMemory(): number | undefined {
  if (globalThis.gc === undefined) return undefined;
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function describeProgress(simulatedMs: number, startMs: number, usedBytes: number | undefined): string {
  const days = (simulatedMs / DAY_MS).toFixed(1);
  const speed = Math.round(simulatedMs / (performance.now() - startMs));
  const memory = usedBytes === undefined ? '' : `, heap ${(usedBytes / 2 ** 20).toFixed(1)} MiB`;
  return `day ${days}: ${speed} times as fast as time${memory}`;
}
