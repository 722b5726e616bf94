import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { prepareDirectories } from '../../../daemon/software/bundle/bundle-directory.ts';
import type {
  BundleLauncher,
  LaunchRequest,
} from '../../../daemon/software/bundle/process/bundle-launcher.ts';
import { DEFAULT_LIMITS } from '../../../daemon/software/bundle/bundle-limits.ts';
import type { Bundle } from '../../../daemon/software/bundle/bundle.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import { readProgram } from './bundle-program.ts';
import type { Meter } from './meter.ts';
import { ProcessClock } from './process-clock.ts';
import { RestartCheck } from './restart-check.ts';
import { SimulatedBundle } from './simulated-bundle.ts';

const MARKS_FILE = 'marks';

/** The limits of bundles in a world; what no simulated bundle exceeds is checked rarely, because each check costs time. */
export const WORLD_LIMITS = {
  ...DEFAULT_LIMITS,
  memoryCheckIntervalMs: 600_000,
  storageCheckIntervalMs: 600_000,
};

interface BundleMachineOptions {
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
  readonly meter: Meter;
}

/** A process of a bundle, as the machine knows it. */
export interface RunningBundle {
  readonly name: string;
  readonly version: string;
  /** Of the program that runs. */
  readonly programId: string;
  /** Since when it is active; undefined before. */
  readonly startedMs: number;
  activeSinceMs: number | undefined;
}

/** What starts the bundles of one life of the gateway, and ends them with it. */
export interface LifeLauncher extends BundleLauncher {
  end(): void;
}

/** The machine on which the bundles of a world run, through all lives of the gateway, and the truth about them. */
export class BundleMachine {
  readonly #options: BundleMachineOptions;
  readonly #running = new Set<RunningBundle>();
  // What each bundle has in its data, by its name: one mark for each start.
  readonly #marks = new Map<string, string>();
  readonly #crashedMs = new Map<string, number>();
  readonly #endedMs = new Map<string, number>();
  readonly #launches = new Map<string, number>();
  readonly #restarts: RestartCheck;

  constructor(options: BundleMachineOptions) {
    this.#options = options;
    this.#restarts = new RestartCheck(options.time, options.chronicle);
  }

  /** The processes that run now, in the order of their start. */
  get running(): readonly RunningBundle[] {
    return [...this.#running];
  }

  /** When a process of this bundle last ended without having been asked to; -Infinity when none did. */
  lastCrashMs(name: string): number {
    return this.#crashedMs.get(name) ?? -Infinity;
  }

  /** When a process of this bundle last ended in any way; -Infinity when none did. */
  lastEndMs(name: string): number {
    return this.#endedMs.get(name) ?? -Infinity;
  }

  /** Notes that a bundle was removed together with its data. */
  forgetData(name: string): void {
    this.#marks.delete(name);
  }

  /** Notes that somebody asks for these bundles to be started, whatever was before, until the returned function is called. */
  allowStarts(names: readonly string[]): () => void {
    return this.#restarts.allow(names);
  }

  /** Creates what starts the bundles of one life of the gateway. */
  createLauncher(): LifeLauncher {
    this.#restarts.forgetAll();
    const own = new Set<SimulatedBundle>();
    const clock = new ProcessClock(this.#options.time);
    return {
      launch: async (request) => {
        const bundle = await this.#launch(request, clock);
        own.add(bundle);
        void bundle.ended.then(() => own.delete(bundle));
        return bundle;
      },
      removeData: () => Promise.resolve(),
      end: () => {
        clock.end();
        for (const bundle of own) bundle.cut();
        own.clear();
      },
    };
  }

  async #launch({ bundle, signal }: LaunchRequest, clock: Clock): Promise<SimulatedBundle> {
    const { time, random, chronicle, meter } = this.#options;
    this.#restarts.noteStart(bundle.id.name);
    const main = await prepareDirectories(bundle);
    const { directory, dataDirectory, id } = bundle;
    const count = (this.#launches.get(id.name) ?? 0) + 1;
    this.#launches.set(id.name, count);
    const own = random.branch(`${id.name}/${count}`);
    await delay(clock, own.integer(20, 400), signal);
    const program = readProgram(readFileSync(main, 'utf8'));
    const running: RunningBundle = {
      ...id,
      programId: program.id,
      startedMs: time.monotonicMs(),
      activeSinceMs: undefined,
    };
    this.#running.add(running);
    this.#mark(bundle, count);
    chronicle.note(id.name, `${program.id} is started`);
    return new SimulatedBundle({
      pid: 1000 + count,
      program,
      paths: { directory, dataDirectory, main },
      time,
      random: own,
      meter,
      onActive: () => {
        running.activeSinceMs = time.monotonicMs();
        if (program.driver !== undefined) meter.isServed = true;
      },
      onEnd: (isWanted) => {
        this.#running.delete(running);
        this.#endedMs.set(id.name, time.monotonicMs());
        if (!isWanted) this.#crashedMs.set(id.name, time.monotonicMs());
        this.#restarts.noteEnd(id.name, { activeSinceMs: running.activeSinceMs, isWanted });
        if (program.driver !== undefined) meter.isServed = false;
        chronicle.note(id.name, `${program.id} ${isWanted ? 'is ended' : 'dies'}`);
      },
    });
  }

  /** Has a bundle find what it stored at its earlier starts, and store something more. */
  #mark({ id: { name }, dataDirectory }: Bundle, mark: number): void {
    const file = path.join(dataDirectory, MARKS_FILE);
    const expected = this.#marks.get(name) ?? '';
    const found = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (found !== expected) {
      const text = `the bundle ${name} has "${found}" in its data instead of "${expected}"`;
      this.#options.chronicle.break('package-whole', text);
    }
    const marks = `${expected.slice(-200)} ${mark}`;
    writeFileSync(file, marks);
    this.#marks.set(name, marks);
  }
}
