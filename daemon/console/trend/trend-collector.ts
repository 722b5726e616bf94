import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { Rest } from '../api/rest.ts';
import type { StreamEnd } from '../live/event-stream.ts';
import type { LiveRecord, StreamMessage } from '../live/stream-messages.ts';
import { ValueStream } from '../live/value-stream.ts';
import { JoinedSeries } from './joined-series.ts';
import { RecordedValues } from './recorded-values.ts';
import type { RecordedRange } from './recorded-values.ts';
import type { RecordedCauses } from './recorded-samples.ts';
import { Samples } from './samples.ts';
import type { Series } from './samples.ts';
import { keyOfCurve, parseCurves, writeCurves } from './trend-curve.ts';
import type { CurveName } from './trend-curve.ts';
import { recallCurves } from './trend-memory.ts';
import type { RememberedCurve } from './trend-memory.ts';

/** Causes of gaps detected by the page itself, and of recorded ones. */
export interface GapCauses {
  readonly lost: string;
  readonly missing: string;
  readonly away: string;
  readonly recorded: RecordedCauses;
}

/** Retention of samples, and maximum time range of a trend without recorded values. */
export const MAXIMUM_SPAN_MS = 8 * 3_600_000;

// If the stream was heard within this time, it would have reported a change.
const FRESH_MS = 20_000;
// After resuming a stream, the gateway reports missing events at once.
const COMPLETE_AFTER_MS = 2000;
const PRUNE_EVERY = 1000;
const UNHEARD = { isUnheard: true } as const;

/** Collects the values of curves while the page Trends is open, even if hidden. */
export class TrendCollector {
  readonly #rest: Rest;
  readonly #stream: ValueStream;
  readonly #causes: () => GapCauses;
  readonly #samples = new Map<string, Samples>();
  /** Time of the first value of each curve. */
  readonly #firstHeardMs = new Map<string, number>();
  readonly #recorded: RecordedValues;
  readonly #arrivals = signal(0);
  readonly #refusal = signal<StreamEnd | undefined>(undefined);
  /** Assets with missing changes since the stream was lost. */
  #missing: Set<string> | undefined;
  #backMs: number | undefined;
  #curves: readonly CurveName[] = [];
  #heardMs = 0;
  #isLost = false;

