import { RestFailure } from '../api/rest-failure.ts';
import type { HistoryOverview } from '../../interface/plant/history.ts';
import { SURELY_STORED_AFTER_MS } from './joined-series.ts';
import type { RecordedCurve } from './joined-series.ts';
import { AssetReading, HISTORY } from './asset-reading.ts';
import type { HistorySource } from './asset-reading.ts';
import type { RecordedCauses } from './recorded-samples.ts';
import { isCurveRecorded, keyOfCurve } from './trend-curve.ts';
import type { CurveName } from './trend-curve.ts';

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

// The history follows the record within seconds; after a start of the gateway it takes longer. At last, what is missing was not
// recorded because nothing had changed.
const REFRESH_AFTER_MS = [2500, 10_000, SURELY_STORED_AFTER_MS + 2000];

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
  #recorders: HistoryOverview['recorders'] = [];

  constructor(source: HistorySource, options: RecordedValuesOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** True if the gateway records, or has recorded, something that the identity may see. */
  get hasHistory(): boolean {
    return this.#recorders.length > 0 || this.#recorded.size > 0;
  }

  /** True if recorded values of a curve were found. */
  isRecorded(curve: CurveName): boolean {
    return this.#recorded.has(keyOfCurve(curve));
  }

  /** True if a recorder records a curve, as far as is known. */
  isOngoing(curve: CurveName): boolean {
    return isCurveRecorded(this.#recorders, curve);
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
      this.#recorders = overview.recorders;
      // One after the other: browsers open few connections.
      for (const [asset, channels] of groupCurves(this.#curves)) {
        const ended = channels.filter((channel) => !this.isOngoing({ asset, channel }));
        const causes = this.#options.causes();
        const options = { asset, ...span, askedMs, ended, causes, abort: loading.signal };
        const found = await new AssetReading(this.#source, options).read(channels).catch(refuseOthers);
        if (loading.signal.aborted) return;
        for (const [channel, samples] of found ?? []) {
          const key = keyOfCurve({ asset, channel });
          this.#loaded.set(key, { samples, askedMs, isOngoing: !ended.includes(channel) });
          if (samples.length > 0) this.#recorded.add(key);
        }
      }
    } catch {
      // The curves begin with the page, or keep what they have.
    }
    if (!loading.signal.aborted) this.#options.onLoaded();
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
