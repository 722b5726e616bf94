import { systemRandom } from '../random.ts';
import type { RandomSource } from '../random.ts';

interface ResumableLogOptions<Entry> {
  /** Maximum weight of stored entries; the newest entry stays even if it alone is heavier. */
  readonly maximumWeight: number;
  /** Returns the weight of an entry; default: 1. */
  readonly weigh?: (entry: Entry) => number;
  /** Default: the random source of the system. */
  readonly random?: RandomSource | undefined;
}

/**
 * Stores the newest entries of a stream in order, so that slow and returning readers miss nothing that is
 * still stored. A position is the number of entries before it; clients send its id as `Last-Event-ID`.
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

  /** Position before the oldest stored entry. */
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

  /** Returns true if every entry after a position is still stored. */
  holdsAfter(position: number): boolean {
    return position >= this.start && position <= this.#end;
  }

  /** Returns the entry that follows a position; undefined if there is none, or it was dropped. */
  findAfter(position: number): Entry | undefined {
    return this.#entries[position - this.start];
  }

  /** Returns the entries after a position for which `holdsAfter` is true, in order. */
  listAfter(position: number): readonly Entry[] {
    return this.#entries.slice(position - this.start);
  }

  /** Returns the unique id with which a reader resumes at a position. */
  toId(position: number): string {
    return `${this.#run}-${position}`;
  }

  /** Returns the position of an id; undefined if the id belongs to another log, or entries after it were dropped. */
  findPosition(id: string): number | undefined {
    const [, run, digits] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(id) ?? [];
    const position = Number(digits);
    return run === this.#run && this.holdsAfter(position) ? position : undefined;
  }
}
