import type { AppendedEntry, Gap, JournalEntry, Sample } from '../../../daemon/plant/journal/sample.ts';
import { describeSample } from './recorded-value.ts';

/** An entry that recorders gave the journal. */
export interface TakenEntry {
  /** Several recorders may be added to a sample until its batch is written. */
  entry: JournalEntry;
  /** Simulated time. */
  readonly atMs: number;
  /** The batch of the journal that has it. */
  readonly batch: number;
}

/** What recorders gave the journal in one life of the gateway, and what of it the journal has shown. */
export class TakenEntries {
  /** Those that the journal has not shown, by their series; in order. */
  readonly #open = new Map<string, TakenEntry[]>();
  /** The newest entry of each reading. */
  readonly #byReading = new WeakMap<object, TakenEntry>();
  /** Those that were passed over: a later one of the same series was shown. */
  #passed: TakenEntry[] = [];
  #shownBatch = -1;

  add(entries: readonly AppendedEntry[], atMs: number, batch: number): void {
    for (const { reading, ...entry } of entries) {
      const known = reading === undefined ? undefined : this.#byReading.get(reading);
      if (known?.batch === batch && addRecorders(known, entry)) continue;
      const taken = { entry, atMs, batch };
      if (reading !== undefined) this.#byReading.set(reading, taken);
      const key = keyOf(entry);
      const open = this.#open.get(key);
      if (open === undefined) this.#open.set(key, [taken]);
      else open.push(taken);
    }
  }

  /** Takes an entry that the journal shows. @returns what it was when it was taken; undefined: it never was */
  show(entry: JournalEntry): TakenEntry | undefined {
    const open = this.#open.get(keyOf(entry)) ?? [];
    const text = describeEntry(entry);
    const index = open.findIndex((taken) => describeEntry(taken.entry) === text);
    const found = open[index];
    if (found === undefined) return undefined;
    this.#passed.push(...open.splice(0, index + 1).slice(0, index));
    this.#shownBatch = Math.max(this.#shownBatch, found.batch);
    return found;
  }

  /** Returns the samples that are missing in what was written so far, and forgets them. */
  takeMissing(): readonly TakenEntry[] {
    const missing = this.#passed;
    this.#passed = [];
    for (const open of this.#open.values()) {
      const end = open.findIndex(({ batch }) => batch > this.#shownBatch);
      missing.push(...open.splice(0, end === -1 ? open.length : end));
    }
    return missing.filter(({ entry }) => entry.sample !== undefined);
  }

  /** Returns everything that was not shown, and forgets it. */
  takeAll(): readonly TakenEntry[] {
    this.#shownBatch = Infinity;
    return this.takeMissing();
  }
}

/** @returns false if the recorders have taken the same before */
function addRecorders(taken: TakenEntry, { sample: again }: JournalEntry): boolean {
  const { sample } = taken.entry;
  if (sample === undefined || again === undefined) return false;
  const added = again.recorders.filter((pid) => !sample.recorders.includes(pid));
  if (added.length === 0) return false;
  taken.entry = { sample: { ...sample, recorders: [...sample.recorders, ...added].toSorted() } };
  return true;
}

/** Returns a text that is the same for equal entries alone. */
export function describeEntry({ sample, gap }: JournalEntry): string {
  return sample === undefined ? describeGap(gap) : describeSample(sample);
}

function describeGap({ reason, asset = '', channel = '', fromMs, toMs, count }: Gap): string {
  return `${reason} ${asset} ${channel} ${fromMs} ${toMs} ${count}`;
}

function keyOf({ sample, gap }: JournalEntry): string {
  return sample === undefined ? `gap ${gap?.reason}` : keyOfSample(sample);
}

/** Returns a text that is the same for samples of one series alone. */
export function keyOfSample({ series: { asset, channel, valueType } }: Pick<Sample, 'series'>): string {
  return `${asset}\n${channel}\n${valueType}`;
}
