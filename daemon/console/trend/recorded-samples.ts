import type { HistoryPage } from '../../interface/plant/history.ts';
import { Samples } from './samples.ts';
import type { Gap } from './samples.ts';

type GapReason = HistoryPage['gaps'][number]['reason'];
type Bucket = NonNullable<HistoryPage['buckets']>[number];

/** Words for gaps in recorded values. */
export interface RecordedCauses {
  readonly reasons: Readonly<Record<GapReason, string>>;
  /** Words for a status, or for the code of a failure. */
  readonly named: (code: string, message: string) => string;
  /** All values of a time are bad. */
  readonly bad: string;
  /** The channel is not recorded any more. */
  readonly ended: string;
}

/** Curve whose recorded values are read from a response. */
export interface RecordedPart {
  readonly channel: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The recording ended with the last value: nothing is known of the rest of the range. */
  readonly isEnded: boolean;
  readonly causes: RecordedCauses;
}

interface ClosedGap extends Gap {
  readonly untilMs: number;
}

interface Extent {
  readonly fromMs: number;
  readonly untilMs: number;
}

// A failure is recorded when it is noticed; the gap of the same outage begins within this time.
const SAME_OUTAGE_MS = 5000;

/** Returns the recorded samples of a channel. */
export function readSamples({ samples = [], gaps }: HistoryPage, part: RecordedPart): Samples {
  const own = samples.filter(({ channel }) => channel === part.channel);
  const failures = own.flatMap(({ timestamp, value, status }, index) => {
    const untilMs = own[index + 1]?.timestamp ?? (part.isEnded ? timestamp + 1 : part.untilMs);
    const cause = status === undefined ? part.causes.bad : part.causes.named(status, status);
    return value === undefined ? [{ fromMs: timestamp, untilMs, cause }] : [];
  });
  const named = joinFailures(listGaps(gaps, part), failures, SAME_OUTAGE_MS);
  const recorded = new Samples(addEnd(named, own.at(-1)?.timestamp, part));
  for (const { timestamp, value } of own) addValue(recorded, timestamp, value);
  return recorded;
}

/**
 * Returns the extremes of the buckets of a channel, so that a peak of one sample is visible in any time range.
 *
 * @param low response with the minima
 * @param high response with the maxima
 */
export function readBuckets(
  { low, high }: { readonly low: HistoryPage; readonly high: HistoryPage },
  bucketMs: number,
  part: RecordedPart,
): Samples {
  const own = (low.buckets ?? []).filter(({ channel }) => channel === part.channel);
  const highs = new Map(
    (high.buckets ?? []).flatMap((bucket) =>
      bucket.channel === part.channel ? [[bucket.from, bucket.value] as const] : [],
    ),
  );
  const failures = own.flatMap((bucket, index) => {
    const endMs = part.isEnded ? bucket.from + bucketMs : part.untilMs;
    const failure = findFailure(bucket, own[index + 1]?.from ?? endMs, bucketMs);
    return failure === undefined ? [] : [{ ...failure, cause: part.causes.bad }];
  });
  const named = joinFailures(listGaps(low.gaps, part), failures, bucketMs);
  const lastMs = own.at(-1)?.from;
  const gaps = addEnd(named, lastMs === undefined ? undefined : lastMs + bucketMs, part);
  const recorded = new Samples(gaps);
  let before = Number.NaN;
  for (const { from, value } of own) {
    const other = highs.get(from) ?? value;
    if (value === undefined || other === undefined) continue;
    // The extreme nearer to the last value first, as a slope has them.
    const isFalling = Math.abs(before - Number(other)) < Math.abs(before - Number(value));
    const [first, last] = isFalling ? [other, value] : [value, other];
    for (const [index, free] of listFree({ fromMs: from, untilMs: from + bucketMs }, gaps).entries()) {
      if (index === 0) addValue(recorded, free.fromMs, first);
      if (index > 0) addValue(recorded, free.fromMs, last);
      else if (first !== last) addValue(recorded, (free.fromMs + free.untilMs) / 2, last);
    }
    before = Number(last);
  }
  return recorded;
}

function addValue(samples: Samples, ms: number, value: Bucket['value']): void {
  if (value === undefined) return;
  samples.add(ms, Number(value), typeof value === 'string' ? value : undefined);
}

/** Returns the time without values that begins with the bad samples of a bucket. */
function findFailure(
  { from, value, count, good }: Bucket,
  nextMs: number,
  bucketMs: number,
): Extent | undefined {
  const endMs = from + bucketMs;
  if (value === undefined) return { fromMs: from, untilMs: nextMs };
  // A failure is one sample, however long it lasts.
  return good < count && nextMs > endMs ? { fromMs: endMs, untilMs: nextMs } : undefined;
}

/** Lists the named gaps of a channel within its range, in order, without overlaps. */
function listGaps(gaps: HistoryPage['gaps'], part: RecordedPart): readonly ClosedGap[] {
  const own = gaps
    .filter(({ channel }) => channel === undefined || channel === part.channel)
    .toSorted((a, b) => a.from - b.from);
  const listed: ClosedGap[] = [];
  for (const { from, to, reason } of own) {
    const fromMs = Math.max(from, part.fromMs, listed.at(-1)?.untilMs ?? -Infinity);
    const untilMs = Math.min(to, part.untilMs);
    if (untilMs > fromMs) listed.push({ fromMs, untilMs, cause: part.causes.reasons[reason] });
  }
  return listed;
}

/** Adds failures to named gaps: a gap that follows closely names the same outage, and begins with the failure. */
function joinFailures(
  named: readonly ClosedGap[],
  failures: readonly ClosedGap[],
  closeMs: number,
): readonly ClosedGap[] {
  let joined = [...named];
  for (const failure of failures) {
    const covering = joined.find((gap) => gap.fromMs < failure.untilMs && gap.untilMs > failure.fromMs);
    if (covering === undefined) joined.push(failure);
    else if (covering.fromMs - failure.fromMs > closeMs)
      joined.push({ ...failure, untilMs: covering.fromMs });
    else if (covering.fromMs > failure.fromMs)
      joined = joined.map((gap) => (gap === covering ? { ...gap, fromMs: failure.fromMs } : gap));
  }
  return joined.filter(({ fromMs, untilMs }) => untilMs > fromMs).toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Adds the time after the end of a recording; a gap of the gateway that covers its begin stays. */
function addEnd(
  gaps: readonly ClosedGap[],
  lastMs: number | undefined,
  { untilMs, isEnded, causes }: RecordedPart,
): readonly ClosedGap[] {
  if (!isEnded || lastMs === undefined) return gaps;
  const fromMs = Math.max(lastMs, ...gaps.filter((gap) => gap.fromMs <= lastMs).map((gap) => gap.untilMs));
  if (fromMs >= untilMs) return gaps;
  return [...gaps.filter((gap) => gap.fromMs < fromMs), { fromMs, untilMs, cause: causes.ended }];
}

/** Lists the parts of a time range outside of gaps. */
function listFree({ fromMs, untilMs }: Extent, gaps: readonly ClosedGap[]): readonly Extent[] {
  const free: Extent[] = [];
  let startMs = fromMs;
  for (const gap of gaps) {
    if (gap.untilMs <= startMs || gap.fromMs >= untilMs) continue;
    if (gap.fromMs > startMs) free.push({ fromMs: startMs, untilMs: gap.fromMs });
    startMs = gap.untilMs;
  }
  if (startMs < untilMs) free.push({ fromMs: startMs, untilMs });
  return free;
}
