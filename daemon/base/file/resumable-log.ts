import { systemRandom } from '../random.ts';
import type { RandomSource } from '../random.ts';

interface ResumableLogOptions<Entry> {
  /** Weight of the entries that are kept; the newest entry is kept even when it alone is heavier. */
  readonly maximumWeight: number;
  /** Returns the weight of an entry; 1 for each when absent. */
  readonly weigh?: (entry: Entry) => number;
  /** Default: the random source of the system. */
  readonly random?: RandomSource | undefined;
}

/**
 * Keeps the newest entries of a stream in order, so that slow readers and readers that come back miss nothing that is
 * still kept. A position is the number of entries before it; its id is what a client sends as `Last-Event-ID`.
 *
 * Readers keep their own positions: a slow reader costs nothing.
 */
export class ResumableLog<Entry> {
  readonly #maximumWeight: number;
  readonly #weigh: (entry: Entry) => number;
  // Ids of another run of the process, or of another log, must not be taken for ids of this one.
  readonly #run: string;
  readonly #entries: Entry[] = [];
  #weight = 0;
  #end = 0;

  constructor({ maximumWeight, weigh = () => 1, random = systemRandom }: ResumableLogOptions<Entry>) {
    this.#run = random.bytes(8).toString('hex');
    this.#maximumWeight = maximumWeight;
    this.#weigh = weigh;
  }

  /** Position before the oldest entry that is kept. */
  get start(): number {
    return this.#end - this.#entries.length;
  }

  /** Position after the newest entry; 0 before the first. */
  get end(): number {
    return this.#end;
  }

  /** Appends an entry and drops the oldest ones beyond the maximum weight. */
  append(entry: Entry): void {
    this.#end += 1;
    this.#entries.push(entry);
    this.#weight += this.#weigh(entry);
    while (this.#weight > this.#maximumWeight && this.#entries.length > 1) {
      const oldest = this.#entries.shift();
      if (oldest !== undefined) this.#weight -= this.#weigh(oldest);
    }
  }

  /** Returns whether every entry after a position is still kept. */
  holdsAfter(position: number): boolean {
    return position >= this.start && position <= this.#end;
  }

  /** Returns the entry that follows a position; undefined when there is none, or it is no longer kept. */
  findAfter(position: number): Entry | undefined {
    return this.#entries[position - this.start];
  }

  /** Returns the entries after a position for which `holdsAfter` is true, in order. */
  listAfter(position: number): readonly Entry[] {
    return this.#entries.slice(position - this.start);
  }

  /** Returns the id by which a reader finds a position again; no other log has the same. */
  toId(position: number): string {
    return `${this.#run}-${position}`;
  }

  /** Returns the position of an id; undefined when the id is of another log, or entries after it are gone. */
  findPosition(id: string): number | undefined {
    const [, run, digits] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(id) ?? [];
    const position = Number(digits);
    return run === this.#run && this.holdsAfter(position) ? position : undefined;
  }
}