  /** @param remembered curves that an earlier page of the tab has collected */
  constructor(rest: Rest, causes: () => GapCauses, remembered: readonly RememberedCurve[]) {
    this.#rest = rest;
    for (const { key, samples, firstHeardMs, heardMs } of remembered) {
      samples.openGap(heardMs, causes().away, UNHEARD);
      this.#samples.set(key, samples);
      this.#firstHeardMs.set(key, firstHeardMs);
    }
    this.#stream = new ValueStream(rest, (message) => this.#take(message));
    this.#causes = causes;
    this.#recorded = new RecordedValues(rest, {
      causes: () => causes().recorded,
      onLoaded: () => {
        this.#arrivals.value += 1;
      },
    });
  }

  /** Incremented by received data. */
  get arrivals(): ReadonlySignal<number> {
    return this.#arrivals;
  }

  /** Reason why the gateway provides no values; empty if it does. */
  get refusal(): ReadonlySignal<StreamEnd | undefined> {
    return this.#refusal;
  }

  /** Time until which unchanged values are known to be valid. */
  get knownUntilMs(): number {
    return Math.min(this.#rest.gatewayNowMs(), this.#heardMs + FRESH_MS);
  }

  /** True if the gateway records something that the identity may see. */
  get hasHistory(): boolean {
    return this.#recorded.hasHistory;
  }

  /** True if recorded values of a curve were found. */
  isRecorded(curve: CurveName): boolean {
    return this.#recorded.isRecorded(curve);
  }

  /** True if a recorder records a curve, as far as is known. */
  isOngoing(curve: CurveName): boolean {
    return this.#recorded.isOngoing(curve);
  }

  /** Lists the curves without a recorder, the displayed ones and then the newest first. */
  listUnrecorded(): readonly RememberedCurve[] {
    const displayed = new Set(this.#curves.map(keyOfCurve));
    return [...this.#samples]
      .toReversed()
      .toSorted(([one], [other]) => Number(displayed.has(other)) - Number(displayed.has(one)))
      .flatMap(([key, samples]) => {
        if (parseCurves(key).some((curve) => this.isOngoing(curve))) return [];
        const firstHeardMs = this.#firstHeardMs.get(key) ?? 0;
        const heardMs = this.#isLost ? this.#heardMs : this.knownUntilMs;
        return [{ key, samples, firstHeardMs, heardMs }];
      });
  }

  /** Returns what the page has received of a curve, and what was recorded before and in the meantime. */
  samplesOf(curve: CurveName): Series | undefined {
    const key = keyOfCurve(curve);
    const live = this.#samples.get(key);
    const recorded = this.#recorded.find(curve);
    if (recorded === undefined || recorded.samples.startMs === undefined) return live;
    return new JoinedSeries(live ?? new Samples(), recorded, this.#firstHeardMs.get(key) ?? 0);
  }

  /** Loads the recorded values of curves in a time range, also when values received by the page are missing. */
  showRange(curves: readonly CurveName[], range: RecordedRange): void {
    this.#recorded.show(curves, range);
  }

  /** Loads no more recorded values; those loaded stay. */
  leaveRange(): void {
    this.#recorded.stop();
  }

  /** Collects exactly these curves from now on. */
  async listen(curves: readonly CurveName[]): Promise<void> {
    if (writeCurves(curves) === writeCurves(this.#curves)) this.interrupt();
    else this.leave();
    this.#curves = curves;
    if (curves.length === 0) return;
    const assets = [...new Set(curves.map(({ asset }) => asset))];
    // Only the displayed channels are read from the device.
    await this.#stream.open(new URLSearchParams({ assets: assets.join(','), channels: writeCurves(curves) }));
  }

  /** Pauses collection until the next sign-in; records a gap. */
  interrupt(): void {
    this.#openLostGaps();
    this.#close();
  }

  /** Stops collecting; the samples stay. */
  leave(): void {
    this.#openGaps(this.#rest.gatewayNowMs(), this.#causes().away);
    this.#curves = [];
    this.#close();
  }

  #close(): void {
    this.#stream.close();
    // A new stream starts with current values and does not report missed ones.
    this.#isLost = false;
    this.#missing = undefined;
  }

  #take(message: StreamMessage): void {
    const nowMs = this.#rest.gatewayNowMs();
    if (message.kind === 'LOST') this.#lose(message);
    else if (message.kind === 'GAP') this.#recordGap(message.asset);
    else {
      this.#heardMs = nowMs;
      this.#backMs ??= nowMs;
      // A resumed stream starts with the changes in between; if there are none, only the next keep-alive arrives.
      const isComplete = message.kind === 'RECORDS' || nowMs - this.#backMs > COMPLETE_AFTER_MS;
      if (this.#isLost && isComplete) this.#resume();
      if (message.kind === 'RECORDS') for (const record of message.records) this.#note(record, nowMs);
    }
    this.#arrivals.value += 1;
  }

  #lose(end: StreamEnd): void {
    this.#openLostGaps();
    this.#isLost = true;
    this.#missing ??= new Set();
    this.#backMs = undefined;
    if (end.status !== 0 && end.status !== 401) this.#refusal.value = end;
  }

  #recordGap(asset: string | undefined): void {
    for (const curve of this.#curves) {
      if (asset !== undefined && curve.asset !== asset) continue;
      this.#missing?.add(curve.asset);
      // The gap of a lost stream lasts until the next snapshot.
      if (!this.#isLost) this.#obtain(curve).openGap(this.#heardMs, this.#causes().missing, UNHEARD);
    }
  }

  #resume(): void {
    for (const curve of this.#curves) {
      if (this.#missing?.has(curve.asset) !== true) this.#obtain(curve).dropGap();
    }
    this.#missing = undefined;
    this.#isLost = false;
    this.#refusal.value = undefined;
  }

  #note(record: LiveRecord, nowMs: number): void {
    const curve = { asset: record.asset, channel: record.name };
    if (!this.#curves.some((each) => keyOfCurve(each) === keyOfCurve(curve))) return;
    const samples = this.#obtain(curve);
    this.#meetSeam(curve, samples, nowMs);
    this.#refusal.value = undefined;
    const { channelFlag, exceptionMessage } = record.channelStatus;
    if (channelFlag === 'SUCCESS' && record.value !== undefined) {
      const exact = typeof record.value === 'string' ? record.value : undefined;
      // A value held during a gap is known again from now on.
      const gap = samples.gaps.findLast(({ untilMs }) => untilMs === undefined);
      const ms = gap !== undefined && record.timestamp <= gap.fromMs ? nowMs : record.timestamp;
      samples.add(ms, Number(record.value), exact);
      samples.closeGap(ms);
    } else {
      const lastMs = samples.length === 0 ? nowMs : samples.timeAt(samples.length - 1);
      const { statusCode = '' } = record;
      const cause = this.#causes().recorded.named(statusCode, exceptionMessage ?? statusCode);
      samples.openGap(Math.max(lastMs, Math.min(nowMs, record.timestamp)), cause);
    }
    if (samples.length % PRUNE_EVERY === 0) samples.prune(nowMs - MAXIMUM_SPAN_MS);
  }

  /** Before a value that follows a time in which the page did not listen: the history has what is missing. */
  #meetSeam(curve: CurveName, samples: Samples, nowMs: number): void {
    const key = keyOfCurve(curve);
    const last = samples.gaps.at(-1);
    const isUnheard = last?.isUnheard === true && last.untilMs === undefined;
    if (this.#firstHeardMs.has(key) && !isUnheard) return;
    if (!this.#firstHeardMs.has(key)) this.#firstHeardMs.set(key, nowMs);
    this.#recorded.refreshSoon();
  }

  #openLostGaps(): void {
    this.#openGaps(this.#heardMs === 0 ? this.#rest.gatewayNowMs() : this.#heardMs, this.#causes().lost);
  }

  #openGaps(ms: number, cause: string): void {
    for (const curve of this.#curves) {
      const samples = this.#samples.get(keyOfCurve(curve));
      if (samples !== undefined && samples.length + samples.gaps.length > 0)
        samples.openGap(ms, cause, UNHEARD);
    }
  }

  #obtain(curve: CurveName): Samples {
    const key = keyOfCurve(curve);
    const samples = this.#samples.get(key) ?? new Samples();
    this.#samples.set(key, samples);
    return samples;
  }
}

const kept = new WeakMap<Rest, { readonly identity: string; readonly collector: TrendCollector }>();

/** Returns the collector of an identity on this page, with what the tab remembers for it and for no other. */
export function keptCollector(rest: Rest, identity: string, causes: () => GapCauses): TrendCollector {
  const known = kept.get(rest);
  if (known?.identity === identity) return known.collector;
  known?.collector.leave();
  const collector = new TrendCollector(rest, causes, recallCurves(identity));
  kept.set(rest, { identity, collector });
  return collector;
}
