import { RestFailure } from '../api/rest-failure.ts';
import type { HistoryOverview, HistoryPage } from '../../interface/plant/history.ts';
import type { RecordedCurve } from './joined-series.ts';
import { readBuckets, readSamples } from './recorded-samples.ts';
import type { RecordedCauses } from './recorded-samples.ts';
import type { Samples } from './samples.ts';
import { keyOfCurve } from './trend-curve.ts';
import type { CurveName } from './trend-curve.ts';

/** Gateway, as a source of recorded values. */
export interface HistorySource {
  gatewayNowMs(): number;
  get<T>(path: string, abort?: AbortSignal): Promise<T>;
}

/** Time range of a trend. */
export interface RecordedRange {
  readonly fromMs: number;
  readonly untilMs: number;
  /** True if the range ends with the present. */
  readonly isLive: boolean;
}

interface RecordedValuesOptions {
  readonly causes: () => RecordedCauses;
  readonly onLoaded: () => void;
}

const HISTORY = '/services/history/v1';
/** Samples of a curve that are drawn as they are. */
const MOST_SAMPLES = 400;
/** Two points each. */
const BUCKETS = 200;
// The history follows the record within seconds; after a start of the gateway it takes longer.
const REFRESH_AFTER_MS = [2500, 10_000];
// A value recorded on change holds until the next change.
const LOOK_BACK_MS = 86_400_000;
const LATE_PART = 1 / 50;

/** Loads the recorded values of curves; without history or permission there are none. */
export class RecordedValues {
  readonly #source: HistorySource;
  readonly #options: RecordedValuesOptions;
  readonly #loaded = new Map<string, RecordedCurve>();
  readonly #recorded = new Set<string>();
  #curves: readonly CurveName[] = [];
  #range: RecordedRange | undefined;
  #loading = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #timers: readonly ReturnType<typeof setTimeout>[] = [];
  #hasRecorders = false;

