import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Bench } from '../bench/bench.ts';
import { startSubscriber } from '../bench/northbound-processor.ts';
import { startProgram } from '../bench/program.ts';
import type { ProgramOwner } from '../bench/program.ts';
import { send } from '../support/https-client.ts';
import { findFreePort } from '../support/free-ports.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { createAdministrators } from './actors/administrators.ts';
import { createConfigurers } from './actors/configurers.ts';
import { createDiscoverers } from './actors/discoverers.ts';
import { createDisturbers } from './actors/disturbers.ts';
import { createHistorians } from './actors/historians.ts';
import { createListeners } from './actors/listeners.ts';
import { createPackagers, installSender } from './actors/packagers.ts';
import { createReaders } from './actors/readers.ts';
import { createWriters } from './actors/writers.ts';
import { startCounterparts } from './counterparts.ts';
import { Crew } from './crew.ts';
import type { ActorCount, StepFailure } from './crew.ts';
import { readDiskFigures } from './figures/disk-figures.ts';
import { readChildFigures, readGaugeMiB, readProcessFigures } from './figures/process-figures.ts';
import type { Figures } from './figures/process-figures.ts';
import { Ground } from './ground.ts';
import type { Sample } from './judgement.ts';
import { describePlant } from './plant.ts';
import { prepareState } from './prepared-state.ts';

const COLLECTOR = path.join(import.meta.dirname, 'figures/collect-on-signal.ts');
/** The event that the collector logs when it is done. */
const COLLECTED = 'garbage.collected';
const SAMPLE_MS = 10_000;
/** In each minute everyone is at work for so long, and at rest afterwards. */
const WORK_MS = 40_000;
/** The gateway looks every ten seconds whether it is idle, and returns memory then. */
const REST_MS = 15_000;

export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly counts: readonly ActorCount[];
  readonly failures: readonly StepFailure[];
  /** How often the gateway has logged each event above the level info. */
  readonly logged: ReadonlyMap<string, number>;
}

export interface SoakOptions {
  readonly minutes: number;
  /** Called with each sample. */
  readonly onSample: (sample: Sample) => void;
  readonly onFailure: (failure: StepFailure) => void;
}

/** Lets everything use a gateway at once, and samples what the gateway has. */
export async function runSoak(
  bench: Bench,
  { minutes, onSample, onFailure }: SoakOptions,
): Promise<SoakResult> {
  const directory = createTemporaryDirectory(bench);
  await prepareState(bench, `${directory}/data`);
  const counterparts = await startCounterparts(bench);
  const metricsPort = await findFreePort();
  const config = { metrics: { port: metricsPort }, provision: describePlant(counterparts) };
  const gateway = await startProgram(collecting(bench), { directory, config });
  const ground = new Ground(bench, gateway, counterparts);
  const subscriber = await startSubscriber(bench, counterparts.broker.port);
  await installSender(ground);

  const crew = new Crew();
  // A run that fails, or that a signal ends, leaves no actor at work.
  bench.after(() => crew.stop());
  const actors = [
    ...(await createReaders(ground)),
    ...(await createListeners(ground)),
    ...(await createWriters(ground)),
    ...createHistorians(ground, subscriber),
    ...createConfigurers(ground),
    ...createPackagers(ground),
    ...createAdministrators(ground),
    ...createDiscoverers(ground),
    ...(await createDisturbers(ground)),
  ];
  const beginMs = performance.now();
  const endMs = beginMs + minutes * 60_000;
  const samples: Sample[] = [];
  let reported = 0;
  const take = async (isAtRest: boolean): Promise<void> => {
    const minute = (performance.now() - beginMs) / 60_000;
    if (hasEnded(gateway)) throw new Error(`the gateway ended: ${gateway.errors()}`);
    if (isAtRest) await collectGarbage(gateway);
    const sample = { minute, isAtRest, figures: await readFigures(gateway, metricsPort) };
    samples.push(sample);
    onSample(sample);
    for (; reported < crew.failures.length; reported += 1) {
      const failure = crew.failures[reported];
      if (failure !== undefined) onFailure(failure);
    }
  };
  for (const actor of actors) crew.start(actor);
  while (performance.now() < endMs) {
    const restMs = performance.now() + WORK_MS;
    while (performance.now() < restMs) {
      await wait(Math.max(0, Math.min(SAMPLE_MS, restMs - performance.now())));
      await take(false);
    }
    await crew.rest();
    await wait(REST_MS);
    await take(true);
    crew.resume();
  }
  await crew.end();
  await take(false);
  return { samples, counts: crew.counts(), failures: crew.failures, logged: countLogged(gateway) };
}

/** Lets the gateway of an owner collect its garbage on a signal. */
function collecting(owner: ProgramOwner): ProgramOwner {
  const daemon = ['--import', COLLECTOR, ...owner.program.daemon];
  return { program: { ...owner.program, daemon }, after: (cleanUp) => owner.after(cleanUp) };
}

/** Garbage is no growth, and when the gateway collects it by its own rules depends on how much there is. */
async function collectGarbage(gateway: RunningGateway): Promise<void> {
  const seen = gateway.lines.length;
  gateway.process.kill('SIGUSR2');
  await gateway.line(COLLECTED, seen);
}

/** Also by a signal, such as that of a machine without memory. */
function hasEnded({ process: { exitCode, signalCode } }: RunningGateway): boolean {
  return exitCode !== null || signalCode !== null;
}

async function readFigures(gateway: RunningGateway, metricsPort: number): Promise<Figures> {
  const pid = gateway.process.pid ?? 0;
  const { text } = await send({ port: metricsPort, plain: true }, 'GET', '/metrics');
  return {
    ...readProcessFigures('daemon', pid),
    'daemon: heap, MiB': readGaugeMiB(text, 'process_heap_bytes'),
    ...readChildFigures('bundles', pid),
    ...readDiskFigures(gateway.dataDirectory),
  };
}

function countLogged({ lines }: RunningGateway): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { level, event } of lines) {
    const name = `${level} ${event}`;
    if (level === 'warn' || level === 'error') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
