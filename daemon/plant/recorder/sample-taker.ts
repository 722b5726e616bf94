import type { ChannelRecord } from '../../channel/channel-record.ts';
import { qualityOf } from '../../channel/quality.ts';
import type { AppendedEntry, Gap, Series } from '../journal/sample.ts';

// A device may claim any time. Those of the years 1 to 9999 are taken from it.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** What a round gives the journal. */
export interface TakenSamples {
  readonly samples: readonly AppendedEntry[];
  readonly gaps: readonly Gap[];
}

interface ChannelState {
  readonly series: Series;
  /** The time that the device gave last, and when the gateway took it first; NaN before the first. */
  deviceMs: number;
  takenAtMs: number;
  /** The failure that a sample has named, and its time; undefined while there are values. */
  failing: { readonly code: string | undefined; readonly sinceMs: number } | undefined;
}

/**
 * Makes samples of the records of one asset.
 *
 * A failure is one sample of bad quality, however often it repeats; once there is a value again, the time between is a gap: one for
 * the asset if all of its channels failed at the same time, otherwise one for each channel.
 */
export class SampleTaker {
  readonly #asset: string;
  readonly #recorders: readonly string[];
  readonly #states = new Map<string, ChannelState>();

  /**
   * @param asset pid
   * @param recorders pid of the one that takes the samples; the same list for all of its assets
   */
  constructor(asset: string, recorders: readonly [string]) {
    this.#asset = asset;
    this.#recorders = recorders;
  }

  /**
   * @param takenAtMs milliseconds since the epoch
   * @param isShared true if other recorders may take the same records
   */
  take(records: readonly ChannelRecord[], takenAtMs: number, isShared: boolean): TakenSamples {
    const samples: AppendedEntry[] = [];
    const recorders = this.#recorders;
    const returned: { readonly channel: string; readonly sinceMs: number }[] = [];
    for (const record of records) {
      // A device that reports changes says more soon.
      if (record.failure?.code === 'VALUE_PENDING') continue;
      const state = this.#stateOf(record);
      if (state === undefined) continue;
      const { quality = 'GOOD', statusCode } = qualityOf(record);
      if (record.failure !== undefined) {
        if (state.failing?.code === statusCode && state.failing !== undefined) continue;
        state.failing = { code: statusCode, sinceMs: state.failing?.sinceMs ?? takenAtMs };
      } else if (state.failing !== undefined) {
        returned.push({ channel: record.name, sinceMs: state.failing.sinceMs });
        state.failing = undefined;
      }
      const timestampMs = this.#timeOf(state, record, takenAtMs);
      const { series } = state;
      const known = { series, recorders, value: record.value, quality, timestampMs, takenAtMs };
      const sample = statusCode === undefined ? known : { ...known, status: statusCode };
      samples.push(isShared ? { sample, reading: record } : { sample });
    }
    return { samples, gaps: this.#listGaps(returned, takenAtMs) };
  }

  #stateOf({ channel, name }: ChannelRecord): ChannelState | undefined {
    if (channel === undefined) return undefined;
    const { valueType } = channel;
    const known = this.#states.get(name);
    if (known?.series.valueType === valueType) return known;
    const series = { asset: this.#asset, channel: name, valueType };
    const state: ChannelState = { series, deviceMs: NaN, takenAtMs: NaN, failing: known?.failing };
    this.#states.set(name, state);
    return state;
  }

  /**
   * Returns the time of a sample. A device repeats the time of a value that has not changed: the sample then confirms it, so much
   * later by the clock of the device as by that of the gateway.
   */
  #timeOf(state: ChannelState, { timestampMs }: ChannelRecord, takenAtMs: number): number {
    if (timestampMs === state.deviceMs) return timestampMs + Math.max(0, takenAtMs - state.takenAtMs);
    if (!(timestampMs >= EARLIEST_MS && timestampMs <= LATEST_MS)) return takenAtMs;
    state.deviceMs = timestampMs;
    state.takenAtMs = takenAtMs;
    return timestampMs;
  }

  #listGaps(
    returned: readonly { readonly channel: string; readonly sinceMs: number }[],
    toMs: number,
  ): readonly Gap[] {
    const [first] = returned;
    if (first === undefined) return [];
    const gap = { reason: 'DEVICE_LOST', asset: this.#asset, toMs, count: 0 } as const;
    const isWhole =
      returned.length === this.#states.size && returned.every(({ sinceMs }) => sinceMs === first.sinceMs);
    if (isWhole) return [{ ...gap, fromMs: first.sinceMs }];
    return returned.map(({ channel, sinceMs }) => ({ ...gap, channel, fromMs: sinceMs }));
  }
}
