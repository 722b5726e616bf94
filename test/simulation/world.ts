import { loadLibrary } from '../../drivers/opcua/session/opcua-library.ts';
import { takesPart } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { makeWorldCertificates } from './world/certificates.ts';
import type { WorldCertificates } from './world/certificates.ts';
import { Chronicle } from './world/chronicle.ts';
import type { InvariantBroken } from './world/invariants.ts';
import type { KeptGateway, KeptPlace } from './world/kept-gateway.ts';
import { MemoryCheck } from './world/memory-check.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import { drawCalmTempo } from './world/tempo.ts';
import type { Tempo } from './world/tempo.ts';
import { countThreads } from './world/threads.ts';
import type { PlannedFault } from './world/truth.ts';
import { watchProcess } from './world/watch-process.ts';
import { createPlant } from './plant/plant.ts';
import { MANAGED_IDENTITIES } from './plant/settings.ts';
import { AssetClient } from './people/asset-client.ts';
import { Mover } from './people/mover.ts';
import { createPopulation } from './people/population.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// After everyone has left: sessions end, connections of idle clients are closed, back-off is over.
const CALM_DOWN_MS = 30 * 60_000;
const LAST_ROUND_MS = 10 * 60_000;
// Connections of clients are closed by then, and the deadlines of their calls are not over.
const AFTER_LAST_ANSWER_MS = 500;
const STOP_MS = 2 * 60_000;

const MOVING_MS = 1000;
// In the first lively time of a calm world code is compiled and caches fill, as on the first day of a usual one.
const WARM_MS = 3 * HOUR_MS;
// A gateway is taken to the next world in this time.
const OFF_MS = 2 * HOUR_MS;

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

interface WorldOptions {
  readonly onProgress?: (line: string) => void;
  /** Keeps the gateway: it comes from an earlier world, if there was one, and goes on in a later one. */
  readonly place?: KeptPlace | undefined;
}

/** Runs a world from its first to its last moment. */
export async function runWorld(
  scenario: Scenario,
  { onProgress = () => undefined, place }: WorldOptions = {},
): Promise<WorldRun> {
  const earlier = place?.read();
  const past = earlier?.gateway;
  const random = new Random(scenario.seed);
  const lengthMs = scenario.hours * HOUR_MS;
  const tempo = scenario.pace === 'calm' ? drawCalmTempo(random.branch('tempo'), lengthMs) : undefined;
  const startEpochMs = past === undefined ? scenario.startEpochMs : past.stoppedAtMs + OFF_MS;
  const time = new SimulatedTime(startEpochMs, tempo);
  const chronicle = new Chronicle(time);
  const endMs = scenario.untilMs ?? lengthMs;
  certificates ??= await makeWorldCertificates(MANAGED_IDENTITIES, time.epochMs());
  using _watch = watchProcess(chronicle);
  const plant = createPlant({ scenario, time, random, chronicle, certificates, earlier });
  const population = createPopulation({ scenario, time, random, chronicle, plant, past });
  const faults = [...plant.parts, plant.meter]
    .flatMap((part) => part.planFaults(time.tempo.activityAt(lengthMs), scenario.faults))
    .map((fault) => (scenario.faults === undefined ? placeFault(fault, time.tempo) : fault))
    .filter(({ id }) => scenario.faults !== undefined || takesPart(scenario, id))
    .toSorted((a, b) => a.startMs - b.startMs);
  const mover = new Mover({
    client: new AssetClient(() => plant.connect(random.branch('mover')), plant.credentialsOf('root')),
    time,
    chronicle,
    sections: plant.sections,
    residents: plant.residents,
  });
  const isOver = (): boolean => chronicle.broken !== undefined;

  countThreads();
  // Loaded before the world begins: how the runtime loads modules cannot be waited for.
  await loadLibrary();
  await import('../../daemon/compose/recording/open-recording.ts');
  void plant.life.start();
  if (past !== undefined) await moveIn(past);
  for (const fault of faults) scheduleFault(fault);
  for (const person of population.people) person.start();
  const memory = new MemoryCheck(chronicle);
  const startMs = performance.now();
  for (let untilMs = Math.min(DAY_MS, endMs); !isOver(); untilMs = Math.min(untilMs + DAY_MS, endMs)) {
    await passTime(untilMs);
    const usedBytes = measureMemory();
    const isWarm = time.tempo.activityAt(untilMs) >= WARM_MS;
    if (usedBytes !== undefined && isWarm && untilMs % DAY_MS === 0)
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
    const belongings = place === undefined ? undefined : await passTimeOf(mover.moveOut());
    await plant.recording.check();
    const stoppedAtMs = plant.life.epochMs();
    void plant.life.stop();
    await passTime(time.monotonicMs() + STOP_MS);
    plant.checkStopped();
    if (belongings === undefined || isOver()) return;
    const gateway = {
      ...belongings,
      worlds: 1 + (past?.worlds ?? 0),
      hours: scenario.hours + (past?.hours ?? 0),
      stoppedAtMs,
      journalEntry: plant.recording.journal.position,
    };
    place?.write(gateway, (to) => plant.life.copyData(to));
  }

  async function moveIn(earlierOne: KeptGateway): Promise<void> {
    await passTimeOf(mover.moveIn(earlierOne));
    for (const part of plant.parts) plant.noteChange(part);
  }

  /** Lets time pass until something is done. @returns undefined when the run is over before */
  async function passTimeOf<T>(work: Promise<T>): Promise<T | undefined> {
    const results: T[] = [];
    void work.then((result) => void results.push(result));
    while (results.length === 0 && !isOver()) await passTime(time.monotonicMs() + MOVING_MS);
    return results[0];
  }
}

// Faults are drawn as in a usual world, and last as long.
function placeFault(fault: PlannedFault, tempo: Tempo): PlannedFault {
  const startMs = tempo.timeAt(fault.startMs);
  if (startMs === fault.startMs) return fault;
  return { ...fault, startMs, endMs: startMs + (fault.endMs - fault.startMs) };
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
