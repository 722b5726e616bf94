import type { Clock } from '../../base/clock.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import type { Asset } from '../asset/asset.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalEntry, Sample } from '../journal/sample.ts';
import { ChangeTask } from './change-task.ts';
import { IntervalTask } from './interval-task.ts';
import type { RecordingTask } from './recording-task.ts';
import { SampleTaker } from './sample-taker.ts';

const DEFAULT_MINIMUM_INTERVAL_MS = 1000;

/** Which channels are recorded, and how often. */
export interface RecorderConfig {
  readonly pid: string;
  /** Milliseconds between two samples of a channel; undefined with `onChange`. */
  readonly intervalMs?: number | undefined;
  readonly onChange?: true | undefined;
  readonly deadband?: number | undefined;
  readonly minimumIntervalMs?: number | undefined;
  readonly assets: readonly RecordedAsset[];
}

interface RecordedAsset {
  /** Pid of the asset. */
  readonly asset: string;
  /** Names of the channels; undefined: every enabled, readable one. */
  readonly channels?: readonly string[] | undefined;
}

interface RecordersOptions {
  readonly findAsset: (pid: string) => Asset | undefined;
  readonly journal: Pick<Journal, 'append' | 'batch'>;
  readonly clock: Clock;
}

/** What a recorder has done since it was started. */
export interface RecorderStatus {
  readonly pid: string;
  readonly samples: number;
  /** Milliseconds since the epoch; undefined before the first sample. */
  readonly newestMs: number | undefined;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A sample that waits to be written, and the batch of the journal that has it. */
interface WaitingSample {
  readonly sample: Writable<Sample>;
  readonly batch: number;
}

/** Feeds the journal with the samples of all recorders. */
export class Recorders {
  readonly #options: RecordersOptions;
  #configs: readonly RecorderConfig[] = [];
  /** By recorder and asset as they are configured, so that what stays goes on. */
  readonly #tasks = new Map<string, RecordingTask>();
  readonly #counts = new Map<string, { samples: number; newestMs: number }>();
  /** Samples by their records, which several recorders may take. */
  readonly #waiting = new WeakMap<ChannelRecord, WaitingSample>();
  readonly #pids = new Map<string, readonly string[]>();

  constructor(options: RecordersOptions) {
    this.#options = options;
  }

  /** Starts what is new, stops what is gone, and leaves the rest alone; to be called whenever the plant has changed. */
  apply(configs: readonly RecorderConfig[]): void {
    this.#configs = configs;
    const wanted = new Map(
      configs.flatMap((config) =>
        config.assets.map((asset) => [keyOf(config, asset), { config, asset }] as const),
      ),
    );
    for (const [key, task] of this.#tasks) {
      if (wanted.has(key)) task.follow();
      else {
        task.stop();
        this.#tasks.delete(key);
      }
    }
    for (const [key, { config, asset }] of wanted) {
      if (this.#tasks.has(key)) continue;
      const task = this.#createTask(config, asset);
      this.#tasks.set(key, task);
      task.start();
    }
  }

  /** Takes the present values of channels that are recorded on change: what the journal has lost may not change again for long. */
  renew(): void {
    for (const task of this.#tasks.values()) task.renew();
  }

  /** Lists the recorders in configuration order. */
  list(): readonly RecorderStatus[] {
    return this.#configs.map(({ pid }) => {
      const { samples = 0, newestMs } = this.#counts.get(pid) ?? {};
      return { pid, samples, newestMs };
    });
  }

  stop(): void {
    for (const task of this.#tasks.values()) task.stop();
    this.#tasks.clear();
  }

  #createTask(config: RecorderConfig, { asset, channels }: RecordedAsset): RecordingTask {
    const { findAsset, clock } = this.#options;
    const { pid, intervalMs, deadband = 0, minimumIntervalMs = DEFAULT_MINIMUM_INTERVAL_MS } = config;
    const taker = new SampleTaker(asset);
    const options = {
      findAsset: () => findAsset(asset),
      channels,
      take: (records: readonly ChannelRecord[]) => this.#take(pid, taker, records),
      clock,
    };
    return intervalMs === undefined
      ? new ChangeTask({ deadband, minimumIntervalMs }, options)
      : new IntervalTask(intervalMs, options);
  }

  #take(pid: string, taker: SampleTaker, records: readonly ChannelRecord[]): void {
    const { journal, clock } = this.#options;
    const nowMs = clock.epochMs();
    const { samples, gaps } = taker.take(records, nowMs);
    const entries: JournalEntry[] = gaps.map((gap) => ({ gap }));
    for (const { record, sample } of samples) {
      const waiting = this.#waiting.get(record);
      if (waiting?.batch === journal.batch) waiting.sample.recorders = this.#addPid(waiting.sample, pid);
      else {
        const whole = { ...sample, recorders: this.#listOf([pid]) };
        this.#waiting.set(record, { sample: whole, batch: journal.batch });
        entries.push({ sample: whole });
      }
    }
    journal.append(entries);
    if (samples.length === 0) return;
    const count = this.#counts.get(pid);
    this.#counts.set(pid, { samples: (count?.samples ?? 0) + samples.length, newestMs: nowMs });
  }

  #addPid({ recorders }: Sample, pid: string): readonly string[] {
    return recorders.includes(pid) ? recorders : this.#listOf([...recorders, pid].toSorted());
  }

  /** Returns the same list for the same pids: equal lists cost the journal nothing. */
  #listOf(pids: readonly string[]): readonly string[] {
    const key = pids.join('\n');
    const known = this.#pids.get(key);
    if (known !== undefined) return known;
    this.#pids.set(key, pids);
    return pids;
  }
}

function keyOf({ assets: _assets, ...recorder }: RecorderConfig, asset: RecordedAsset): string {
  return JSON.stringify([recorder, asset]);
}
