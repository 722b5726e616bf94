import type { HistoryPage } from '../../interface/plant/history.ts';
import { readBuckets, readSamples } from './recorded-samples.ts';
import type { RecordedCauses, RecordedPart } from './recorded-samples.ts';
import type { Samples } from './samples.ts';

/** Gateway, as a source of recorded values. */
export interface HistorySource {
  gatewayNowMs(): number;
  get<T>(path: string, abort?: AbortSignal): Promise<T>;
}

interface ReadingOptions {
  readonly asset: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Gateway time of the request. */
  readonly askedMs: number;
  /** Channels that no recorder records any more. */
  readonly ended: readonly string[];
  readonly causes: RecordedCauses;
  readonly abort: AbortSignal;
}

type RecordedValue = NonNullable<NonNullable<HistoryPage['buckets']>[number]['value']>;

/** Path of the history. */
export const HISTORY = '/services/history/v1';

/** Samples of a curve that are drawn as they are. */
const MOST_SAMPLES = 400;
/** Two points each. */
const BUCKETS = 200;
// A value recorded on change holds until the next change.
const LOOK_BACK_MS = 86_400_000;
const LATE_PART = 1 / 50;
// Bound of the interface.
const MAXIMUM_BUCKET_MS = 366 * 86_400_000;

/** Reads recorded values of one asset. */
export class AssetReading {
  readonly #source: HistorySource;
  readonly #options: ReadingOptions;
  /** Channels whose recording has ended before the end of the range. */
  #ended: ReadonlySet<string> = new Set();

  constructor(source: HistorySource, options: ReadingOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Returns the samples if they are few, otherwise the extremes of buckets; by channel. */
  async read(channels: readonly string[]): Promise<ReadonlyMap<string, Samples>> {
    const { fromMs, untilMs } = this.#options;
    const limit = String(MOST_SAMPLES * channels.length);
    const from = Math.floor(fromMs);
    const to = Math.ceil(untilMs);
    const page = await this.#ask(channels, { from, to }, { limit });
    this.#ended = await this.#findEnded(to);
    if (page.next !== undefined) {
      const bucketMs = Math.ceil((to - from) / BUCKETS);
      const bucket = { bucketMs: String(bucketMs) };
      const low = await this.#ask(channels, { from, to }, { ...bucket, aggregate: 'min' });
      const high = await this.#ask(channels, { from, to }, { ...bucket, aggregate: 'max' });
      return new Map(
        channels.map((channel) => [channel, readBuckets({ low, high }, bucketMs, this.#partOf(channel))]),
      );
    }
    const found = new Map(channels.map((channel) => [channel, readSamples(page, this.#partOf(channel))]));
    const lateMs = from + (to - from) * LATE_PART;
    const late = channels.filter((channel) => (found.get(channel)?.startMs ?? Infinity) > lateMs);
    const before = await this.#readBefore(late, from);
    for (const [channel, value] of before) {
      const first = { channel, timestamp: from, value, quality: 'GOOD' } as const;
      const samples = [first, ...(page.samples ?? [])];
      found.set(channel, readSamples({ ...page, samples }, this.#partOf(channel)));
    }
    return found;
  }

  #partOf(channel: string): RecordedPart {
    const { fromMs, untilMs, causes } = this.#options;
    return { channel, fromMs, untilMs, isEnded: this.#ended.has(channel), causes };
  }

  /** Finds the channels that are not recorded any more and have no samples after the range. */
  async #findEnded(to: number): Promise<ReadonlySet<string>> {
    const { ended, askedMs } = this.#options;
    const now = Math.ceil(askedMs);
    if (ended.length === 0 || to >= now) return new Set(ended);
    const bucketMs = String(Math.min(MAXIMUM_BUCKET_MS, now - to));
    const page = await this.#ask(ended, { from: to, to: now }, { bucketMs, aggregate: 'count' });
    const later = new Set((page.buckets ?? []).map(({ channel }) => channel));
    return new Set(ended.filter((channel) => !later.has(channel)));
  }

  /** Returns the values held at a time, of channels that had no failure before and are recorded since. */
  async #readBefore(channels: readonly string[], ms: number): Promise<ReadonlyMap<string, RecordedValue>> {
    const asked = channels.filter((channel) => !this.#ended.has(channel));
    if (asked.length === 0) return new Map();
    const range = { from: ms - LOOK_BACK_MS, to: ms };
    const page = await this.#ask(asked, range, { bucketMs: String(LOOK_BACK_MS), aggregate: 'last' });
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
