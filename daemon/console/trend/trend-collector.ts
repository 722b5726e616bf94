import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { Rest } from '../api/rest.ts';
import type { LiveRecord, StreamMessage } from '../live/stream-messages.ts';
import { ValueStream } from '../live/value-stream.ts';
import { Samples } from './samples.ts';
import { keyOfCurve, writeCurves } from './trend-curve.ts';
import type { CurveName } from './trend-curve.ts';

/** Words for the gaps that the page itself knows of. */
export interface GapCauses {
  readonly lost: string;
  readonly missing: string;
  readonly away: string;
}

/** Longest time that is kept, and that a trend can show. */
export const MAXIMUM_SPAN_MS = 8 * 3_600_000;

// Heard within this time, the stream would have told of a change.
const FRESH_MS = 20_000;
// A gateway that goes on with a stream says at once what is missing.
const COMPLETE_AFTER_MS = 2000;
const PRUNE_EVERY = 1000;

/** Collects the values of curves, also while nobody looks at them, as long as the page of trends is open. */
export class TrendCollector {
  readonly #rest: Rest;
  readonly #stream: ValueStream;
  readonly #causes: () => GapCauses;
  readonly #samples = new Map<string, Samples>();
  readonly #arrivals = signal(0);
  readonly #refusal = signal('');
  /** Assets of which changes are missing since the stream was lost. */
  #missing: Set<string> | undefined;
  #backMs: number | undefined;
  #curves: readonly CurveName[] = [];
  #heardMs = 0;
  #isLost = false;

  constructor(rest: Rest, causes: () => GapCauses) {
    this.#rest = rest;
    this.#stream = new ValueStream(rest, (message) => this.#take(message));
    this.#causes = causes;
  }

  /** Counts up when something came. */
  get arrivals(): ReadonlySignal<number> {
    return this.#arrivals;
  }

  /** Why the gateway does not give the values; empty: it does. */
  get refusal(): ReadonlySignal<string> {
    return this.#refusal;
  }

  /** Until when the values are known that were not told to have changed. */
  get knownUntilMs(): number {
    return Math.min(this.#rest.gatewayNowMs(), this.#heardMs + FRESH_MS);
  }

  samplesOf(curve: CurveName): Samples | undefined {
    return this.#samples.get(keyOfCurve(curve));
  }

  /** Collects these curves from now on, and no others. */
  async listen(curves: readonly CurveName[]): Promise<void> {
    if (writeCurves(curves) === writeCurves(this.#curves)) this.interrupt();
    else this.leave();
    this.#curves = curves;
    if (curves.length === 0) return;
    const assets = [...new Set(curves.map(({ asset }) => asset))];
    // The line is asked for what is shown, and no more.
    await this.#stream.open(new URLSearchParams({ assets: assets.join(','), channels: writeCurves(curves) }));
  }

  /** Stops collecting until somebody is signed in again; until then nobody knows the values. */
  interrupt(): void {
    this.#openLostGaps();
    this.#close();
  }

  /** Stops collecting; what was collected stays. */
  leave(): void {
    this.#openGaps(this.#rest.gatewayNowMs(), this.#causes().away);
    this.#curves = [];
    this.#close();
  }

  #close(): void {
    this.#stream.close();
    // Another stream begins with what is now, and tells of nothing that was missed.
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
      // A stream that goes on begins with what changed meanwhile; if nothing did, the next sign of life is all that comes.
      const isComplete = message.kind === 'RECORDS' || nowMs - this.#backMs > COMPLETE_AFTER_MS;
      if (this.#isLost && isComplete) this.#resume();
      if (message.kind === 'RECORDS') for (const record of message.records) this.#note(record, nowMs);
    }
    this.#arrivals.value += 1;
  }

  #lose({ status, reason }: Extract<StreamMessage, { kind: 'LOST' }>): void {
    this.#openLostGaps();
    this.#isLost = true;
    this.#missing ??= new Set();
    this.#backMs = undefined;
    if (status !== 0 && status !== 401) this.#refusal.value = reason;
  }

  #recordGap(asset: string | undefined): void {
    for (const curve of this.#curves) {
      if (asset !== undefined && curve.asset !== asset) continue;
      this.#missing?.add(curve.asset);
      // The gap of a lost stream goes on until the snapshot that follows.
      if (!this.#isLost) this.#obtain(curve).openGap(this.#heardMs, this.#causes().missing);
    }
  }

  #resume(): void {
    for (const curve of this.#curves) {
      if (this.#missing?.has(curve.asset) !== true) this.#obtain(curve).dropGap();
    }
    this.#missing = undefined;
    this.#isLost = false;
    this.#refusal.value = '';
  }

  #note(record: LiveRecord, nowMs: number): void {
    const curve = { asset: record.asset, channel: record.name };
    if (!this.#curves.some((each) => keyOfCurve(each) === keyOfCurve(curve))) return;
    const samples = this.#obtain(curve);
    this.#refusal.value = '';
    const { channelFlag, exceptionMessage } = record.channelStatus;
    if (channelFlag === 'SUCCESS' && record.value !== undefined) {
      const exact = typeof record.value === 'string' ? record.value : undefined;
      // A value that was held during a gap is known again from now on.
      const gap = samples.gaps.findLast(({ untilMs }) => untilMs === undefined);
      const ms = gap !== undefined && record.timestamp <= gap.fromMs ? nowMs : record.timestamp;
      samples.add(ms, Number(record.value), exact);
      samples.closeGap(ms);
    } else {
      const lastMs = samples.length === 0 ? nowMs : samples.timeAt(samples.length - 1);
      const cause = exceptionMessage ?? record.statusCode ?? '';
      samples.openGap(Math.max(lastMs, Math.min(nowMs, record.timestamp)), cause);
    }
    if (samples.length % PRUNE_EVERY === 0) samples.prune(nowMs - MAXIMUM_SPAN_MS);
  }

  #openLostGaps(): void {
    this.#openGaps(this.#heardMs === 0 ? this.#rest.gatewayNowMs() : this.#heardMs, this.#causes().lost);
  }

  #openGaps(ms: number, cause: string): void {
    for (const curve of this.#curves) {
      const samples = this.#samples.get(keyOfCurve(curve));
      if (samples !== undefined && samples.length + samples.gaps.length > 0) samples.openGap(ms, cause);
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

/** Returns what an identity collected on this page so far; another identity begins anew. */
export function keptCollector(rest: Rest, identity: string, causes: () => GapCauses): TrendCollector {
  const known = kept.get(rest);
  if (known?.identity === identity) return known.collector;
  known?.collector.leave();
  const collector = new TrendCollector(rest, causes);
  kept.set(rest, { identity, collector });
  return collector;
}
