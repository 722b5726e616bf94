import type { Sample } from '../../../daemon/plant/journal/sample.ts';
import type { Chronicle } from '../world/chronicle.ts';
import { expectBucket, isSameValue } from './expected-bucket.ts';
import type { Aggregate, ShownBucket } from './expected-bucket.ts';
import type { RecordedSample, RecordedSamples } from './recorded-samples.ts';
import { toRestValue } from './recorded-value.ts';
import type { RestValue } from '../world/truth.ts';
import type { RetentionRules } from './retention-rules.ts';

/** A sample as the history shows it. */
export interface ShownSample {
  readonly channel: string;
  readonly timestamp: number;
  readonly value?: RestValue;
  readonly quality: string;
  readonly status?: string;
}

/** All pages of an answer of the history. */
export interface ShownHistory {
  readonly who: string;
  readonly asset: string;
  readonly channels: readonly string[];
  /** Milliseconds since the epoch, by the clock of the gateway. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Simulated times of the first question and the last answer. */
  readonly askedMs: number;
  readonly answeredMs: number;
  readonly samples: readonly ShownSample[];
  /** Present for a query of buckets. */
  readonly buckets?: {
    readonly bucketMs: number;
    readonly aggregate: Aggregate;
    readonly shown: readonly ShownBucket[];
  };
}

// A batch of the journal is written after a second, and read at once.
const ON_THE_WAY_MS = 5000;

/** Compares what the history shows with what the journal has shown. */
export class HistoryCheck {
  readonly #chronicle: Chronicle;
  readonly #recorded: RecordedSamples;
  readonly #rules: RetentionRules;

  constructor(chronicle: Chronicle, recorded: RecordedSamples, rules: RetentionRules) {
    this.#chronicle = chronicle;
    this.#recorded = recorded;
    this.#rules = rules;
  }

  /** Checks `history-whole`; everything that the journal had at the answer must have been compared before. */
  check(history: ShownHistory): void {
    const known = new Map(
      history.channels.map((channel) => [channel, this.#list(history, channel)] as const),
    );
    if (history.buckets !== undefined) this.#checkBuckets(history, known);
    else {
      this.#checkSamples(history, known);
      this.#checkOrder(history);
    }
  }

  #list({ asset, fromMs, toMs, answeredMs }: ShownHistory, channel: string): readonly RecordedSample[] {
    return this.#recorded
      .list(asset, channel)
      .filter(
        ({ sample, atMs }) => sample.timestampMs >= fromMs && sample.timestampMs < toMs && atMs <= answeredMs,
      );
  }

  #checkSamples(history: ShownHistory, known: ReadonlyMap<string, readonly RecordedSample[]>): void {
    const { who, asset, askedMs, samples } = history;
    const shown = new Map<string, number>();
    const { forgottenMs } = this.#recorded;
    for (const sample of samples) if (sample.timestamp > forgottenMs) count(shown, describe(sample), 1);
    for (const [channel, recorded] of known) {
      for (const { sample, atMs } of recorded) {
        if (sample.timestampMs <= forgottenMs) continue;
        const text = describe(toShown(channel, sample));
        const isThere = count(shown, text, -1) >= 0;
        if (isThere || atMs > askedMs - ON_THE_WAY_MS || this.#rules.mayLack(atMs)) continue;
        this.#break(`${who}: ${asset} ${text}, taken at ${atMs.toFixed(1)}, is not shown`);
      }
    }
    for (const [text, left] of shown)
      if (left > 0) this.#break(`${who}: ${asset} ${text} is shown, and was not recorded so often`);
  }

  #checkOrder({ who, asset, channels, samples }: ShownHistory): void {
    let last: ShownSample | undefined;
    for (const sample of samples) {
      const difference =
        last === undefined
          ? 1
          : sample.timestamp - last.timestamp ||
            channels.indexOf(sample.channel) - channels.indexOf(last.channel);
      if (difference < 0) this.#break(`${who}: ${asset} ${describe(sample)} is out of order`);
      last = sample;
    }
  }

  #checkBuckets(history: ShownHistory, known: ReadonlyMap<string, readonly RecordedSample[]>): void {
    const { who, asset, fromMs, askedMs, buckets } = history;
    if (buckets === undefined) return;
    const { bucketMs, aggregate, shown } = buckets;
    const all = [...known.values()].flat();
    if (fromMs <= this.#recorded.forgottenMs) return;
    // What may be there or not makes the figures of its bucket uncertain.
    if (all.some(({ atMs }) => atMs > askedMs - ON_THE_WAY_MS || this.#rules.mayLack(atMs))) return;
    const left = new Map(shown.map((bucket) => [`${bucket.channel} ${bucket.from}`, bucket]));
    if (left.size < shown.length) this.#break(`${who}: ${asset} has a bucket twice`);
    for (const [channel, recorded] of known) {
      const groups = Map.groupBy(
        recorded,
        ({ sample }) => fromMs + Math.floor((sample.timestampMs - fromMs) / bucketMs) * bucketMs,
      );
      for (const [from, inBucket] of groups) {
        const key = `${channel} ${from}`;
        const expected = expectBucket(inBucket, aggregate);
        const bucket = left.get(key);
        left.delete(key);
        const isSame =
          bucket?.count === expected.count &&
          bucket.good === expected.good &&
          isSameValue(bucket.value, expected.value);
        if (isSame) continue;
        const text = `${JSON.stringify(bucket)} instead of ${JSON.stringify(expected)}`;
        this.#break(`${who}: ${aggregate} of ${bucketMs} ms of ${asset} ${key} is ${text}`);
      }
    }
    const [more] = left.keys();
    if (more !== undefined) this.#break(`${who}: ${asset} has a bucket ${more} without samples`);
  }

  #break(text: string): void {
    this.#chronicle.break('history-whole', text);
  }
}

function toShown(channel: string, sample: Sample): ShownSample {
  const { timestampMs, quality, status } = sample;
  const value = toRestValue(sample);
  return {
    channel,
    timestamp: timestampMs,
    quality,
    ...(value === undefined ? {} : { value }),
    ...(status === undefined ? {} : { status }),
  };
}

function describe({ channel, timestamp, value, quality, status = '' }: ShownSample): string {
  return `${channel} ${timestamp} ${String(value)} ${quality} ${status}`;
}

/** Adds to a count, and returns it. */
function count(counts: Map<string, number>, key: string, by: number): number {
  const number = (counts.get(key) ?? 0) + by;
  counts.set(key, number);
  return number;
}
