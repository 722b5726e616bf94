import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { composeGateway } from '../../../daemon/compose/gateway.ts';
import type { Gateway } from '../../../daemon/compose/gateway.ts';
import type { HostServices } from '../../../daemon/compose/host-services.ts';
import type { LoadedSettings } from '../../../daemon/settings/settings-file.ts';
import type { SimulatedPorts } from '../http/simulated-ports.ts';
import type { Chronicle } from './chronicle.ts';
import type { ClockStep, Life } from './life.ts';
import { LifeClock } from './life-clock.ts';
import { watchSignals } from './life-signals.ts';
import type { Random } from './random.ts';
import { setSegmentTimes, tearSegment } from './segment-files.ts';
import type { SimulatedTime } from './simulated-time.ts';
import { createWorldLogger } from './world-logger.ts';

/** What a life has of its own, besides its clock. */
export interface LifeParts extends Omit<HostServices, 'clock'> {
  /** Cuts everything that leads out of the process, without telling it. */
  readonly cut: () => void;
}

interface GatewayLifeOptions {
  readonly time: SimulatedTime;
  readonly chronicle: Chronicle;
  /** Draws what a loss of power leaves of a frame that was being written. */
  readonly random: Random;
  readonly ports: SimulatedPorts;
  /** Directory for the data of all lives. */
  readonly directory: string;
  /** Data of a gateway that an earlier world has left; undefined: it starts for the first time. */
  readonly earlierData?: string | undefined;
  readonly load: (dataDirectory: string) => LoadedSettings;
  readonly createParts: (clock: LifeClock) => LifeParts;
}

interface Present {
  readonly clock: LifeClock;
  readonly parts: LifeParts;
  readonly signals: ReturnType<typeof watchSignals>;
  gateway: Gateway | undefined;
}

/** The lives of the real gateway in a simulated world. */
export class GatewayLife implements Life {
  readonly #options: GatewayLifeOptions;
  #present: Present | undefined;
  #servingSinceMs: number | undefined;
  #epochOffsetMs = 0;
  #isSteady = true;
  #isStopping = false;
  readonly #killsMs: number[] = [];
  readonly #clockSteps: ClockStep[] = [];
  readonly #startsMs: number[] = [];
  #dataDirectory: string;
  #lives = 0;

  constructor(options: GatewayLifeOptions) {
    this.#options = options;
    this.#dataDirectory = path.join(options.directory, 'life-0');
    if (options.earlierData === undefined) mkdirSync(this.#dataDirectory, { recursive: true, mode: 0o700 });
    else copyData(options.earlierData, this.#dataDirectory);
  }

  get servingSinceMs(): number | undefined {
    return this.#servingSinceMs;
  }

  get number(): number {
    return this.#lives;
  }

  get killsMs(): readonly number[] {
    return this.#killsMs;
  }

  get clockSteps(): readonly ClockStep[] {
    return this.#clockSteps;
  }

  get startsMs(): readonly number[] {
    return this.#startsMs;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get hasSteadyClock(): boolean {
    return this.#isSteady;
  }

  epochMs(): number {
    return this.#options.time.epochMs() + this.#epochOffsetMs;
  }

  /** Calls of the clock that are pending in the present life. */
  get pendingCalls(): number {
    return this.#present?.clock.pendingCalls ?? 0;
  }

  async start(): Promise<void> {
    const { time, chronicle, load, createParts } = this.#options;
    const clock = new LifeClock(time, () => this.#epochOffsetMs);
    const { cut, ...machine } = createParts(clock);
    const present: Present = {
      clock,
      parts: { ...machine, cut },
      signals: watchSignals(),
      gateway: undefined,
    };
    this.#present = present;
    this.#lives += 1;
    this.#startsMs.push(time.monotonicMs());
    setSegmentTimes(this.#dataDirectory, this.epochMs());
    try {
      const gateway = await composeGateway({
        loaded: load(this.#dataDirectory),
        logger: createWorldLogger(chronicle),
        hostServices: { ...machine, clock },
      });
      present.gateway = gateway;
      await gateway.start(new AbortController().signal);
      if (this.#present !== present) return;
      this.#servingSinceMs = time.monotonicMs();
      chronicle.note('life', `${this.#lives} serves`);
    } catch (error) {
      if (this.#present !== present) return;
      chronicle.break('no-defect', `the gateway does not start: ${String((error as Error).stack)}`);
    }
  }

  async stop(): Promise<void> {
    const present = this.#present;
    if (present?.gateway === undefined) return;
    this.#servingSinceMs = undefined;
    this.#isStopping = true;
    await present.gateway.stop();
    this.#isStopping = false;
    this.#options.chronicle.note('life', `${this.#lives} has stopped`);
  }

  /** What is still pending in a life that has stopped, in words; undefined when nothing is. */
  describeLeft(): string | undefined {
    const calls = this.pendingCalls;
    return calls === 0 ? undefined : `${calls} calls of the clock are pending`;
  }

  kill(): Promise<void> {
    const { ports, directory, chronicle } = this.#options;
    const present = this.#present;
    if (present === undefined) return Promise.resolve();
    this.#present = undefined;
    this.#servingSinceMs = undefined;
    this.#killsMs.push(this.#options.time.monotonicMs());
    present.clock.end();
    present.parts.cut();
    present.signals.forget();
    ports.cut();
    // The process that has died still has its store open in this one; the next life goes on with what is on disk now.
    const next = path.join(directory, `life-${this.#lives}`);
    copyData(this.#dataDirectory, next);
    rmSync(this.#dataDirectory, { recursive: true });
    this.#dataDirectory = next;
    tearSegment(next, this.#options.random);
    chronicle.note('life', `${this.#lives} is killed`);
    return Promise.resolve();
  }

  stepClock(deltaMs: number): void {
    this.#epochOffsetMs += deltaMs;
    this.#clockSteps.push({ atMs: this.#options.time.monotonicMs(), deltaMs });
    this.#isSteady = false;
  }

  /** Copies the data of the gateway, which has stopped. */
  copyData(to: string): void {
    copyData(this.#dataDirectory, to);
  }

  async abandon(): Promise<void> {
    await this.kill();
    rmSync(this.#options.directory, { recursive: true, force: true });
  }
}

function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (file) => !file.endsWith('.sock') });
}
