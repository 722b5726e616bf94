import type { NumberedEntry, Sample } from '../../../daemon/plant/journal/sample.ts';
import { HISTORY_MS } from '../world/truth.ts';

/** A sample that the journal has. */
export interface RecordedSample {
  readonly sample: Sample;
  readonly sequence: number;
  /** Simulated time at which it was taken. */
  readonly atMs: number;
}

// Forgetting one by one would cost more than everything else.
const FORGOTTEN_AT_ONCE = 1000;

/** What the journal has shown in the last hours. */
export class RecordedSamples {
  /** By asset, then by channel, in the order of the journal. */
  readonly #assets = new Map<string, Map<string, RecordedSample[]>>();
  readonly #entries = new Map<number, { readonly entry: NumberedEntry; readonly atMs: number }>();
  readonly #keptMs: number;
  #added = 0;
  #forgottenMs: number;

  /**
   * @param forgottenMs samples up to this time are of an earlier world, in milliseconds since the epoch
   * @param keptMs how long samples are known
   */
  constructor(forgottenMs = -Infinity, keptMs = HISTORY_MS) {
    this.#keptMs = keptMs;
    this.#forgottenMs = forgottenMs;
  }

  /** @param atMs simulated time at which it was taken */
  add(entry: NumberedEntry, atMs: number): void {
    this.#entries.set(entry.sequence, { entry, atMs });
    this.#added += 1;
    if (this.#added % FORGOTTEN_AT_ONCE === 0) this.#forget(atMs - this.#keptMs);
    if (entry.sample === undefined) return;
    const { sample, sequence } = entry;
    const { asset, channel } = sample.series;
    let channels = this.#assets.get(asset);
    if (channels === undefined) this.#assets.set(asset, (channels = new Map<string, RecordedSample[]>()));
    const samples = channels.get(channel);
    if (samples === undefined) channels.set(channel, [{ sample, sequence, atMs }]);
    else samples.push({ sample, sequence, atMs });
  }

  /** Returns the entry with this number; undefined when it was never shown, or long ago. */
  find(sequence: number): NumberedEntry | undefined {
    return this.#entries.get(sequence)?.entry;
  }

  /** Returns the simulated time at which an entry was taken; undefined as for `find`. */
  findTime(sequence: number): number | undefined {
    return this.#entries.get(sequence)?.atMs;
  }

  /** The latest time of a sample that was forgotten, in milliseconds since the epoch. */
  get forgottenMs(): number {
    return this.#forgottenMs;
  }

  /** Lists the assets that have samples. */
  listAssets(): readonly string[] {
    return [...this.#assets.keys()];
  }

  /** Lists the channels of an asset that have samples. */
  listChannels(asset: string): readonly string[] {
    return [...(this.#assets.get(asset)?.keys() ?? [])];
  }

  /** Lists the samples of a channel, in the order of the journal. */
  list(asset: string, channel: string): readonly RecordedSample[] {
    return this.#assets.get(asset)?.get(channel) ?? [];
  }

  #forget(beforeMs: number): void {
    let oldest = Infinity;
    for (const channels of this.#assets.values()) {
      for (const samples of channels.values()) {
        const kept = samples.findIndex(({ atMs }) => atMs >= beforeMs);
        for (const { sample } of samples.splice(0, kept === -1 ? samples.length : kept))
          this.#forgottenMs = Math.max(this.#forgottenMs, sample.timestampMs);
        oldest = Math.min(oldest, samples[0]?.sequence ?? Infinity);
      }
    }
    for (const sequence of this.#entries.keys()) if (sequence < oldest) this.#entries.delete(sequence);
  }
}