  constructor(source: HistorySource, options: RecordedValuesOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** True if the gateway records, or has recorded, something that the identity may see. */
  get hasHistory(): boolean {
    return this.#hasRecorders || this.#recorded.size > 0;
  }

  /** True if recorded values of a curve were found. */
  isRecorded(curve: CurveName): boolean {
    return this.#recorded.has(keyOfCurve(curve));
  }

  find(curve: CurveName): RecordedCurve | undefined {
    return this.#loaded.get(keyOfCurve(curve));
  }

  /** Loads exactly these curves for a range; what is loaded stays until it is replaced. */
  show(curves: readonly CurveName[], range: RecordedRange): void {
    this.#curves = curves;
    this.#range = range;
    this.#running = this.#load();
  }

  /** Loads the range again when the history has what was recorded until now. */
  refreshSoon(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const refresh = (): void => {
      this.#running = this.#running.then(() => this.#load());
    };
    this.#timers = REFRESH_AFTER_MS.map((ms) => setTimeout(refresh, ms));
  }

  /** Ends the requests until the next range; what is loaded stays. */
  stop(): void {
    this.#loading.abort();
    this.#range = undefined;
  }

  async #load(): Promise<void> {
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const range = this.#range;
    if (range === undefined || this.#curves.length === 0) return;
    const askedMs = this.#source.gatewayNowMs();
    const { fromMs } = range;
    const span = { fromMs, untilMs: range.isLive ? askedMs : Math.min(range.untilMs, askedMs) };
    try {
      const overview = await this.#source.get<HistoryOverview>(HISTORY, loading.signal);
      this.#hasRecorders = overview.recorders.length > 0;
      // One after the other: browsers open few connections.
      for (const [asset, channels] of groupCurves(this.#curves)) {
        const reading = new AssetReading(this.#source, { asset, ...span, abort: loading.signal });
        const found = await reading.read(channels, this.#options.causes()).catch(refuseOthers);
        if (loading.signal.aborted) return;
        for (const [channel, samples] of found ?? []) {
          const key = keyOfCurve({ asset, channel });
          this.#loaded.set(key, { samples, askedMs });
          if (samples.length > 0) this.#recorded.add(key);
        }
      }
    } catch {
      // The curves begin with the page, or keep what they have.
    }
    if (!loading.signal.aborted) this.#options.onLoaded();
  }
}

interface ReadingOptions {
  readonly asset: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly abort: AbortSignal;
}

type RecordedValue = NonNullable<NonNullable<HistoryPage['buckets']>[number]['value']>;

/** Reads recorded values of one asset. */
class AssetReading {
  readonly #source: HistorySource;
  readonly #options: ReadingOptions;

  constructor(source: HistorySource, options: ReadingOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Returns the samples if they are few, otherwise the extremes of buckets; by channel. */
  async read(channels: readonly string[], causes: RecordedCauses): Promise<ReadonlyMap<string, Samples>> {
    const { fromMs, untilMs } = this.#options;
    const limit = String(MOST_SAMPLES * channels.length);
    const from = Math.floor(fromMs);
    const to = Math.ceil(untilMs);
    const page = await this.#ask(channels, { from, to }, { limit });
    const part = { fromMs, untilMs, causes };
    if (page.next !== undefined) {
      const bucketMs = Math.ceil((to - from) / BUCKETS);
      const bucket = { bucketMs: String(bucketMs) };
      const low = await this.#ask(channels, { from, to }, { ...bucket, aggregate: 'min' });
      const high = await this.#ask(channels, { from, to }, { ...bucket, aggregate: 'max' });
      return new Map(
        channels.map((channel) => [channel, readBuckets({ low, high }, bucketMs, { channel, ...part })]),
      );
    }
    const found = new Map(channels.map((channel) => [channel, readSamples(page, { channel, ...part })]));
    const lateMs = from + (to - from) * LATE_PART;
    const late = channels.filter((channel) => (found.get(channel)?.startMs ?? Infinity) > lateMs);
    const before = await this.#readBefore(late, from);
    for (const [channel, value] of before) {
      const first = { channel, timestamp: from, value, quality: 'GOOD' } as const;
      const samples = [first, ...(page.samples ?? [])];
      found.set(channel, readSamples({ ...page, samples }, { channel, ...part }));
    }
    return found;
  }

  /** Returns the values held at a time, of channels that had no failure before. */
  async #readBefore(channels: readonly string[], ms: number): Promise<ReadonlyMap<string, RecordedValue>> {
    if (channels.length === 0) return new Map();
    const range = { from: ms - LOOK_BACK_MS, to: ms };
    const page = await this.#ask(channels, range, { bucketMs: String(LOOK_BACK_MS), aggregate: 'last' });
    return new Map(
      (page.buckets ?? []).flatMap(({ channel, value, count, good }) => {
        const isLost = page.gaps.some((gap) => (gap.channel ?? channel) === channel && gap.to >= ms);
        if (value === undefined || good < count || isLost) return [];
        return [[channel, value] as const];
      }),
    );
  }

  #ask(
    channels: readonly string[],
    { from, to }: { readonly from: number; readonly to: number },
    parameters: Readonly<Record<string, string>>,
  ): Promise<HistoryPage> {
    const { asset, abort } = this.#options;
    const query = new URLSearchParams({
      channels: channels.join(','),
      from: String(from),
      to: String(to),
      ...parameters,
    });
    return this.#source.get<HistoryPage>(
      `${HISTORY}/${encodeURIComponent(asset)}?${query.toString()}`,
      abort,
    );
  }
}

/** An asset that is gone or not granted has no history; the others have. */
function refuseOthers(error: unknown): undefined {
  if (error instanceof RestFailure && error.status !== 0 && error.status !== 401) return undefined;
  throw error;
}

function groupCurves(curves: readonly CurveName[]): ReadonlyMap<string, readonly string[]> {
  const assets = [...new Set(curves.map(({ asset }) => asset))];
  return new Map(
    assets.map((pid) => [pid, curves.filter(({ asset }) => asset === pid).map(({ channel }) => channel)]),
  );
}
