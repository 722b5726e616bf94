import type { Clock } from '../../base/clock.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import type { Asset } from '../asset/asset.ts';
import type { Journal } from '../journal/journal.ts';
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
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
}

/** What a recorder has done since it was started. */
export interface RecorderStatus {
  readonly pid: string;
  readonly samples: number;
  /** Milliseconds since the epoch; undefined before the first sample. */
  readonly newestMs: number | undefined;
}

/** The samples that a recorder takes of an asset. */
interface Taking {
  /** That of the recorder. */
  readonly pid: string;
  /** Pid of the asset. */
  readonly asset: string;
  readonly taker: SampleTaker;
}

/** Feeds the journal with the samples of all recorders. */
export class Recorders {
  readonly #options: RecordersOptions;
  #configs: readonly RecorderConfig[] = [];
  /** By recorder and asset as they are configured, so that what stays goes on. */
  readonly #tasks = new Map<string, RecordingTask>();
  readonly #counts = new Map<string, { samples: number; newestMs: number }>();
  /** Pids of the assets that several tasks sample. */
  #shared: ReadonlySet<string> = new Set();
  readonly #lists = new Map<string, readonly [string]>();

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
    this.#shared = listRepeated([...wanted.values()].map(({ asset: { asset } }) => asset));
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
    const taker = new SampleTaker(asset, this.#listOf(pid));
    const options = {
      findAsset: () => findAsset(asset),
      channels,
      take: (records: readonly ChannelRecord[]) => this.#take({ pid, asset, taker }, records),
      clock,
    };
    return intervalMs === undefined
      ? new ChangeTask({ deadband, minimumIntervalMs }, options)
      : new IntervalTask(intervalMs, options);
  }

  #take({ pid, asset, taker }: Taking, records: readonly ChannelRecord[]): void {
    const { journal, clock } = this.#options;
    const nowMs = clock.epochMs();
    const { samples, gaps } = taker.take(records, nowMs, this.#shared.has(asset));
    journal.append(gaps.map((gap) => ({ gap })));
    journal.append(samples);
    if (samples.length === 0) return;
    const count = this.#counts.get(pid);
    this.#counts.set(pid, { samples: (count?.samples ?? 0) + samples.length, newestMs: nowMs });
  }

  /** Returns the same list for the same pid: equal lists cost the journal nothing. */
  #listOf(pid: string): readonly [string] {
    const list = this.#lists.get(pid) ?? ([pid] as const);
    this.#lists.set(pid, list);
    return list;
  }
}

function listRepeated(pids: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(pids.filter((pid) => seen.size === seen.add(pid).size));
}

function keyOf({ assets: _assets, ...recorder }: RecorderConfig, asset: RecordedAsset): string {
  return JSON.stringify([recorder, asset]);
}
